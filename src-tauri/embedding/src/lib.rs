//! Embeddings of texts by a small local sentence model.
//!
//! [`InstalledEmbedder`] implements [`llm::Embedder`] and returns vectors of length 1. It loads the model on first
//! use and unloads it when idle. It knows no database, no language model and no prompt.

mod installed; // start here
mod model;

pub use installed::InstalledEmbedder;
