//! Reasons why a file was not listed, read or changed.

use std::io;

/// A reason why a file was not listed, read or changed. The texts are for the model.
#[derive(Debug, thiserror::Error)]
pub enum FileRefusal {
    /// An argument is missing or makes no sense.
    #[error("{0}")]
    BadRequest(String),
    /// There is nothing at this path.
    #[error("{path} is not there. List its folder to see what there is.")]
    NotFound {
        /// The path as it was asked for.
        path: String,
    },
    /// A file is needed.
    #[error("{path} is no file. Name a file.")]
    NoFile {
        /// The path as it was asked for.
        path: String,
    },
    /// The path leads out of the home folder.
    #[error(
        "Permission error: {path} is outside the home folder of the user, and only files in it may be used."
    )]
    OutsideHome {
        /// The path as it was asked for.
        path: String,
    },
    /// The path is one of passwords, keys or our own data.
    #[error(
        "Permission error: {path} may hold passwords, keys or private data of programs. Jarvis never uses it; say so."
    )]
    Secret {
        /// The path as it was asked for.
        path: String,
    },
    /// The system runs the file by itself.
    #[error(
        "Permission error: {path} is run when the user logs in or opens a terminal. Jarvis does not change it; say so."
    )]
    RunsByItself {
        /// The path as it was asked for.
        path: String,
    },
    /// The system does not allow it.
    #[error("Permission error: the system does not allow this with {path}.")]
    NotAllowed {
        /// The path as it was asked for.
        path: String,
    },
    /// The file is no text.
    #[error(
        "{path} is no text but data of a program, such as a picture or a document. Its words cannot be read."
    )]
    NoText {
        /// The path as it was asked for.
        path: String,
    },
    /// The file is too long for the change.
    #[error("{path} is too large: only files of up to {most_mb} MB are added to.")]
    TooLarge {
        /// The path as it was asked for.
        path: String,
        /// The most that is changed, in megabytes.
        most_mb: u64,
    },
    /// Somebody else changed the file at the same time.
    #[error("{path} was changed by another program at this moment. Nothing was done; try again.")]
    ChangedMeanwhile {
        /// The path as it was asked for.
        path: String,
    },
    /// The file cannot be moved to a trash.
    #[error("{path} could not be moved to the trash ({reason}), so nothing was done.")]
    NoTrash {
        /// The path as it was asked for.
        path: String,
        /// The reason that the system gives.
        reason: String,
    },
    /// No change was made since the program started.
    #[error(
        "There is no change of a file to undo: only changes that Jarvis made since it was started can be undone."
    )]
    NothingToUndo,
    /// The content before the last change was not kept.
    #[error(
        "The last change, of {path}, cannot be undone: the file was too large to keep a copy. If it was deleted, it is in the trash."
    )]
    NotKept {
        /// The path from the home folder on.
        path: String,
    },
    /// The file was changed after our change.
    #[error("{path} was changed again since, so undoing would lose that. Nothing was done.")]
    ChangedSince {
        /// The path from the home folder on.
        path: String,
    },
    /// The reply was stopped before the change was made.
    #[error("The user stopped it. Nothing was done.")]
    Stopped,
    /// The file system failed.
    #[error("{path} could not be used: {source}.")]
    Failed {
        /// The path as it was asked for.
        path: String,
        /// The failure.
        source: io::Error,
    },
}

/// The kinds of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// There is no such file.
    NotFound,
    /// It may not be used.
    Permission,
    /// The call makes no sense, or asks for something that cannot be done.
    BadRequest,
    /// It could not be done.
    Failed,
}

impl FileRefusal {
    /// The refusal for a failure of the file system at `path`.
    pub(super) fn new(path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotFound { path },
            io::ErrorKind::IsADirectory => Self::NoFile { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::NotAllowed { path },
            _ => Self::Failed { path, source },
        }
    }

    /// The kind of the refusal.
    pub fn kind(&self) -> RefusalKind {
        match self {
            Self::NotFound { .. } | Self::NoFile { .. } => RefusalKind::NotFound,
            Self::OutsideHome { .. }
            | Self::Secret { .. }
            | Self::RunsByItself { .. }
            | Self::NotAllowed { .. } => RefusalKind::Permission,
            Self::BadRequest(_) | Self::NoText { .. } | Self::TooLarge { .. } => RefusalKind::BadRequest,
            Self::ChangedMeanwhile { .. }
            | Self::NoTrash { .. }
            | Self::NothingToUndo
            | Self::NotKept { .. }
            | Self::ChangedSince { .. }
            | Self::Stopped
            | Self::Failed { .. } => RefusalKind::Failed,
        }
    }
}
