//! Requests about the memory.

mod answers; // what is answered
mod outcomes; // what a change did
mod passes; // steps of a batch pass
mod records; // records as doors show them
mod item_id; // ids on the wire

use std::path::PathBuf;

use jiff::civil::Date;
use memory::{CallFilter, ItemId, LoggedCall, RecordKind};
use serde::{Deserialize, Serialize};
use vocabulary::Private;

pub use answers::MemoryAnswer;
pub use outcomes::{
    BackupView, CopyOutcomeView, CopyView, ForgetPreview, ForgottenView, ImportedView, MigratedView,
};
pub use passes::{DayOutcome, NodeOutcome, PassAnswer, PassKind};
pub use records::{
    ConversationView, EntryDetails, EntryView, EvidenceView, FactDetails, FactView, ItemView, MemoryOverview,
    MessageDetails, MessageView, NodeDetails, NodeView, PastFact, SearchHitView, TreeNode,
};

/// A request about the memory. Paths are absolute: the owner may run in another folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum MemoryRequest {
    /// Find what was said, written and learned.
    Search {
        /// The words to look for; empty lists the newest.
        words: Private<String>,
        /// Only these kinds; empty means all.
        kinds: Vec<RecordKind>,
        /// Only these days.
        days: DayRange,
        /// The most hits.
        limit: usize,
    },
    /// Everything in short.
    Overview,
    /// One record with all that is known about it.
    Show {
        /// The record.
        #[serde(with = "item_id")]
        id: ItemId,
    },
    /// Replace the text of a fact; the old one becomes its history.
    CorrectFact {
        /// Row of the fact.
        fact: i64,
        /// The new text.
        text: Private<String>,
    },
    /// Rewrite a day of the diary.
    RewriteEntry {
        /// Row of the entry.
        entry: i64,
        /// The new summary, if it changes.
        summary: Option<Private<String>>,
        /// The new topics with commas between them, if they change.
        topics: Option<Private<String>>,
    },
    /// Change a node of the knowledge graph.
    EditNode {
        /// Row of the node.
        node: i64,
        /// The new name, if it changes.
        name: Option<Private<String>>,
        /// The new description, if it changes.
        description: Option<Private<String>>,
        /// The node to move it below, if it moves.
        parent: Option<i64>,
    },
    /// Keep a fact that the user states now.
    AddFact {
        /// Row of the node it belongs in.
        node: i64,
        /// The fact, in one sentence.
        text: Private<String>,
    },
    /// Mark a fact as no longer true.
    RetractFact {
        /// Row of the fact.
        fact: i64,
    },
    /// Lists the records that a [`MemoryRequest::Forget`] of the same scope would forget. Changes nothing.
    PreviewForget {
        /// The records that are meant.
        scope: ForgetScope,
    },
    /// Forget records and everything derived from them, in the backups too.
    Forget {
        /// The records that are meant.
        scope: ForgetScope,
        /// It cannot be undone.
        is_for_good: bool,
    },
    /// Undo the last forgetting or edit of the last ten minutes.
    Undo,
    /// Write everything to readable files.
    Export {
        /// A new folder or file.
        path: PathBuf,
        /// One compressed file instead of a folder.
        as_archive: bool,
    },
    /// Take in an export or a database of an earlier assistant (docs/behaviour/memory.md#import).
    Import {
        /// The folder or file.
        path: PathBuf,
    },
    /// Make a backup.
    BackUp,
    /// The backups there are, the newest first.
    ListBackups,
    /// Replace the memory by a backup. Refused while a Jarvis uses it.
    Restore {
        /// The backup.
        path: PathBuf,
    },
    /// Encrypt the memory and its copies. Refused while a Jarvis uses it.
    Encrypt,
    /// Decrypt the memory and its copies. Refused while a Jarvis uses it.
    Decrypt,
    /// Examine the memory, repair it, drop expired undo data, and make a backup.
    Maintain {
        /// Only examine.
        is_check_only: bool,
    },
    /// Examine the memory; the findings of `jarvis doctor memory`.
    Examine {
        /// Repair what is not in order.
        repairs: bool,
    },
    /// List calls of tools, the newest first.
    ListCalls {
        /// The calls to list. Its span gives way to the days.
        filter: CallFilter,
        /// Only calls of these days.
        days: DayRange,
        /// The most entries.
        limit: usize,
    },
    /// Keep a call of a tool that another process made.
    LogCall {
        /// The call, redacted.
        call: LoggedCall,
    },
    /// Count the messages, to tell that the memory is sound; the finding of `jarvis doctor`.
    Check,
    /// Have the language model go through the memory.
    RunPass {
        /// Which pass.
        kind: PassKind,
        /// Change nothing.
        is_preview: bool,
    },
}

/// Days in the user's time zone, both included; without a bound there is none on that side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayRange {
    /// The first day.
    pub from: Option<DayBound>,
    /// The last day.
    pub to: Option<DayBound>,
}

/// A day, named by its date or counted from today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayBound {
    /// This date.
    On(Date),
    /// This many days before today.
    DaysAgo(i32),
}

/// The scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForgetScope {
    /// These records.
    Items(#[serde(with = "item_id::list")] Vec<ItemId>),
    /// Everything that contains these words as a phrase, or all of them if nothing contains the phrase.
    Words(Private<String>),
    /// The user's last message and the answer.
    LastThing,
    /// Everything of these days.
    Days(DayRange),
    /// Everything said in this conversation.
    Conversation(String),
}
