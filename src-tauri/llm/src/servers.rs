//! Language models on servers.

mod config; // start here
mod client; // the transport shared by all providers
mod server_error;
mod ollama;
mod openai;
mod embedding;

pub use config::ServerConfig;
pub(crate) use config::{endpoint, parse_address, silence_timeout};
pub use embedding::ServerEmbedder;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub(crate) use openai::api_root;
