//! What is to be forgotten, and what came of it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use serde::Serialize;
use vocabulary::Private;

use crate::item::{ItemId, MemoryItem};

/// Names something that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct UndoId(pub i64);

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// These things.
    Items(Vec<ItemId>),
    /// Everything in which these words stand one after the other; where nothing has them so, everything that has all.
    Words(Private<String>),
    /// What the user said last, the answer, and what was entered on the lists since.
    LastThing,
    /// Everything said, written, learned and entered in this time: microseconds since 1970 UTC.
    Span(Range<i64>),
    /// Everything said in a conversation. What it put on the lists stays: they know of no conversation.
    Conversation(String),
}

/// Can it be undone?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// For ten minutes.
    Possible,
    /// It is gone at once.
    Never,
}

/// What was forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct Forgotten {
    /// To undo it; `None` when it cannot be.
    pub undo: Option<UndoId>,
    /// What was forgotten, and what was made of it.
    pub items: Vec<MemoryItem>,
    /// What stands in the place of facts that were worded from what was forgotten and from other things.
    pub instead: Vec<MemoryItem>,
    /// Backups and files set aside that held some of it, are gone, or could not be reached.
    pub copies: Vec<Copied>,
    /// `false`: the copies are still to be searched. They are removed at the next upkeep.
    pub are_copies_done: bool,
    /// Those of the items that others still bear witness to.
    pub(crate) lines: BTreeSet<ItemId>,
}

/// A copy of the memory: a backup, or a file that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    pub outcome: CopyOutcome,
}

/// What became of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOutcome {
    /// It forgot so many things.
    Forgot(usize),
    /// It could not be searched, so it was deleted.
    Deleted,
    /// It could not be reached, so it may hold it still; it is tried again.
    OutOfReach {
        /// Nobody gives its key. Otherwise it is in use, cannot be read or written, or is of a newer version.
        lacks_key: bool,
    },
}

/// What copies still have to forget.
#[derive(Clone)]
pub(crate) struct ForgetRequest {
    pub what: Forget,
    pub forgotten: Forgotten,
    pub copies: Vec<PathBuf>,
}
