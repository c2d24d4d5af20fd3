//! A request as a door passes it in, and the answer to it.

use serde::Serialize;
use serde_json::{Value, json};

use crate::bodies::{Detail, MalformedBody};

/// A request of a node.
#[derive(Debug, Clone, Default)]
pub struct NodeRequest {
    /// In capitals.
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names in any case.
    pub headers: Vec<(String, String)>,
    /// One byte more than [`MAX_REQUEST_BYTES`](crate::MAX_REQUEST_BYTES) is enough.
    pub body: Vec<u8>,
}

impl NodeRequest {
    /// The first header with this name.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeResponse {
    /// The status of HTTP.
    pub status: u16,
    /// Always JSON.
    pub body: Value,
}

impl NodeResponse {
    pub(super) fn new(status: u16, body: impl Serialize) -> Self {
        Self { status, body: json!(body) }
    }

    /// An error in words.
    pub(super) fn detail(status: u16, words: &str) -> Self {
        Self::new(status, Detail { detail: words.to_owned() })
    }

    /// The envelope of a malformed request.
    pub(super) fn malformed(details: &[String]) -> Self {
        Self::new(400, MalformedBody::new(details.to_vec()))
    }

    /// The answer of the route with a stream: 202 says that it is no sound, and an unknown conversation is 400 there.
    pub(super) fn into_stream_answer(self) -> Self {
        let status = match self.status {
            200 => 202,
            422 => 400,
            other => other,
        };
        Self { status, ..self }
    }
}
