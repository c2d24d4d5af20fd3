//! The port for embedding models.

mod error;
mod vectors;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

pub use error::EmbedError;
pub use vectors::normalised;

/// A model that turns texts into vectors. Texts of similar meaning have vectors of similar direction.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Returns one vector of length 1 per text, in the order of `texts`. The similarity of two texts is the dot product
    /// of their vectors: 1 for equal texts, about 0 for unrelated ones.
    ///
    /// Every text has a vector, also an empty one. Models read only the first few hundred words of a long text.
    ///
    /// Cancel-safe. The computation ends soon after `stop` is cancelled or the future is dropped.
    ///
    /// # Errors
    ///
    /// [`EmbedError::Cancelled`] if `stop` was cancelled; other variants for errors of the model.
    async fn embed(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// The model that makes the vectors. Store the id with the vectors.
    fn id(&self) -> EmbedderId;

    /// Returns `true` if the next text has to wait until the model is loaded.
    fn is_unloaded(&self) -> bool {
        false
    }

    /// Number of dimensions of the vectors; `None` before the first vector.
    fn dimensions(&self) -> Option<usize>;
}

/// Purpose of a text. Some models need to know it to give a question and its answer similar vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmbedRole {
    /// The text is a search query.
    Query,
    /// The text is stored and searched.
    Passage,
}

/// Identifier of the model that made a vector. Vectors with different ids must never be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EmbedderId(pub String);

impl std::fmt::Display for EmbedderId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
