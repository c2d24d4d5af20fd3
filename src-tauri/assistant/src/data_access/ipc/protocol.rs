//! The greeting before a request, and the limits of requests and responses.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use vocabulary::Answer;

/// Version of the lines on the socket; it changes with every change of a request or a response.
pub(super) const PROTOCOL_VERSION: u32 = 4;

/// Longest request in bytes: far more than anybody types.
pub(super) const MAX_REQUEST_BYTES: usize = 1 << 20;

/// Longest response in bytes. The largest file of an answer takes 70 MB in Base64, the overview of a memory with 100,000 facts
/// a fifth of it.
pub(super) const MAX_RESPONSE_BYTES: usize = 96 << 20;

/// The time that the other side may take to greet and to send its request.
pub(super) const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that a caller may leave a response unread before it is dropped.
pub(super) const READING_TIMEOUT: Duration = Duration::from_secs(30);

/// A line of a caller after its request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FollowUp {
    /// The answer to a question of the reply; an empty one declines.
    Answer(Answer),
    /// The rest is not needed. Any other line means the same.
    Cancel,
}

/// The first line each way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Greeting {
    /// Version of the lines on the socket.
    pub protocol: u32,
    /// Version of the program.
    pub program: String,
}

impl Greeting {
    /// The greeting of this program.
    pub fn ours() -> Self {
        Self { protocol: PROTOCOL_VERSION, program: env!("CARGO_PKG_VERSION").to_owned() }
    }
}
