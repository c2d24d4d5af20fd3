//! Files below the home folder of the user: listed, read, written, moved to the trash, and the last change undone.
//!
//! Secrets and our own data are refused, links are followed only if they stay in the home folder, and what a file says is
//! fenced: it comes from outside.
//!
//! Source: docs/behaviour/tools.md#files.

mod refusal; // why something was not done
mod secrets; // what nobody reads here
mod home_folder; // which path is meant, and whether it may be used
mod trash_bin; // the port to the trash
mod glob;
mod listing;
mod reading;
mod journal; // the last changes
mod changing;
mod parts;
mod local_files; // the tool
mod undo_file_change; // the tool

pub(crate) use changing::UndoneChange;
pub use journal::FileRequest;
pub use local_files::{FileOutcome, LocalFiles};
pub use parts::{FileParts, FileStore};
pub use refusal::{FileRefusal, RefusalKind};
pub use trash_bin::{NoTrash, SystemTrash, TrashBin};
pub use undo_file_change::UndoFileChange;
