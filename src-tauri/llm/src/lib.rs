//! Chat with language models and vectors of texts: one port each, several providers.
//!
//! A [`ChatRequest`] goes in, a stream of [`ChatEvent`]s comes out, whoever answers; an [`Embedder`] takes texts and
//! gives vectors. This crate alone knows the wire formats of language models. It keeps no dialogue, runs no tool and decides nothing about what is said.
//!
//! Source: behaviour reference, sections 2.9 and 2.16.

mod chat; // the port: start here
mod message;
mod embedder; // the other port
mod identity;
mod error;
mod answer;
mod servers;
pub mod embedded;
mod discovery;

pub use chat::{ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, ToolSpec, Usage};
pub use discovery::{Failover, Finder, ModelsProbe, ProviderReport, ProviderState, discover};
pub use embedded::{Embedded, EmbeddedConfig};
pub use embedder::{EmbedError, EmbedRole, Embedder, EmbedderId, normalised};
pub use error::{LlmError, ProviderAttempt};
pub use identity::{ModelIdentity, ModelSize, ProviderKind};
pub use message::{Message, Role, ToolCall};
pub use servers::{Ollama, OpenAi, ServerConfig, ServerEmbedder};
pub use vocabulary::ToolCallId;

// Callers cancel with it, and need not name its crate for that.
pub use tokio_util::sync::CancellationToken;
