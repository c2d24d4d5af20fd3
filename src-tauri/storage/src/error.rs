//! Errors of the database file, with their remedies.

use std::path::{Path, PathBuf};

use vocabulary::{Stage, Trouble};

use crate::key::{Fingerprint, KeyProblem};

/// Why the database could not be opened, read or written. `path` is the database, unless said otherwise.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are the same everywhere: the file, and the cause")]
pub enum StorageError {
    /// Another program holds the database.
    #[error("the database at {path} is in use by another program")]
    Locked { path: PathBuf },
    /// The disk has no room left.
    #[error("the disk that holds {path} is full")]
    DiskFull { path: PathBuf },
    /// The disk is failing, was unplugged, or a quota is used up.
    #[error("the disk that holds {path} could not be read or written")]
    DiskFails { path: PathBuf, source: rusqlite::Error },
    /// The user may not write to the database.
    #[error("the database at {path} may not be written to")]
    ReadOnly { path: PathBuf },
    /// The database is a dangling symlink.
    #[error("the database at {path} is a link that leads nowhere")]
    LinkToNothing { path: PathBuf },
    /// The file is damaged, or no database.
    #[error("the database at {path} is damaged")]
    Damaged { path: PathBuf },
    /// The database was written by a newer version of the program.
    #[error("the database at {path} was written by a newer version")]
    Newer { path: PathBuf },
    /// The file is encrypted, and its key is not in the keychain.
    #[error("the database at {path} is encrypted, and the keychain holds no key for it or is locked")]
    NoKey { path: PathBuf },
    /// The keychain holds a wrong key under the name of the right one.
    #[error("the database at {path} is encrypted with another key than the keychain holds under its name")]
    OtherKey { path: PathBuf },
    /// The keychain that should hold the key does not work.
    #[error("the keychain that holds the key of the database at {path} cannot be used")]
    NoKeychain { path: PathBuf, source: KeyProblem },
    /// The file should be encrypted, but the keychain cannot store a key.
    #[error("the keychain cannot store a key for the database at {path}")]
    KeyNotStored { path: PathBuf, source: KeyProblem },
    /// The memory was decrypted, but not all of its copies.
    #[error("the database at {path} is decrypted now, but some of its copies are still encrypted")]
    CopiesStayEncrypted { path: PathBuf, source: Box<StorageError> },
    /// The memory was decrypted, but the keychain still holds its key.
    #[error("the memory is decrypted now, but the keychain could not delete its key `{key}`")]
    KeyNotDeleted { key: Fingerprint, source: KeyProblem },
    /// The file needs encryption, which this program was built without.
    #[error("this build of Jarvis has no encryption, which the database at {path} needs")]
    NoEncryption { path: PathBuf },
    /// A file or folder beside the database cannot be created or used; `path` names it.
    #[error("the folder {path} cannot be used")]
    Folder { path: PathBuf, source: std::io::Error },
    /// Any other error of SQLite.
    #[error("the database failed")]
    Sqlite(#[source] rusqlite::Error),
    /// A bug ended the work; its transaction was rolled back.
    #[error("the database work ended in a panic")]
    Panicked,
    /// The database is already closed.
    #[error("the database is closed")]
    Closed,
}

/// Expresses an error of the file system as SQLite would, so that it is classified in one place.
pub(crate) fn as_sqlite_error(error: std::io::Error) -> rusqlite::Error {
    use std::io::ErrorKind::{
        AlreadyExists, NotADirectory, NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem,
        StorageFull,
    };
    let code = match error.kind() {
        StorageFull | QuotaExceeded => rusqlite::ffi::SQLITE_FULL,
        PermissionDenied | ReadOnlyFilesystem | NotFound | NotADirectory | AlreadyExists => {
            rusqlite::ffi::SQLITE_READONLY
        }
        _ => rusqlite::ffi::SQLITE_IOERR,
    };
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(error.to_string()))
}

impl StorageError {
    /// Classifies an error of SQLite about the database at `path`.
    pub fn from_sqlite(path: &Path, error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_path_buf();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { path },
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::SystemIoFailure) => Self::DiskFails { path, source: error },
            // `schema::migrate` reports newer files with this code; SQLite handles its own use of it.
            Some(ErrorCode::SchemaChanged) => Self::Newer { path },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::ReadOnly { path }
            }
            _ => Self::Sqlite(error),
        }
    }

    /// Returns `true` if the same can succeed later, once the cause is gone.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Locked { .. }
                | Self::DiskFull { .. }
                | Self::DiskFails { .. }
                | Self::ReadOnly { .. }
                | Self::LinkToNothing { .. }
        )
    }

    /// Returns `true` if the key is missing, not the file.
    pub fn is_about_the_key(&self) -> bool {
        matches!(
            self,
            Self::NoKey { .. } | Self::OtherKey { .. } | Self::NoKeychain { .. } | Self::KeyNotStored { .. }
        )
    }

    /// Returns the remedy for the user.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Locked { .. } => {
                "Close the other program that uses it; what is said meanwhile is kept and written then."
            }
            Self::DiskFull { .. } => "Free some space; what is said meanwhile is kept and written then.",
            Self::DiskFails { .. } => {
                "Check that the disk is connected and healthy, and that no quota is used up; what is said meanwhile is kept and written then."
            }
            Self::ReadOnly { .. } => {
                "Give yourself the right to write there; what is said meanwhile is kept and written then."
            }
            Self::LinkToNothing { .. } => {
                "Connect the disk that the link leads to; nothing was changed. Remove the link to start a new memory without it."
            }
            Self::Damaged { .. } => {
                "Start Jarvis: it sets the file aside and continues with the last backup."
            }
            Self::Newer { .. } => {
                "Update Jarvis, or move the file and its backups elsewhere to start a new memory."
            }
            Self::NoKey { .. } | Self::NoKeychain { .. } => {
                "Unlock the keychain, as logging in to your desktop does; nothing was changed. If the key is lost for good, move the file and its backups elsewhere to start a new memory."
            }
            Self::OtherKey { .. } => {
                "Restore the keychain that the file was encrypted with; nothing was changed. If the key is lost for good, move the file and its backups elsewhere to start a new memory."
            }
            Self::KeyNotStored { .. } => {
                "The memory was not encrypted. Start a keychain that can store its key, such as GNOME Keyring or KWallet, unlock it, and try again."
            }
            Self::CopiesStayEncrypted { .. } => {
                "Fix the cause and run `jarvis memory decrypt` again to decrypt the rest. The key is kept until then."
            }
            Self::KeyNotDeleted { .. } => {
                "The key is no longer needed: delete it in your keychain yourself; its name ends with the key above."
            }
            Self::NoEncryption { .. } => {
                "Use a build of Jarvis with encryption, as the usual ones are; nothing was changed. `jarvis memory decrypt` of that build decrypts the file."
            }
            Self::Folder { .. } => "Set JARVIS_HOME to a folder that Jarvis may write to.",
            Self::Sqlite(_) | Self::Panicked | Self::Closed => "Restart Jarvis; `jarvis doctor` tells more.",
        }
    }

    /// The error as the user reads it.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Memory, self, self.remedy())
    }
}
