//! Errors of downloads, with remedies.

use std::io;
use std::path::PathBuf;

use net::NetError;
use vocabulary::{Stage, Trouble};

/// Why a download failed.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    /// The catalogue has no model with this id.
    #[error("the catalogue has no model named {id}")]
    UnknownModel {
        /// The requested id.
        id: String,
    },
    /// The catalogue has no download address for the file.
    #[error("no download address is known for {file}")]
    NotOffered {
        /// The path of the file.
        file: String,
    },
    /// The server could not be reached, or refused the request.
    #[error("{file} could not be downloaded")]
    Net {
        /// The path of the file.
        file: String,
        /// The error of the connection.
        source: NetError,
    },
    /// The disk has too little free space; detected before the download starts.
    #[error("the disk with {} has {} free, but {} are needed", folder.display(), format_bytes(*free), format_bytes(*needed))]
    NotEnoughSpace {
        /// The models folder.
        folder: PathBuf,
        /// Required bytes, including a reserve.
        needed: u64,
        /// Free bytes.
        free: u64,
    },
    /// The disk became full during the download.
    #[error("the disk became full while {} was written", path.display())]
    DiskFull {
        /// The file being written.
        path: PathBuf,
    },
    /// The models folder cannot be written to.
    #[error("{} could not be written", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The size announced by the server differs from the catalogue.
    #[error("{file} from {host} has {actual_bytes} bytes instead of {expected_bytes}")]
    WrongSize {
        /// The path of the file.
        file: String,
        /// The server it came from.
        host: String,
        /// The size in the catalogue.
        expected_bytes: u64,
        /// The announced size.
        actual_bytes: u64,
    },
    /// The checksum is wrong, also after a second download.
    #[error("{file} from {host} has the checksum {actual} instead of {expected}")]
    Corrupt {
        /// The path of the file.
        file: String,
        /// The server it came from.
        host: String,
        /// The expected checksum.
        expected: String,
        /// The actual checksum.
        actual: String,
    },
    /// Neither the catalogue nor the server has a checksum of the file.
    #[error("{host} publishes no checksum for {file}, so the file cannot be verified")]
    Unverifiable {
        /// The path of the file.
        file: String,
        /// The server.
        host: String,
    },
    /// The archive cannot be read, or does not contain the file.
    #[error("{file} could not be extracted from its archive")]
    BadArchive {
        /// The path of the file.
        file: String,
        /// The error of reading the archive.
        source: io::Error,
    },
    /// The download was stopped on request.
    #[error("the download was cancelled")]
    Cancelled,
}

impl DownloadError {
    /// The remedy, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            Self::UnknownModel { .. } => "Choose a model from the list of models.".into(),
            Self::NotOffered { .. } => "Choose another model, or copy the file into the models folder yourself.".into(),
            Self::Net { source, .. } if source.is_transient() => {
                "Check the internet connection and try again; the download will be resumed.".into()
            }
            Self::Net { .. } => "Try again later, or choose another model.".into(),
            Self::NotEnoughSpace { .. } | Self::DiskFull { .. } => {
                "Free some disk space or choose another models folder, then try again; the download will be resumed."
                    .into()
            }
            Self::Unwritable { path, .. } => {
                format!("Allow writing to {}, or choose another models folder.", path.display())
            }
            Self::WrongSize { .. } | Self::Corrupt { .. } => {
                "Try again later; the file on the server may be damaged.".into()
            }
            Self::Unverifiable { .. } | Self::BadArchive { .. } => "Choose another model.".into(),
            Self::Cancelled => "Start the download again to resume it.".into(),
        }
    }

    /// The error and its remedy as an event for the user.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Download, self, self.remedy())
    }

    /// Returns `true` if the cause is on this machine, so that another address would not help.
    pub(super) fn is_local_failure(&self) -> bool {
        matches!(
            self,
            Self::NotEnoughSpace { .. } | Self::DiskFull { .. } | Self::Unwritable { .. } | Self::Cancelled
        )
    }
}

/// A size for display: `491 MB`.
pub(crate) fn format_bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}
