//! The outcome of a change of the memory, done or only looked at.

use std::path::PathBuf;

use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

use super::records::ItemView;

/// The records that would be forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForgetPreview {
    /// The records.
    pub items: Vec<ItemView>,
    /// Number of tool calls that would leave the log.
    pub calls: usize,
    /// Quarantined files that cannot be searched and would be deleted.
    pub unreadable_copies: Vec<PathBuf>,
    /// `true` if there are backups or quarantined files.
    pub has_copies: bool,
}

/// The forgotten records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForgottenView {
    /// The records.
    pub items: Vec<ItemView>,
    /// Number of tool calls that left the log.
    pub calls: usize,
    /// Records that were reworded, since they are known from other words too.
    pub reworded: Vec<ItemView>,
    /// The outcome for backups and quarantined files.
    pub copies: Vec<CopyView>,
    /// `false` when the copies wait for maintenance.
    pub are_copies_done: bool,
    /// `true` if it can be undone.
    pub can_be_undone: bool,
}

/// The outcome of forgetting for a backup or a quarantined file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CopyView {
    /// The file.
    pub path: PathBuf,
    /// The event.
    pub outcome: CopyOutcomeView,
}

/// The outcome of forgetting for a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyOutcomeView {
    /// This many records were removed from it.
    Forgot(usize),
    /// It could not be searched, so it was deleted.
    Deleted,
    /// It is encrypted and its key is not available.
    LacksKey,
    /// It is in use or cannot be written.
    Unwritable,
}

/// The number of records of each kind that an import added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedView {
    /// The number of messages.
    pub messages: usize,
    /// Diary entries.
    pub entries: usize,
    /// The number of nodes.
    pub nodes: usize,
    /// The number of facts.
    pub facts: usize,
    /// Meals, appointments and to-dos.
    pub others: usize,
}

/// A backup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BackupView {
    /// The file.
    pub path: PathBuf,
    /// When it was made, UTC.
    pub made_at: DateTime,
    /// Its size.
    pub bytes: u64,
}

/// The outcome of encrypting or decrypting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MigratedView {
    /// `false` when the memory was as wanted before.
    pub is_changed: bool,
    /// The number of changed copies.
    pub copies: usize,
    /// Damaged backups that were deleted.
    pub removed: Vec<PathBuf>,
    /// Copies that stay as they were.
    pub left: Vec<PathBuf>,
    /// Names of the keys that the keychain keeps.
    pub kept_keys: Vec<String>,
}
