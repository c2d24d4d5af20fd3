//! Language models on servers.

mod config; // start here
mod client; // the transport shared by all providers
mod server_error;
mod ollama;
mod openai;
mod anthropic;
mod embedding;

use std::sync::Arc;

use net::Http;

use crate::{ChatModel, ProviderKind};

use anthropic::Anthropic;
pub(crate) use anthropic::versioned_root;
pub(crate) use client::with_headers;
pub use config::ServerConfig;
pub(crate) use config::{endpoint, parse_address, silence_timeout};
pub use embedding::ServerEmbedder;
pub use ollama::{Ollama, OllamaPuller, PullError, PullEvent, PullLimits, PullProgress, PullStream};
pub use openai::OpenAi;
pub(crate) use openai::api_root;

/// The chat model of `config` on a server of this kind. Also allows requests to the origin of its address.
pub fn chat_model(provider: ProviderKind, http: Http, config: ServerConfig) -> Arc<dyn ChatModel> {
    match provider {
        ProviderKind::Ollama => Arc::new(Ollama::new(http, config)),
        ProviderKind::OpenAi | ProviderKind::Embedded => Arc::new(OpenAi::new(http, config)),
        ProviderKind::Anthropic => Arc::new(Anthropic::new(http, config)),
    }
}
