//! The SQLite file of the memory: opening, migrations, integrity, quarantine of damaged files, backups, encryption.
//!
//! One file, one writer thread, a pool of readers. `memory` stores its records in it; no other crate uses SQL.
//!
//! The tables are defined here, in `schema`, and not beside the code that reads them: the file has one `user_version`,
//! each migration touches several tables at once, and copies have to leave out some of them.
//!
//! The clock is read only to name files: quarantined files, and the backup made before a migration.
//! All functions that are not async block: call them from a blocking thread.
//!
//! # Errors
//!
//! Every fallible function returns a [`StorageError`], whose variants say what a person can do about it. Only
//! functions that leave something behind when they fail say so themselves.

#![allow(clippy::missing_errors_doc, reason = "said once, above")]

mod store; // the file: start here
mod schema;
pub mod notes; // small values about the file itself
mod location;
mod key;
mod copies; // backups and quarantined files: finding them
mod backup;
mod restore;
mod quarantine;
mod encryption;
mod files;
pub mod private; // files that only this user may read
mod error;

pub use copies::{Backup, backup_folder, backups, copies};
pub use encryption::{CAN_ENCRYPT, EncryptionReport, Protection, decrypt, encrypt, protection};
pub use error::StorageError;
pub use files::{drop_unfinished_backups, remove_with_logs};
pub use key::{Fingerprint, Key, KeyProblem, KeyStore};
pub use location::DatabaseLocation;
pub use quarantine::{Quarantined, quarantined};
pub use restore::restore;
pub use schema::NEWEST_VERSION;
pub use store::{OpenedStore, Prepare, Store, check, in_transaction, no_preparation};
