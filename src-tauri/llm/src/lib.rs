//! Ports for chat models and embeddings, with adapters for several providers.
//!
//! A [`ChatModel`] answers a [`ChatRequest`] with a stream of [`ChatEvent`]s; an [`Embedder`] turns texts into vectors.
//! Only this crate knows the wire formats of language models. It stores no dialogue, runs no tools and contains no
//! prompts.
//!
//! Source: docs/behaviour/replying.md#size-of-a-model and docs/behaviour/replying.md#model-servers.

mod chat; // the chat port: start here
mod message;
mod embedder; // the embedding port
mod identity;
mod error;
mod response;
mod servers;
pub mod embedded;
mod discovery;

pub use chat::{ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, ToolSpec, Usage};
pub use discovery::{
    EmbeddedOptions, Failover, ProviderEmbedder, ProviderFinder, ProviderReport, ProviderState,
};
pub use embedded::{EmbeddedConfig, EmbeddedModel};
pub use embedder::{EmbedError, EmbedRole, Embedder, EmbedderId, normalised};
pub use error::{LlmError, ProviderAttempt};
pub use identity::{ModelIdentity, ModelSize, ProviderKind};
pub use message::{Message, Role, ToolCall};
pub use servers::{
    Ollama, OllamaPuller, OpenAi, PullError, PullEvent, PullLimits, PullProgress, PullStream, ServerConfig,
    ServerEmbedder, chat_model,
};
pub use vocabulary::ToolCallId;

// Part of the ports, so callers need no dependency on its crate.
pub use tokio_util::sync::CancellationToken;
