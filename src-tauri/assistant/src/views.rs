//! What crosses to the doors: plain data with names of its own.

use serde::{Deserialize, Serialize};
use vocabulary::{ReplyEvent, Trouble};

/// A step of a reply, as programs read it: one JSON object a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ReplyView {
    /// More text: append it to what came before.
    Delta {
        /// The text.
        text: String,
    },
    /// Something went wrong.
    Trouble(Trouble),
    /// The reply is complete.
    Done {
        /// All of its text.
        text: String,
    },
}

impl ReplyView {
    /// The view of an event, if it has one.
    pub fn of(event: &ReplyEvent) -> Option<Self> {
        match event {
            ReplyEvent::Delta { text } => Some(Self::Delta { text: text.clone() }),
            ReplyEvent::Sentence { .. }
            | ReplyEvent::Progress { .. }
            | ReplyEvent::ToolStarted { .. }
            | ReplyEvent::ToolFinished { .. }
            | ReplyEvent::Question(_)
            | ReplyEvent::QuestionSettled { .. } => None,
            ReplyEvent::Failed(trouble) => Some(Self::Trouble(trouble.clone())),
            ReplyEvent::Done(response) => {
                let text = response.text.as_deref().cloned().unwrap_or_default();
                Some(Self::Done { text })
            }
        }
    }
}
