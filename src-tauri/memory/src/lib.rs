//! The records of the assistant: messages, diary, knowledge graph, lists.
//!
//! The records are kept in the SQLite file of `storage`; only these two crates use SQL. Texts come in redacted. There is no
//! model and no clock in here: texts, vectors and times are passed in.
//!
//! The functions for the file itself (backups, encryption, quarantine) and for private files are re-exported from `storage`.
//!
//! # Errors
//!
//! Every fallible function returns a [`MemoryError`]: the file could not be used, or the request was refused. A change
//! is made completely or not at all.

#![allow(clippy::missing_errors_doc, reason = "described above for all functions")]

mod service; // opens the database and keeps it open: start here
mod memory; // the handle to all records
mod item; // ids of records
mod records; // messages, diary, meals, appointments, to-dos
mod graph; // facts in a tree of nodes
mod search; // by words and by meaning
mod forgetting; // and undoing it
mod transfer; // export and import
mod hygiene; // finds and repairs inconsistencies
mod dialogue; // recent turns, and writing them down
mod error;

pub use dialogue::Dialogue;
pub use error::{MemoryError, Refusal};
pub use forgetting::request::{CopyOutcome, CopyReport, Forget, ForgetOutcome, Undo, UndoId};
pub use forgetting::request_changes::UndoneItem;
pub use forgetting::undo_records::UNDO_MICROS;
pub use graph::facts::{Evidence, Fact, FactId, FactStatus, LearnOutcome, NewFact};
pub use graph::merging::{Merge, MergedLine, TidyReport};
pub use graph::node_deletion::ChildNodes;
pub use graph::nodes::{Node, NodeEdit, decayed_score};
pub use graph::structure::{Branch, GraphAction, GraphChange, NodeId};
pub use graph::warm_profile::{WarmProfile, join_truncated};
pub use hygiene::Health;
pub use item::{InvalidItemId, ItemId, MemoryItem, RecordKind};
pub use memory::{Memory, OpenedMemory};
pub use records::appointments::{Appointment, AppointmentKind, AppointmentStatus, Repeats};
pub use records::calls::{CallFilter, LoggedCall, MAX_CALLS};
pub use records::days::Days;
pub use records::diary::{DiaryFilter, Entry, EntryId, NewEntry, PendingMessage, UnsearchedMessage, is_due};
pub use records::meals::Meal;
pub use records::messages::{
    Conversation, DialogueMessage, Message, MessageContent, NewMessage, Participant,
};
pub use records::todos::Todo;
pub use search::embeddings::{EmbeddedPassage, Passage};
pub use search::normalise::normalise;
pub use search::recall::{Recall, SearchHit, newest_first};
pub use search::words::terms;
pub use service::MemoryService;
pub use storage::private;
pub use storage::{
    Backup, CAN_ENCRYPT, DatabaseLocation, EncryptionReport, Fingerprint, Key, KeyProblem, KeyStore,
    Protection, Quarantined, StorageError, Store, backup_folder, backups, check, decrypt, encrypt,
    protection, quarantined, restore,
};
pub use transfer::archive::{Archive, ArchivedEntry, ArchivedFact, ArchivedMessage, ArchivedNode};
pub use transfer::importing::ImportCounts;
