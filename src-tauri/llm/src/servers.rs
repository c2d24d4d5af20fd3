//! Language models behind a server: what all of them share.

mod config; // start here
mod client; // the transport that the others share
mod refusal;
mod ollama;
mod openai;
mod embedding;

pub use config::ServerConfig;
pub(crate) use config::{endpoint, read_address, silence_timeout};
pub use embedding::ServerEmbedder;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub(crate) use openai::api_root;
