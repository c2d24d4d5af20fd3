//! Batch passes over the whole diary, started by the user: each is a stream of events.
//!
//! A pass stores nothing. Each event holds a row as it was and its proposed change, so a caller that only shows them has a
//! preview, one that stores them can undo, and one that drops the stream stops between two rows.
//!
//! Source: behaviour reference, section 3.3.

mod batch_pass; // what the passes have in common: start here
mod deflections; // removes narration of the assistant's failures
mod tags; // merges spellings of a topic

pub(crate) use batch_pass::{BatchPass, RowChange};
pub use batch_pass::{DiaryRow, SweepError, SweepEvent};
pub(crate) use deflections::DeflectionPass;
pub use deflections::{Cleaning, RefusedRewrite, clean_deflections, clean_rewrite_reply};
pub(crate) use tags::TagPass;
pub use tags::{Retagging, TagMapping, apply_topic_mapping, optimise_tags};
