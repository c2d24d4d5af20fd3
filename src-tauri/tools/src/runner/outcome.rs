//! The way a call ended.

use std::time::Duration;

use llm::{ToolCall, ToolCallId};
use serde_json::{Map, Value};
use vocabulary::{Private, ToolOutcome};

use crate::tool_result::ToolResult;

/// The way a call ended, and what the model reads about it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallOutcome {
    /// The call that was made.
    pub call: ToolCallId,
    /// The tool, as the model named it.
    pub tool: String,
    /// The arguments that the tool got: repaired and checked. As the model wrote them where that failed.
    pub arguments: Private<Map<String, Value>>,
    /// The way it ended.
    pub status: CallStatus,
    /// The result, with a text in any case but a success without words.
    pub result: ToolResult,
    /// The time that the tool ran.
    pub elapsed: Duration,
}

/// The way a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallStatus {
    /// The tool did what was asked.
    Done,
    /// The tool could not do it.
    Failed,
    /// There is no such tool.
    UnknownTool,
    /// The arguments do not fit the schema.
    InvalidArguments,
    /// The settings forbid it.
    Denied,
    /// The user said no.
    Declined,
    /// The user had to agree and did not answer.
    Unanswered,
    /// The tool took too long.
    TimedOut,
    /// The reply was stopped.
    Stopped,
    /// The tool has a bug.
    Panicked,
}

impl CallStatus {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Done,
        Self::Failed,
        Self::UnknownTool,
        Self::InvalidArguments,
        Self::Denied,
        Self::Declined,
        Self::Unanswered,
        Self::TimedOut,
        Self::Stopped,
        Self::Panicked,
    ];

    /// Its name in logs and traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::UnknownTool => "unknown tool",
            Self::InvalidArguments => "invalid arguments",
            Self::Denied => "denied",
            Self::Declined => "declined",
            Self::Unanswered => "unanswered",
            Self::TimedOut => "timed out",
            Self::Stopped => "stopped",
            Self::Panicked => "panicked",
        }
    }

    /// The same in the words of a reply's events.
    pub fn tool_outcome(self) -> ToolOutcome {
        match self {
            Self::Done => ToolOutcome::Succeeded,
            Self::Denied | Self::Declined | Self::Unanswered => ToolOutcome::Denied,
            _ => ToolOutcome::Failed,
        }
    }
}

impl CallOutcome {
    /// A call that did not reach its tool, or did not come back from it.
    pub(super) fn without_result(
        call: &ToolCall,
        arguments: Map<String, Value>,
        status: CallStatus,
        text: String,
    ) -> Self {
        Self {
            call: call.id.clone(),
            tool: call.name.clone(),
            arguments: Private(arguments),
            status,
            result: ToolResult::failed(text),
            elapsed: Duration::ZERO,
        }
    }

    /// Writes the outcome to the span of the call.
    pub(super) fn record(&self) {
        tracing::Span::current().record("outcome", self.status.as_str());
        tracing::info!(elapsed_ms = self.elapsed.as_millis() as u64, "the tool call ended");
    }
}
