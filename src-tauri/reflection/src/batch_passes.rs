//! Batch passes over the whole diary, started by the user: each is a stream of events.
//!
//! A pass stores nothing. Each event contains a row and its proposed change. A caller can show the events as a preview, store
//! the changes so that they can be undone, or drop the stream to stop between two rows.
//!
//! Source: docs/behaviour/memory.md#clean-diary.

mod batch_pass; // what the passes have in common: start here
mod deflections; // removes narration of the assistant's failures
mod topics; // merges spellings of a topic

pub(crate) use batch_pass::{BatchPass, RowChange, run};
pub use batch_pass::{BatchPassError, BatchPassEvent, DiaryRow};
pub(crate) use deflections::DeflectionPass;
pub use deflections::{CleaningOutcome, RewriteRejection, clean_rewrite_reply};
pub use topics::{TopicMapping, TopicOutcome, apply_topic_mapping};
pub(crate) use topics::{TopicPass, redacted_topics};
