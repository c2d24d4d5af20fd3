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
        /// The day.
        day: Date,
        /// Its new text, or why it stays.
        outcome: DayOutcome,
        /// How many are done.
        done: usize,
    },
    /// A node is done.
    Node {
        /// Its name.
        name: Private<String>,
        /// The number of facts that it had.
        facts_before: usize,
        /// What became of them.
        outcome: NodeOutcome,
        /// How many nodes are done.
        done: usize,
    },
    /// An imported entry is done.
    Learned {
        /// Its day.
        day: Date,
        /// How many facts are new.
        facts: usize,
        /// Why it was not searched completely.
        error: Option<String>,
        /// How many are done.
        done: usize,
    },
    /// Changes were stored; they can be undone for ten minutes.
    Stored {
        /// How many days or nodes changed.
        changed: usize,
    },
    /// The pass went through everything.
    Finished {
        /// How many days changed, or would change.
        changed: usize,
    },
    /// The pass was stopped; what it stored stays.
    Stopped {
        /// How many days had changed, or would have.
        changed: usize,
    },
}

/// What a pass made of a day of the diary.
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

/// What a pass made of the facts of a node.
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
