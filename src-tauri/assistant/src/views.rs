//! What doors show: plain data with names of its own.

use serde::{Deserialize, Serialize};
use vocabulary::{ReplyEvent, Stage, Trouble};

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

/// How well a part works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It works.
    Well,
    /// Jarvis works without it, but less well.
    Lacking,
    /// Something does not work.
    Ill,
}

/// What an examination found about a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The part.
    pub stage: Stage,
    /// How well it works.
    pub verdict: Verdict,
    /// What was found, in one sentence.
    pub message: String,
    /// What to do about it; empty when it works.
    pub remedy: String,
}

impl Finding {
    pub(crate) fn well(stage: Stage, message: impl Into<String>) -> Self {
        Self { stage, verdict: Verdict::Well, message: message.into(), remedy: String::new() }
    }

    pub(crate) fn of(trouble: Trouble, verdict: Verdict) -> Self {
        Self { stage: trouble.stage, verdict, message: trouble.message, remedy: trouble.remedy }
    }

    pub(crate) fn ill(trouble: Trouble) -> Self {
        Self::of(trouble, Verdict::Ill)
    }
}
