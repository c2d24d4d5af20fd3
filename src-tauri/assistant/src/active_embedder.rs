//! The embedding model in use, which follows the settings.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use embedding::InstalledEmbedder;
use llm::{EmbedError, EmbedRole, Embedder, EmbedderId, ServerConfig, ServerEmbedder};
use models::{Machine, ModelStore};
use net::Http;
use secrecy::SecretString;
use settings::{LlmSettings, MemorySettings, ModelsSettings, Settings};
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use crate::provider_key::is_same;
use crate::user_languages::user_languages;

/// The embedding model that most servers have, for settings that name none.
const USUAL_MODEL: &str = "nomic-embed-text";

/// The usual addresses of the servers.
const OLLAMA: &str = "http://127.0.0.1:11434";
const OPENAI: &str = "http://127.0.0.1:8080/v1";

/// The embedder of the settings; another one after they change.
pub(crate) struct ActiveEmbedder {
    current: RwLock<Option<Arc<dyn Embedder>>>,
    /// It was used: its model is loaded, or being loaded.
    is_in_use: AtomicBool,
}

/// How long quitting waits for a model that is being loaded. Loading takes half a second.
const LOADING: Duration = Duration::from_secs(5);

impl ActiveEmbedder {
    pub fn new(current: Option<Arc<dyn Embedder>>) -> Self {
        Self { current: RwLock::new(current), is_in_use: AtomicBool::new(false) }
    }

    /// Uses another one from now on; with `None`, memory searches by words alone.
    pub fn replace(&self, other: Option<Arc<dyn Embedder>>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = other;
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

    /// The one in use.
    pub fn current(&self) -> Option<Arc<dyn Embedder>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The embedder that the settings ask for.
pub(crate) struct EmbedderChoice {
    memory: MemorySettings,
    llm: LlmSettings,
    models: ModelsSettings,
    languages: Vec<Language>,
    api_key: Option<SecretString>,
}

impl PartialEq for EmbedderChoice {
    fn eq(&self, other: &Self) -> bool {
        self.memory == other.memory
            && self.llm == other.llm
            && self.models == other.models
            && self.languages == other.languages
            && is_same(self.api_key.as_ref(), other.api_key.as_ref())
    }
}

impl EmbedderChoice {
    /// The choice that these settings make.
    pub fn of(settings: &Settings, api_key: Option<SecretString>) -> Self {
        let languages = user_languages(settings);
        let Settings { memory, llm, models, .. } = settings.clone();
        Self { memory, llm, models, languages, api_key }
    }

    /// The embedder; `None` when the settings name none, or none that could work. No model is loaded before it is used.
    pub fn embedder(&self, store: &ModelStore, http: &Http) -> Option<Arc<dyn Embedder>> {
        match self.memory.embeddings.as_str() {
            "local" => {
                let idle = Duration::from_secs_f64(self.models.idle_unload_mins * 60.0);
                let languages = self.languages.clone();
                Some(Arc::new(InstalledEmbedder::new(store.clone(), Machine::this(), languages, Some(idle))))
            }
            "provider" => {
                let is_openai = self.llm.provider == "openai";
                let named = self.llm.base_url.trim();
                let address = match (named.is_empty(), is_openai) {
                    (false, _) => named,
                    (true, false) => OLLAMA,
                    (true, true) => OPENAI,
                };
                let model = self.memory.embedding_model.trim();
                let model = if model.is_empty() { USUAL_MODEL } else { model };
                let address = address.parse().ok()?;
                let key = self.api_key.clone();
                let config = ServerConfig::from_settings(&self.llm, address, model.to_owned(), key);
                Some(match is_openai {
                    true => Arc::new(ServerEmbedder::openai(http.clone(), config)),
                    false => Arc::new(ServerEmbedder::ollama(http.clone(), config)),
                })
            }
            _ => None,
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

    fn dimensions(&self) -> Option<usize> {
        self.current()?.dimensions()
    }
}
