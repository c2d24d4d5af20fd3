//! Why a request failed.

use memory::MemoryError;
use settings::{SecretError, SettingsError};
use vocabulary::{Stage, Trouble};

/// Why a request failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// To be told to the caller.
    Trouble(Trouble),
    /// The caller hung up.
    CallerGone,
}

impl Failure {
    /// A refusal that says everything in one sentence.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Trouble(Trouble::new(Stage::Memory, message, ""))
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        match error {
            // A refusal names what to do itself.
            MemoryError::Refused(refusal) => Self::refused(refusal.to_string()),
            error => Self::Trouble(error.trouble()),
        }
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        Self::Trouble(error.trouble())
    }
}

impl From<SecretError> for Failure {
    fn from(error: SecretError) -> Self {
        Self::Trouble(error.trouble())
    }
}

impl From<tokio::task::JoinError> for Failure {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Trouble(Trouble::from_error(Stage::Memory, &error, "Try again."))
    }
}
