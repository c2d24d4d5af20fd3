//! Which model tells how alike two texts are, following the settings.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use embedding::InstalledEmbedder;
use llm::{EmbedError, EmbedRole, Embedder, EmbedderId, ServerConfig, ServerEmbedder};
use models::{Machine, Store};
use net::Http;
use secrecy::SecretString;
use settings::Settings;
use tokio_util::sync::CancellationToken;

/// The model that providers have for it, where the settings name none.
const USUAL_MODEL: &str = "nomic-embed-text";

/// Where the servers usually are.
const OLLAMA: &str = "http://127.0.0.1:11434";
const OPENAI: &str = "http://127.0.0.1:8080/v1";

/// The embedder of the settings; another one when they change.
pub(crate) struct ActiveEmbedder {
    current: RwLock<Option<Arc<dyn Embedder>>>,
    /// It was asked for something: its model is loaded, or being loaded.
    is_in_use: AtomicBool,
}

/// Loading a model takes half a second; one that hangs keeps nobody from going.
const LOADING: Duration = Duration::from_secs(5);

impl ActiveEmbedder {
    pub fn new(current: Option<Arc<dyn Embedder>>) -> Self {
        Self { current: RwLock::new(current), is_in_use: AtomicBool::new(false) }
    }

    /// Uses another one from now on; `None` finds by words alone.
    pub fn use_instead(&self, other: Option<Arc<dyn Embedder>>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = other;
    }

    /// Waits until no model is being loaded any more: a process that ends meanwhile takes the ONNX Runtime away from under
    /// the thread that loads, and crashes.
    pub async fn rest(&self) {
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

/// The embedder that these settings name; `None` when they name none, or none that could work.
pub(crate) fn embedder(
    settings: &Settings,
    store: &Store,
    http: &Http,
    api_key: Option<SecretString>,
) -> Option<Arc<dyn Embedder>> {
    match settings.memory.embeddings.as_str() {
        "local" => {
            let idle = Duration::from_secs_f64(settings.models.idle_unload_mins * 60.0);
            Some(Arc::new(InstalledEmbedder::new(store.clone(), Machine::this(), Some(idle))))
        }
        "provider" => {
            let is_openai = settings.llm.provider == "openai";
            let named = settings.llm.base_url.trim();
            let address = match (named.is_empty(), is_openai) {
                (false, _) => named,
                (true, false) => OLLAMA,
                (true, true) => OPENAI,
            };
            let model = settings.memory.embedding_model.trim();
            let model = if model.is_empty() { USUAL_MODEL } else { model };
            let config =
                ServerConfig::of_settings(&settings.llm, address.parse().ok()?, model.to_owned(), api_key);
            Some(match is_openai {
                true => Arc::new(ServerEmbedder::openai(http.clone(), config)),
                false => Arc::new(ServerEmbedder::ollama(http.clone(), config)),
            })
        }
        _ => None,
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
            None => Err(EmbedError::Stopped),
        }
    }

    fn id(&self) -> EmbedderId {
        self.current().map_or_else(|| EmbedderId("none".to_owned()), |current| current.id())
    }

    fn dimensions(&self) -> Option<usize> {
        self.current()?.dimensions()
    }
}
