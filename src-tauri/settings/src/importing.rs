//! Settings of other programs, read so that a user who comes from them keeps what they had set.
//!
//! Three kinds of file are known: the flat `config.json` of the older assistant of the same name, the `bridge_config.json` of
//! a bridge between Ollama and tool servers, and the common file with `mcpServers`. The keys, their types and defaults are those of the assistant that wrote the file.

mod import; // what a file means in our keys: start here
mod flat_config; // the older file, read with defaults
mod flat_keys; // its keys
mod bridge_config; // the language model of a bridge
mod tool_servers; // programs and addresses

pub use flat_config::FlatConfig;
pub use import::{Import, ImportError};
