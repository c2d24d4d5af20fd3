//! Answers about the memory.

use std::path::PathBuf;

use memory::LoggedCall;
use serde::{Deserialize, Serialize};

use super::outcomes::{BackupView, ForgetPreview, ForgottenView, ImportedView, MigratedView};
use super::passes::PassAnswer;
use super::records::{
    EntryDetails, FactDetails, ItemView, MemoryOverview, MessageDetails, NodeDetails, SearchHitView,
};

/// Answers about the memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", content = "of", rename_all = "snake_case")]
pub enum MemoryAnswer {
    /// One search hit; the best first.
    Hit(SearchHitView),
    /// Everything in short.
    Overview(MemoryOverview),
    /// A record that stands on a list.
    Item(ItemView),
    /// A message with its surroundings.
    Message(MessageDetails),
    /// A diary entry with its sources.
    Entry(EntryDetails),
    /// A fact with its evidence and history.
    Fact(FactDetails),
    /// A node with its facts and children.
    Node(NodeDetails),
    /// A fact was kept under this row.
    FactAdded {
        /// Its row.
        fact: i64,
        /// `false` when a fact with this text was there before.
        is_new: bool,
    },
    /// A call of a tool.
    Call(LoggedCall),
    /// The records that would be forgotten.
    ForgetPreview(ForgetPreview),
    /// The forgotten records.
    Forgotten(ForgottenView),
    /// The records that are as before.
    Undone(Vec<ItemView>),
    /// The additions of an import.
    Imported(ImportedView),
    /// A backup was made at this path.
    BackedUp(PathBuf),
    /// The backups there are.
    Backups {
        /// The folder they are in.
        folder: PathBuf,
        /// The newest first.
        backups: Vec<BackupView>,
    },
    /// A backup took the place of the memory, which is kept at this path, if there was one.
    Restored(Option<PathBuf>),
    /// The memory and its copies were encrypted or decrypted.
    Migrated(MigratedView),
    /// The damage was repaired.
    Repaired,
    /// A step of a batch pass.
    Pass(PassAnswer),
}
