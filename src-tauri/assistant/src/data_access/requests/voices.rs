//! Requests about enrolled voices.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A request about enrolled voices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum VoicesRequest {
    /// All enrolled voices.
    List,
    /// Enrol a voice, in the place of one with the same name.
    Enrol {
        /// The name of its owner.
        name: String,
        /// WAV files with this voice only; none listens to the microphone.
        recordings: Vec<PathBuf>,
    },
    /// Remove a voice.
    Remove {
        /// The name of its owner.
        name: String,
    },
}

/// An answer about enrolled voices. The voices themselves never leave the process that owns the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum VoicesAnswer {
    /// A voice is enrolled.
    Voice {
        /// The name of its owner.
        name: String,
    },
    /// The microphone is open: the owner of the voice should speak.
    Listening,
}
