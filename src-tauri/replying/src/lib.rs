//! Turns a query into an outgoing response.
//!
//! A [`vocabulary::Query`] comes in, a stream of [`vocabulary::ReplyEvent`]s goes out and ends in exactly one
//! [`vocabulary::OutgoingResponse`]. No sound, no window, no HTTP in here; the model is a port.
//!
//! Source: behaviour reference, section 2.

mod engine; // the flow of one reply: start here
mod config;
mod prompt; // what the model is told about itself
mod memory_retriever; // what memory adds
mod function_words; // is a question about the one who asks?
pub mod context; // the line with time and place
pub mod tool_talk; // messages of tools, and what is kept of them
mod scratch; // what was worked out for a conversation
mod sentence_gate; // tokens to sentences, guarded
pub mod malformed; // answers that are none

pub use config::{ContextPosition, ReplyingConfig, ReplyingConfigError};
pub use engine::ReplyEngine;
pub use memory_retriever::{MemoryRetriever, RELEVANT_LIKENESS, RetrievedContext, time_named};
pub use prompt::system_message;
pub use scratch::Scratch;
pub use sentence_gate::{GateEvent, SentenceGate, sentences};
