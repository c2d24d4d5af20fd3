//! The embedding model in use, which follows the settings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use embedding::InstalledEmbedder;
use llm::{EmbedError, EmbedRole, Embedder, EmbedderId, ProviderEmbedder};
use models::{Machine, ModelStore};
use net::Http;
use parking_lot::RwLock;
use secrecy::SecretString;
use settings::{Embeddings, Settings};
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use crate::models_in_use::language_model::LanguageModelChoice;
use crate::user::user_languages::user_languages;

/// The embedding model that most servers have, for settings that name none.
const USUAL_MODEL: &str = "nomic-embed-text";

/// The embedder of the settings; another one after they change.
pub(crate) struct ActiveEmbedder {
    current: RwLock<Option<Arc<dyn Embedder>>>,
    /// It was used: its model is loaded, or being loaded.
    is_in_use: AtomicBool,
}

/// The time that quitting waits for a model that is being loaded. Loading takes half a second.
const LOADING: Duration = Duration::from_secs(5);

impl ActiveEmbedder {
    pub fn new(current: Option<Arc<dyn Embedder>>) -> Self {
        Self { current: RwLock::new(current), is_in_use: AtomicBool::new(false) }
    }

    /// Uses another one from now on; with `None`, memory searches by words alone.
    pub fn replace(&self, other: Option<Arc<dyn Embedder>>) {
        *self.current.write() = other;
    }

    /// Waits until no model is being loaded. A process that ends while ONNX Runtime loads one crashes.
    pub async fn finish_loading(&self) {
        if self.is_in_use.load(Ordering::Relaxed) {
            let loading = self.embed(&[], EmbedRole::Query, CancellationToken::new());
            if tokio::time::timeout(LOADING, loading).await.is_err() {
                tracing::warn!("the embedding model is still being loaded");
            }
        }
    }

    /// Loads the model, if it is not loaded.
    pub async fn get_ready(&self) {
        if !self.is_unloaded() {
            return;
        }
        if let Err(error) = self.embed(&[], EmbedRole::Query, CancellationToken::new()).await {
            tracing::debug!(%error, "the embedding model was not loaded in advance");
        }
    }

    /// The one in use.
    pub fn current(&self) -> Option<Arc<dyn Embedder>> {
        self.current.read().clone()
    }
}

/// The embedder that the settings ask for.
#[derive(PartialEq)]
pub(crate) enum EmbedderChoice {
    /// The best installed model of ours.
    Local {
        /// The time that it stays loaded while unused.
        idle: Duration,
        /// Another folder has other models.
        folder: String,
        /// The languages of the user, which the model has to know.
        languages: Vec<Language>,
    },
    /// A model on the server that also runs the language model.
    Provider {
        /// Finds the server.
        language_model: LanguageModelChoice,
        /// The name of the model there.
        model: String,
    },
    /// Words alone find.
    Off,
}

impl EmbedderChoice {
    /// The choice that these settings make.
    pub fn new(settings: &Settings, store: &ModelStore, api_key: Option<SecretString>) -> Self {
        match settings.memory.embeddings {
            Embeddings::Local => Self::Local {
                idle: Duration::from_secs_f64(settings.models.idle_unload_mins * 60.0),
                folder: settings.models.folder.clone(),
                languages: user_languages(settings),
            },
            Embeddings::Provider => {
                let named = settings.memory.embedding_model.trim();
                let model = if named.is_empty() { USUAL_MODEL } else { named }.to_owned();
                Self::Provider { language_model: LanguageModelChoice::new(settings, store, api_key), model }
            }
            Embeddings::Off => Self::Off,
        }
    }

    /// The embedder; `None` when the settings name none. No model is loaded before it is used.
    pub fn embedder(&self, store: &ModelStore, http: &Http) -> Option<Arc<dyn Embedder>> {
        match self {
            Self::Local { idle, languages, .. } => {
                let languages = languages.clone();
                Some(Arc::new(InstalledEmbedder::new(store.clone(), Machine::this(), languages, Some(*idle))))
            }
            Self::Provider { language_model, model } => {
                Some(Arc::new(ProviderEmbedder::new(language_model.finder(http), model)))
            }
            Self::Off => None,
        }
    }
}

#[async_trait]
impl Embedder for ActiveEmbedder {
    async fn embed(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        match self.current() {
            Some(current) => {
                self.is_in_use.store(true, Ordering::Relaxed);
                current.embed(texts, role, stop).await
            }
            None => Err(EmbedError::Cancelled),
        }
    }

    fn id(&self) -> EmbedderId {
        self.current().map_or_else(|| EmbedderId("none".to_owned()), |current| current.id())
    }

    fn is_unloaded(&self) -> bool {
        self.current().is_some_and(|current| current.is_unloaded())
    }

    fn dimensions(&self) -> Option<usize> {
        self.current()?.dimensions()
    }
}
