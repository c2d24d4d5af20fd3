//! The place where a request finds its models.

use std::sync::Arc;

use llm::{ChatModel, Embedder};
use net::Http;

use crate::models_in_use::active_embedder::ActiveEmbedder;

/// The place where a request finds its models.
pub(crate) enum ModelSource {
    /// In a running assistant.
    Running {
        /// The chat model.
        model: Arc<dyn ChatModel>,
        /// The model for short tasks.
        helper: Arc<dyn ChatModel>,
        /// The embedding model.
        embedder: Arc<ActiveEmbedder>,
    },
    /// The settings name them; none is loaded before it is asked.
    Settings {
        /// In place of the embedding model that the settings name.
        embedder: Option<Arc<dyn Embedder>>,
        /// The client of the command, whose contacts are written at its end.
        http: Http,
    },
}
