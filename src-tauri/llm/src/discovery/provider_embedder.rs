//! An embedding model at the provider that is found.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::finder::ProviderFinder;
use crate::{EmbedError, EmbedRole, Embedder, EmbedderId, ServerEmbedder};

/// An embedding model on the server that also runs the language model: the one in the settings, else the one found. The
/// server is searched with the first texts, and again when it is unavailable.
pub struct ProviderEmbedder {
    finder: ProviderFinder,
    model: String,
    current: Mutex<Option<Arc<ServerEmbedder>>>,
}

impl ProviderEmbedder {
    /// The embedding model named `model`, on the server that `finder` finds.
    pub fn new(finder: ProviderFinder, model: &str) -> Self {
        Self { finder, model: model.to_owned(), current: Mutex::default() }
    }

    fn current(&self) -> Option<Arc<ServerEmbedder>> {
        self.current.lock().clone()
    }

    async fn find(&self) -> Result<Arc<ServerEmbedder>, EmbedError> {
        let found = Arc::new(self.finder.find_embedder(&self.model).await?);
        *self.current.lock() = Some(Arc::clone(&found));
        Ok(found)
    }
}

/// Returns `true` if another server may do what this one does not.
fn is_unavailable(error: &EmbedError) -> bool {
    match error {
        EmbedError::Server(error) => error.is_provider_unavailable(),
        // A server of the other protocol may have taken the address.
        EmbedError::ServerUnsupported { .. } => true,
        _ => false,
    }
}

#[async_trait]
impl Embedder for ProviderEmbedder {
    async fn embed(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let known = match self.current() {
            Some(known) => known,
            None => return self.find().await?.embed(texts, role, stop).await,
        };
        match known.embed(texts, role, stop.clone()).await {
            Err(error) if is_unavailable(&error) => {
                tracing::warn!(%error, "searching for another embedding server");
                let found = self.find().await?;
                // Vectors of two models must not be mixed: the caller asks again, and sees the new id.
                if found.id() == known.id() { found.embed(texts, role, stop).await } else { Err(error) }
            }
            result => result,
        }
    }

    /// Before the first texts it is not known which server it will be.
    fn id(&self) -> EmbedderId {
        self.current().map_or_else(|| EmbedderId(format!("provider/{}", self.model)), |current| current.id())
    }

    fn dimensions(&self) -> Option<usize> {
        self.current()?.dimensions()
    }
}
