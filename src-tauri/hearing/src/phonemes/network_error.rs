//! Failures of the networks.

use crate::speech_to_text::TranscribeError;

/// Why a network could not be run or is none of this kind.
pub(super) type NetworkError = Box<dyn std::error::Error + Send + Sync>;

/// A failed run as the port tells it.
pub(super) fn engine_error(error: NetworkError) -> TranscribeError {
    TranscribeError::Engine { reason: error.to_string() }
}
