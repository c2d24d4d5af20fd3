//! Everything that doors show: plain data with names of its own.

mod files; // of answers
mod location; // where the desktop says we are
mod models; // models, providers, choices
mod pulls; // models that servers fetch
mod tool_permissions; // which tools may run
mod tool_servers; // servers of tools

use serde::{Deserialize, Serialize};
use vocabulary::{ReplyEvent, Stage, Trouble};

pub use files::{DamagedFile, FileView};
pub use location::LocationView;
pub use models::{ChoiceView, ModelStatus, ModelView, ModelsView, ProviderView};
pub use pulls::{PullStatus, PullView};
pub use tool_permissions::{EffectName, PermissionName, ToolPermissionView};
pub use tool_servers::{PromptArgumentView, ServerPromptView, ToolServerState, ToolServerView};

/// A step of a reply, as programs read it: one JSON object a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ReplyView {
    /// More text: append it to what came before.
    Delta {
        /// The words to show.
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
    pub fn from_event(event: &ReplyEvent) -> Option<Self> {
        match event {
            ReplyEvent::Delta { text } => Some(Self::Delta { text: text.clone() }),
            ReplyEvent::Sentence { .. }
            | ReplyEvent::Progress { .. }
            | ReplyEvent::Note { .. }
            | ReplyEvent::ToolStarted { .. }
            | ReplyEvent::ToolFinished { .. }
            | ReplyEvent::Question(_)
            | ReplyEvent::QuestionSettled { .. }
            | ReplyEvent::Traced(_) => None,
            ReplyEvent::Failed(trouble) => Some(Self::Trouble(trouble.clone())),
            ReplyEvent::Done(response) => {
                let text = response.text.as_deref().cloned().unwrap_or_default();
                Some(Self::Done { text })
            }
        }
    }
}

/// The state of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It works.
    Ok,
    /// Jarvis works without it, but less well.
    Warning,
    /// Something does not work.
    Failure,
}

/// The finding about a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The part.
    pub stage: Stage,
    /// Its state.
    pub severity: Severity,
    /// The finding, in one sentence.
    pub message: String,
    /// The remedy; empty when it works.
    pub remedy: String,
}

impl Finding {
    pub(crate) fn ok(stage: Stage, message: impl Into<String>) -> Self {
        Self { stage, severity: Severity::Ok, message: message.into(), remedy: String::new() }
    }

    pub(crate) fn new(trouble: Trouble, severity: Severity) -> Self {
        Self { stage: trouble.stage, severity, message: trouble.message, remedy: trouble.remedy }
    }

    pub(crate) fn failure(trouble: Trouble) -> Self {
        Self::new(trouble, Severity::Failure)
    }
}
