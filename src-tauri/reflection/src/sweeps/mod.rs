//! Upkeep of the whole diary, started by the user: each sweep is a stream of events.
//!
//! A sweep stores nothing. Each event holds a row as it was and what is to become of it, so a caller that only shows
//! them has a preview, one that stores them can undo, and one that drops the stream stops between two rows.
//!
//! Source: behaviour reference, section 3.3.

mod deflections; // takes out what narrates the assistant's failings
mod tags; // makes one topic of several spellings

use jiff::civil::Date;
use memory::{MemoryError, UndoId};
use vocabulary::Private;

pub use deflections::{Cleaning, RefusedRewrite, clean_deflections, clean_rewrite_reply};
pub use tags::{Retagging, TagMapping, apply_topic_mapping, optimise_tags};

use crate::ReflectionError;

/// A row of the diary as it is before the sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiaryRow {
    /// Its id in the database.
    pub id: i64,
    /// Its day.
    pub date: Date,
    /// What happened.
    pub summary: Private<String>,
    /// Its topics, separated by commas.
    pub topics: Private<String>,
}

/// What happens during a sweep; `O` is what comes of a row.
#[derive(Debug)]
pub enum SweepEvent<O> {
    /// It begins.
    Started {
        /// How many rows there are.
        total: usize,
    },
    /// A row is done.
    Row {
        /// The row as it was: what to go back to.
        row: DiaryRow,
        /// What came of it.
        outcome: O,
        /// How many rows are done, this one counted.
        done: usize,
    },
    /// All rows are done.
    Finished {
        /// In how many something changed.
        changed: usize,
    },
    /// It was stopped; the rows told of are done.
    Aborted {
        /// In how many something changed.
        changed: usize,
    },
    /// What was done is stored; the end follows.
    Stored {
        /// To undo it.
        undo: UndoId,
        /// How many rows changed: those that others changed meanwhile stay as they are.
        changed: usize,
    },
    /// It could not begin, or not be stored: nothing changes, and this is the end.
    Failed(SweepError),
}

/// Why a sweep came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The answer held nothing that could be used, or would have emptied or mixed up the topics.
    #[error("the model's answer was no usable mapping")]
    Unusable,
    /// The model could not be asked.
    #[error("the model could not be asked")]
    Failed(#[from] ReflectionError),
    /// The diary could not be read or written.
    #[error("the diary could not be read or written")]
    Memory(#[from] MemoryError),
}

impl SweepError {
    /// A word for it that holds nothing of the diary: for events and logs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unusable => "unusable_answer",
            Self::Failed(error) => error.code(),
            Self::Memory(_) => "memory_failed",
        }
    }
}
