//! The port: what may be asked of a model that turns texts into vectors.

mod error;
mod vectors;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

pub use error::EmbedError;
pub use vectors::normalised;

/// A model that turns texts into vectors, so that texts of like meaning get vectors of like direction.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// One vector for each of `texts`, in their order, every one of length 1: how alike two texts are is the dot
    /// product of theirs, 1 for the same and about 0 for strangers.
    ///
    /// Any text has a vector, an empty one as well. Models read the first few hundred words of a long text and leave
    /// the rest out.
    ///
    /// Cancel-safe; the model's work ends soon after `stop` is cancelled or the future dropped.
    ///
    /// # Errors
    ///
    /// [`EmbedError::Stopped`] when `stop` was cancelled, else what is wrong with the model.
    async fn embed(
        &self,
        texts: &[String],
        role: EmbedRole,
        stop: CancellationToken,
    ) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Which model makes the vectors. Keep it with them.
    fn id(&self) -> EmbedderId;

    /// How many numbers a vector has; `None` before the first one was made.
    fn dimensions(&self) -> Option<usize>;
}

/// What a text is there for. Some models put questions elsewhere than what answers them, unless they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EmbedRole {
    /// Something is looked for with it.
    Query,
    /// It is what may be found.
    Passage,
}

/// Names the model that made a vector. Vectors of different ids must never be compared: each model has its own space.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EmbedderId(pub String);

impl std::fmt::Display for EmbedderId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
