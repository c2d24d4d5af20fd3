//! What goes wrong with the database, and what a person can do about it.

use std::path::PathBuf;

use vocabulary::{Stage, Trouble};

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
    /// The database may not be written to.
    #[error("the database at {path} may not be written to")]
    ReadOnly {
        /// The database.
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
    /// The database was closed already.
    #[error("the database is closed")]
    Closed,
}

impl MemoryError {
    /// Sorts what SQLite reports.
    pub(crate) fn of(path: &std::path::Path, error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_path_buf();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { path },
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::ReadOnly { path }
            }
            _ => Self::Sqlite(error),
        }
    }

    /// Can the same work later, once the cause is gone?
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Locked { .. } | Self::DiskFull { .. } | Self::ReadOnly { .. })
    }

    /// What the user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Locked { .. } => {
                "Close the other program that uses it; what is said meanwhile is kept and written then."
            }
            Self::DiskFull { .. } => "Free some space; what is said meanwhile is kept and written then.",
            Self::ReadOnly { .. } => {
                "Give yourself the right to write there; what is said meanwhile is kept and written then."
            }
            Self::Damaged { .. } => "Start Jarvis: it sets the file aside and begins a new one.",
            Self::Newer { .. } => "Update Jarvis, or move the file aside to begin a new memory.",
            Self::Folder { .. } => "Set JARVIS_HOME to a folder that Jarvis may write to.",
            Self::Sqlite(_) | Self::Closed => "Restart Jarvis; `jarvis doctor` tells more.",
        }
    }

    /// The same for the user's screen.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Memory, self, self.remedy())
    }
}
