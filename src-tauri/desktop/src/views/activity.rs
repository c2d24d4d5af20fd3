//! Events beside words: questions, tools, and what rings.

use serde::Serialize;
use ts_rs::TS;
use vocabulary::{Question, Ring, RingKind, ToolOutcome};

/// A question that a reply asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct QuestionView {
    /// Unique within its reply.
    pub id: u64,
    pub text: String,
    /// The answers to choose from; empty means free text.
    pub options: Vec<String>,
}

impl From<&Question> for QuestionView {
    fn from(question: &Question) -> Self {
        Self { id: question.id.0, text: question.text.clone(), options: question.options.clone() }
    }
}

/// The way a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum ToolOutcomeName {
    Succeeded,
    Failed,
    Denied,
}

impl From<ToolOutcome> for ToolOutcomeName {
    fn from(outcome: ToolOutcome) -> Self {
        match outcome {
            ToolOutcome::Succeeded => Self::Succeeded,
            ToolOutcome::Failed => Self::Failed,
            ToolOutcome::Denied => Self::Denied,
        }
    }
}

/// The thing that rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "lowercase")]
pub enum RingName {
    Timer,
    Alarm,
    Reminder,
}

/// A timer, alarm or reminder that rings, or waits for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RingView {
    /// Names it in commands.
    pub appointment: i64,
    pub kind: RingName,
    /// The sentence about it.
    pub text: String,
    /// The language of that sentence.
    pub language: String,
    /// When it was due, as RFC 3339 in UTC.
    pub due_at: String,
    pub is_missed: bool,
}

impl From<&Ring> for RingView {
    fn from(ring: &Ring) -> Self {
        let kind = match ring.kind {
            RingKind::Timer => RingName::Timer,
            RingKind::Alarm => RingName::Alarm,
            RingKind::Reminder => RingName::Reminder,
        };
        Self {
            appointment: ring.appointment,
            kind,
            text: ring.text.0.clone(),
            language: ring.language.code().to_owned(),
            due_at: ring.due_at.to_string(),
            is_missed: ring.is_missed,
        }
    }
}
