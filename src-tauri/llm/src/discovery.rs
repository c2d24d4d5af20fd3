//! Finds who can answer: what the settings name, else an Ollama server, else another local server, else the embedded
//! engine. So a fresh machine answers with no other program installed.

mod finder; // start here
mod probing;
mod report;
mod failover;

pub use failover::Failover;
pub use finder::{Finder, ModelsProbe, discover};
pub use report::{ProviderReport, ProviderState};
