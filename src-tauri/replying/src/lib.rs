//! Turns a query into an outgoing response.
//!
//! A [`vocabulary::Query`] comes in, a stream of [`vocabulary::ReplyEvent`]s goes out and ends in exactly one
//! [`vocabulary::OutgoingResponse`]. No sound, no window, no HTTP in here; the model is a port.
//!
//! Source: behaviour reference, section 2.

mod engine; // the flow of one reply: start here
mod config;
mod language; // the language of a reply
mod prompt; // system message, lines with the newest message
mod memory_retriever; // enrichment
mod asks_memory; // does a question ask for what was told?
mod function_words;
pub mod fast_path; // closed requests, without a model
pub mod context; // the line with time and place
pub mod tool_talk; // tool messages of earlier replies
mod scratch; // cache of one conversation
mod sentence_gate; // tokens to sentences, guarded
pub mod malformed; // malformed-output guard

pub use config::{ContextPosition, ReplyingConfig, ReplyingConfigError};
pub use engine::ReplyEngine;
pub use language::language_of_sentence;
pub use memory_retriever::{MIN_SIMILARITY, MemoryRetriever, RetrievedContext, time_named};
pub use prompt::system_message;
pub use scratch::Scratch;
pub use sentence_gate::{GateEvent, SentenceGate, sentences};
