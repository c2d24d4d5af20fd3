//! Batch passes of the language model, and their steps.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use vocabulary::Private;

/// A batch pass of the language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassKind {
    /// Removes what the diary says about failures of the assistant.
    Deflections,
    /// Joins topics that differ in spelling only.
    Topics,
    /// Merges facts that say the same.
    Facts,
    /// Extracts facts from imported diary entries.
    Imported,
}

/// A step of a batch pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum PassAnswer {
    /// The pass begins.
    Started {
        /// The number of things that it goes through.
        total: usize,
    },
    /// A day of the diary is done.
    Day {
        /// The day of the diary that was read.
        day: Date,
        /// Its new text, or why it stays.
        outcome: DayOutcome,
        /// The number that are done.
        done: usize,
    },
    /// A node is done.
    Node {
        /// The name that a user sees.
        name: Private<String>,
        /// The number of facts that it had.
        facts_before: usize,
        /// Their outcome.
        outcome: NodeOutcome,
        /// The number of nodes that are done.
        done: usize,
    },
    /// An imported entry is done.
    Learned {
        /// The local day that it describes.
        day: Date,
        /// The number of new facts.
        facts: usize,
        /// Why it was not searched completely.
        error: Option<String>,
        /// The number that are done.
        done: usize,
    },
    /// Changes were stored; they can be undone for ten minutes.
    Stored {
        /// The number of days or nodes that changed.
        changed: usize,
    },
    /// The pass went through everything.
    Finished {
        /// The number of days that changed, or would change.
        changed: usize,
    },
    /// The pass was stopped; what it stored stays.
    Stopped {
        /// The number of days that had changed, or would have.
        changed: usize,
    },
}

/// The outcome of a pass for a day of the diary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayOutcome {
    /// It stays.
    Unchanged,
    /// Nothing would be left of it, so it stays.
    WouldBeEmpty,
    /// The model changed too much, so it stays.
    Refused,
    /// The model failed, so it stays.
    Failed(String),
    /// Its new text or topics.
    Changed(Private<String>),
}

/// The outcome of a pass for the facts of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeOutcome {
    /// They stay.
    Unchanged,
    /// They become this many.
    Merged(usize),
    /// They stay, for this reason.
    Kept(String),
}
