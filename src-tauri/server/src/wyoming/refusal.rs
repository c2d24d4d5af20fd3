//! The reasons why an event gets no answer.

use std::io;

use serde_json::json;
use vocabulary::Trouble;

use super::event::Event;

/// An error as the client gets it.
pub(crate) struct Refusal {
    pub code: &'static str,
    pub text: String,
}

impl Refusal {
    pub fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    pub fn from_trouble(code: &'static str, trouble: &Trouble) -> Self {
        Self::new(code, format!("{} {}", trouble.message, trouble.remedy))
    }

    /// The event that tells it.
    pub fn into_event(self) -> Event {
        Event::new("error", json!({ "text": self.text, "code": self.code }))
    }
}

/// The reason why an event got no answer.
pub(super) enum Failure {
    Connection(io::Error),
    Refused(Refusal),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Connection(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
