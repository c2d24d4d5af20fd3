//! The greeting before a request, and the limits of requests and responses.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Version of the protocol; it changes with every change of a request or a response.
pub(super) const PROTOCOL_VERSION: u32 = 2;

/// Longest request in bytes: far more than anybody types.
pub(super) const MAX_REQUEST_BYTES: usize = 1 << 20;

/// Longest response in bytes. The overview of a memory with 100,000 facts takes a third of it.
pub(super) const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// The time that the other side may take to greet and to send its request.
pub(super) const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that a caller may leave a response unread before it is dropped.
pub(super) const READING_TIMEOUT: Duration = Duration::from_secs(30);

/// The first line each way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Greeting {
    /// Version of the protocol.
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
