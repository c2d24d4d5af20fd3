//! Errors of settings and secrets, with their remedies.

use std::io;
use std::path::PathBuf;

use vocabulary::{Stage, Trouble};

use crate::BadValue;

/// Why settings were not read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file is there but cannot be read.
    #[error("the settings at {path} could not be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("the settings at {path} could not be saved")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// There is no such key.
    #[error("there is no setting named {path}")]
    UnknownKey {
        /// As it was written.
        path: String,
    },
    /// The value does not fit its key.
    #[error(transparent)]
    BadValue(BadValue),
}

impl SettingsError {
    /// The same for the user's screen.
    pub fn trouble(&self) -> Trouble {
        let remedy = match self {
            Self::Unreadable { .. } | Self::Unwritable { .. } => {
                "Check the rights of the file and its folder."
            }
            Self::UnknownKey { .. } => "`jarvis settings list` names them all.",
            Self::BadValue(_) => "Nothing was changed.",
        };
        Trouble::from_error(Stage::Settings, self, remedy)
    }
}

/// Why a secret was not stored or found.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The system has no keychain, or none that we can reach.
    #[error("this system has no keychain that Jarvis can reach")]
    NoKeychain {
        /// The error of the system.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The keychain is there but locked.
    #[error("the keychain is locked")]
    Locked {
        /// The error of the system.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The keychain failed.
    #[error("the keychain failed")]
    Failed {
        /// The error of the system.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl SecretError {
    /// Returns the remedy for the user.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoKeychain { .. } => {
                "Install and start a keychain (on Linux gnome-keyring or KWallet, within a desktop session); secrets are never written to a file."
            }
            Self::Locked { .. } => {
                "Unlock it, by logging in to the desktop or with its own program, and try again."
            }
            Self::Failed { .. } => "Try again; restart the keychain if it keeps failing.",
        }
    }

    /// The same for the user's screen.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Keychain, self, self.remedy())
    }
}
