//! Why a model did not arrive, and what to do about it.

use std::io;
use std::path::PathBuf;

use net::NetError;
use vocabulary::{Stage, Trouble};

/// Why a model did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    /// No such id.
    #[error("the catalogue has no model named {id}")]
    UnknownModel {
        /// What was asked for.
        id: String,
    },
    /// The catalogue has no address for it on this platform.
    #[error("{file} is not offered for download")]
    NotOffered {
        /// The file.
        file: String,
    },
    /// The hub, or the way to it.
    #[error("{file} could not be downloaded")]
    Net {
        /// The file.
        file: String,
        /// What the connection said.
        source: NetError,
    },
    /// Known before the download begins.
    #[error("the disk of {} has {} free, and {} are needed", folder.display(), in_words(*free), in_words(*needed))]
    NotEnoughSpace {
        /// The models folder.
        folder: PathBuf,
        /// Bytes needed, with some to spare.
        needed: u64,
        /// Bytes free.
        free: u64,
    },
    /// It filled up while downloading.
    #[error("the disk filled up while {} was written", path.display())]
    DiskFull {
        /// The file being written.
        path: PathBuf,
    },
    /// The models folder cannot be written to.
    #[error("{} could not be written", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What arrived is not what was to arrive, twice.
    #[error("what {host} sends as {file} has the checksum {got} instead of {expected}")]
    Corrupt {
        /// The file.
        file: String,
        /// Who sent it.
        host: String,
        /// What it should have been.
        expected: String,
        /// What it was.
        got: String,
    },
    /// Neither the catalogue nor the hub says what the file has to be.
    #[error("{host} publishes no checksum for {file}, so it cannot be trusted")]
    Unverifiable {
        /// The file.
        file: String,
        /// Who offers it.
        host: String,
    },
    /// The archive is right, but what we need is not in it.
    #[error("{file} could not be taken out of its archive")]
    BadArchive {
        /// The file.
        file: String,
        /// What is wrong.
        source: io::Error,
    },
    /// Asked to stop.
    #[error("the download was cancelled")]
    Cancelled,
}

impl DownloadError {
    /// What the user can do about it, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            Self::UnknownModel { .. } => "Choose a model from the list of models.".into(),
            Self::NotOffered { .. } => "Choose another model, or put the file into the models folder.".into(),
            Self::Net { source, .. } if source.is_transient() => {
                "Check the connection to the internet and try again; it goes on where it stopped.".into()
            }
            Self::Net { .. } => "Try again later, or choose another model.".into(),
            Self::NotEnoughSpace { .. } | Self::DiskFull { .. } => {
                "Free some space, or set another models folder, and try again; it goes on where it stopped."
                    .into()
            }
            Self::Unwritable { path, .. } => {
                format!("Make sure that you may write to {}, or set another models folder.", path.display())
            }
            Self::Corrupt { .. } => "Try again later; the file at its source may have been damaged.".into(),
            Self::Unverifiable { .. } | Self::BadArchive { .. } => "Choose another model.".into(),
            Self::Cancelled => "Start it again to go on where it stopped.".into(),
        }
    }

    /// The same for the event stream.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Download, self, self.remedy())
    }

    /// Would another address end the same way?
    pub(super) fn is_about_us(&self) -> bool {
        matches!(
            self,
            Self::NotEnoughSpace { .. } | Self::DiskFull { .. } | Self::Unwritable { .. } | Self::Cancelled
        )
    }
}

/// Bytes for people: `491 MB`.
pub(crate) fn in_words(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}
