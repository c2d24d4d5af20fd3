//! Tells how alike two texts are: a small sentence model on this machine.
//!
//! Texts come in through [`llm::Embedder`], vectors of length 1 go out. The model is loaded when it is first needed
//! and given back when idle. Knows no database, no language model, no prompt.

mod installed; // the task: start here
mod model;

pub use installed::InstalledEmbedder;
