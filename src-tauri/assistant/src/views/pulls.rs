//! Models that servers fetch.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A model that an Ollama server fetches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PullView {
    /// Its name on the server.
    pub model: String,
    /// The address of the server.
    pub address: String,
    /// Its progress or its end.
    pub status: PullStatus,
}

/// The progress of a pull.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PullStatus {
    /// The server looks the model up.
    LookingUp,
    /// The server downloads it.
    Downloading {
        /// Bytes that the server has. Never falls.
        bytes: u64,
        /// Bytes of the parts that are known; grows when the server starts another one.
        total: u64,
        /// The share in per cent, 0 to 99. Never falls.
        percent: u8,
        /// Mean speed since the pull was started.
        bytes_per_sec: u64,
    },
    /// The server compares checksums and writes.
    Checking,
    /// The server has it.
    Done,
    /// It was cancelled; the server keeps the part that it has.
    Cancelled,
    /// The server does not have it.
    Failed {
        /// The event, as a sentence.
        what: String,
        /// The remedy, as a sentence.
        remedy: String,
    },
}

impl PullStatus {
    /// Returns `true` if the server does nothing more.
    pub fn is_over(&self) -> bool {
        match self {
            Self::LookingUp | Self::Downloading { .. } | Self::Checking => false,
            Self::Done | Self::Cancelled | Self::Failed { .. } => true,
        }
    }
}
