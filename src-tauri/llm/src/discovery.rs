//! Finds a language model: the one in the settings, else an Ollama server, another local server, or the embedded
//! engine. So Jarvis works on a new machine without other programs.

mod finder; // start here
mod probe;
mod report;
mod failover;
mod provider_embedder;

pub use failover::Failover;
pub use finder::{EmbeddedOptions, ProviderFinder};
pub use provider_embedder::ProviderEmbedder;
pub use report::{ProviderReport, ProviderState};
