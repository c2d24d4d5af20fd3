//! What goes wrong with the database, and what a person can do about it.

use std::path::PathBuf;

use vocabulary::{Stage, Trouble};

use crate::item::ItemId;

/// Why something was not stored or found.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// Another program holds the database.
    #[error("the database at {path} is in use by another program")]
    Locked {
        /// The database.
        path: PathBuf,
    },
    /// No room is left on the disk.
    #[error("the disk that holds {path} is full")]
    DiskFull {
        /// The database.
        path: PathBuf,
    },
    /// The disk could not be read or written: it is failing, was taken out, or a quota is used up.
    #[error("the disk that holds {path} could not be read or written")]
    DiskFails {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The database may not be written to.
    #[error("the database at {path} may not be written to")]
    ReadOnly {
        /// The database.
        path: PathBuf,
    },
    /// Where the database should be is a link, and nothing where it leads.
    #[error("the database at {path} is a link that leads nowhere")]
    LinkToNothing {
        /// The link.
        path: PathBuf,
    },
    /// The file is damaged.
    #[error("the database at {path} is damaged")]
    Damaged {
        /// The database.
        path: PathBuf,
    },
    /// The database was written by a newer version of the program.
    #[error("the database at {path} was written by a newer version")]
    Newer {
        /// The database.
        path: PathBuf,
    },
    /// The file is encrypted, and nobody keeps a key.
    #[error("the database at {path} is encrypted, and the keychain holds no key for it or is locked")]
    NoKey {
        /// The database.
        path: PathBuf,
    },
    /// What is kept under the name of its key is another one.
    #[error("the database at {path} is encrypted with another key than the keychain holds under its name")]
    OtherKey {
        /// The database.
        path: PathBuf,
    },
    /// The keychain that should keep the key cannot be used.
    #[error("the keychain cannot be used, which keeps the key of the database at {path}")]
    NoKeychain {
        /// The database.
        path: PathBuf,
        /// What the keychain said.
        source: crate::key::KeyProblem,
    },
    /// The file shall be encrypted, and the keychain that should keep its key cannot be used.
    #[error("the keychain cannot keep a key for the database at {path}")]
    KeyNotKept {
        /// The database.
        path: PathBuf,
        /// What the keychain said.
        source: crate::key::KeyProblem,
    },
    /// The memory was made plain, and then a copy of it could not be.
    #[error("the database at {path} is plain now, but some of its copies are still encrypted")]
    CopiesStayEncrypted {
        /// The database.
        path: PathBuf,
        /// What went wrong with a copy.
        source: Box<MemoryError>,
    },
    /// The memory was made plain, and the keychain keeps a key that nothing needs any more.
    #[error("the memory is plain now, but the keychain could not forget its key `{key}`")]
    KeyNotForgotten {
        /// The key.
        key: crate::Fingerprint,
        /// What the keychain said.
        source: crate::key::KeyProblem,
    },
    /// The file is encrypted, or shall be, and this program was built without that.
    #[error("this build of Jarvis knows no encryption, which the database at {path} needs")]
    NoEncryption {
        /// The database.
        path: PathBuf,
    },
    /// The folder cannot be made or used.
    #[error("the folder {path} cannot be used")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Anything else that SQLite reports.
    #[error("the database failed")]
    Sqlite(#[source] rusqlite::Error),
    /// A bug ended the work; nothing of it was done.
    #[error("the database work ended in a panic")]
    Panicked,
    /// The database was closed already.
    #[error("the database is closed")]
    Closed,
    /// What was asked for makes no sense; nothing was changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Why a change was not made. Nothing of it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The root and its three branches.
    #[error("this node is part of the fixed structure and stays as it is")]
    Fixed,
    /// A node without a name.
    #[error("a node needs a name")]
    NoName,
    /// A fact, entry or item without words.
    #[error("there are no words in it")]
    NoWords,
    /// Nothing has this id.
    #[error("{0} does not exist; `jarvis memory show` and `jarvis memory search` list what does")]
    NoSuchItem(ItemId),
    /// No timer, alarm or reminder has this id.
    #[error("there is no timer, alarm or reminder {0}")]
    NoSuchAppointment(i64),
    /// Nothing to do has this id.
    #[error("there is nothing to do of the id {0}")]
    NoSuchTodo(i64),
    /// A node cannot be moved below itself.
    #[error("a node cannot be moved below itself")]
    BelowItself,
    /// The tree would be too deep.
    #[error("the tree would be deeper than {} levels", crate::graph::MAX_DEPTH)]
    TooDeep,
    /// Somebody changed or forgot it while a model was at work on it.
    #[error("what it was made of has changed meanwhile")]
    Outdated,
    /// Its time is over.
    #[error("there is nothing left to undo: it can be undone for ten minutes")]
    NothingToUndo,
    /// A vector of another model or of no length.
    #[error("the vector is not of the model that the memory is embedded with")]
    OtherModel,
    /// A file that is none of ours.
    #[error("{0}")]
    Unreadable(String),
}

/// Why a transaction was given up.
#[derive(Debug)]
pub(crate) enum Failure {
    Sqlite(rusqlite::Error),
    Refused(Refusal),
}

/// What a transaction comes to.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What the system says of a file, as SQLite would: what to do about it is the same.
pub(crate) fn of_system(error: std::io::Error) -> rusqlite::Error {
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

impl MemoryError {
    /// Sorts what SQLite reports.
    pub(crate) fn of(path: &std::path::Path, failure: impl Into<Failure>) -> Self {
        use rusqlite::ErrorCode;
        let error = match failure.into() {
            Failure::Sqlite(error) => error,
            Failure::Refused(refusal) => return Self::Refused(refusal),
        };
        let path = path.to_path_buf();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { path },
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::SystemIoFailure) => Self::DiskFails { path, source: error },
            // As `schema::bring_up` says it; SQLite itself mends this one.
            Some(ErrorCode::SchemaChanged) => Self::Newer { path },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::ReadOnly { path }
            }
            _ => Self::Sqlite(error),
        }
    }

    /// Can the same work later, once the cause is gone?
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

    /// Is it the key that is missing, not the file?
    pub fn is_about_the_key(&self) -> bool {
        matches!(
            self,
            Self::NoKey { .. } | Self::OtherKey { .. } | Self::NoKeychain { .. } | Self::KeyNotKept { .. }
        )
    }

    /// What the user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Locked { .. } => {
                "Close the other program that uses it; what is said meanwhile is kept and written then."
            }
            Self::DiskFull { .. } => "Free some space; what is said meanwhile is kept and written then.",
            Self::DiskFails { .. } => {
                "See that the disk is there and in order, and that no quota is used up; what is said meanwhile is kept and written then."
            }
            Self::ReadOnly { .. } => {
                "Give yourself the right to write there; what is said meanwhile is kept and written then."
            }
            Self::LinkToNothing { .. } => {
                "Connect the disk that the link leads to; nothing was changed. Remove the link to begin anew without it."
            }
            Self::Damaged { .. } => "Start Jarvis: it sets the file aside and goes on from the last backup.",
            Self::Newer { .. } => {
                "Update Jarvis, or move the file and its backups elsewhere to begin a new memory."
            }
            Self::NoKey { .. } | Self::NoKeychain { .. } => {
                "Unlock the keychain, as logging in to your desktop does; nothing was changed. If the key is lost for good, move the file and its backups elsewhere to begin a new memory."
            }
            Self::OtherKey { .. } => {
                "Bring back the keychain that it was encrypted with; nothing was changed. If the key is lost for good, move the file and its backups elsewhere to begin a new memory."
            }
            Self::KeyNotKept { .. } => {
                "The memory was not encrypted. Start a keychain that keeps its key, such as GNOME Keyring or KWallet, unlock it, and try again."
            }
            Self::CopiesStayEncrypted { .. } => {
                "Mend what went wrong and run `jarvis memory decrypt` again: it does what is left. The key is kept until then."
            }
            Self::KeyNotForgotten { .. } => {
                "Nothing needs the key any more: delete it in your keychain yourself, where its name ends so."
            }
            Self::NoEncryption { .. } => {
                "Use a build of Jarvis with encryption, as the usual ones are; nothing was changed. `jarvis memory decrypt` there makes the file plain."
            }
            Self::Folder { .. } => "Set JARVIS_HOME to a folder that Jarvis may write to.",
            Self::Sqlite(_) | Self::Panicked | Self::Closed => "Restart Jarvis; `jarvis doctor` tells more.",
            Self::Refused(_) => "Nothing was changed; ask for something else.",
        }
    }

    /// The same for the user's screen.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Memory, self, self.remedy())
    }
}
