//! Requests to forget, and their outcome.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use serde::Serialize;
use vocabulary::Private;

use crate::item::{ItemId, MemoryItem};

/// The id of an undo record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct UndoId(pub i64);

/// A request to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// These items.
    Items(Vec<ItemId>),
    /// Everything that contains these words as a phrase; if nothing does, everything that contains all of them.
    Words(Private<String>),
    /// The last message of the user, the answer, and everything entered on the lists since.
    LastThing,
    /// Everything said, written, learned and entered in a time span: microseconds since 1970 UTC.
    Span(Range<i64>),
    /// Everything said in a conversation. Entries on the lists stay: they are not linked to conversations.
    Conversation(String),
}

/// The choice whether forgetting can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// For ten minutes.
    Possible,
    /// Everything is deleted at once.
    Never,
}

/// The result of forgetting.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgetOutcome {
    /// Undoes it; `None` when it cannot be undone.
    pub undo: Option<UndoId>,
    /// The forgotten records, including those made of them.
    pub items: Vec<MemoryItem>,
    /// Facts that replace merged facts, of which only part of the evidence was forgotten.
    pub replacements: Vec<MemoryItem>,
    /// Copies that held some of it, were deleted, or could not be reached.
    pub copies: Vec<CopyReport>,
    /// `false`: the copies were not searched. The next maintenance deletes them.
    pub are_copies_done: bool,
    /// Merged facts among the items, which have other evidence too.
    pub(crate) lines: BTreeSet<ItemId>,
    /// Calls of tools that left the log, with their times.
    pub(crate) calls: Vec<(i64, i64)>,
}

impl ForgetOutcome {
    /// Number of tool calls that left the log.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }
}

/// The outcome of forgetting for a copy of the memory: a backup, or a file in quarantine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyReport {
    /// The file.
    pub path: PathBuf,
    /// The result for this copy.
    pub outcome: CopyOutcome,
}

/// The outcome of forgetting for a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOutcome {
    /// This many items were deleted from it.
    Forgot(usize),
    /// It could not be searched, so the copy was deleted.
    Deleted,
    /// It could not be opened and may still contain what was forgotten. It is tried again.
    OutOfReach {
        /// Its key is missing. Otherwise it is in use, cannot be read or written, or is of a newer version.
        lacks_key: bool,
    },
}

/// A request that some copies still have to carry out.
#[derive(Clone)]
pub(crate) struct ForgetRequest {
    pub what: Forget,
    pub forgotten: ForgetOutcome,
    pub copies: Vec<PathBuf>,
}
