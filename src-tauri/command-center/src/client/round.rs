//! One round of tool calls.

use crate::response::ToolCall;
use crate::tool_result::{ToolResult, ToolRun};

/// The calls of one answer, run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ToolRound(Vec<(ToolCall, ToolRun)>);

impl ToolRound {
    /// Names and arguments: a round with the same ones as the round before leads nowhere.
    pub(super) fn signature(calls: &[ToolCall]) -> Vec<(String, String)> {
        calls.iter().map(|call| (call.name.clone(), call.raw_arguments.clone())).collect()
    }

    pub(super) fn push(&mut self, call: &ToolCall, run: ToolRun) {
        self.0.push((call.clone(), run));
    }

    /// One for each call, in order.
    pub(super) fn results(&self) -> Vec<ToolResult> {
        self.0.iter().map(|(call, run)| run.result(&call.id)).collect()
    }

    /// A tool expects the user to speak next.
    pub(super) fn waits_for_input(&self) -> bool {
        self.responses().any(|response| response.wait_for_input)
    }

    /// A tool ends the conversation.
    pub(super) fn clears_history(&self) -> bool {
        self.responses().any(|response| response.clear_history)
    }

    /// The sentence of a tool that waits for the user.
    pub(super) fn waiting_message(&self) -> Option<&str> {
        self.responses().filter(|response| response.wait_for_input).find_map(|response| response.message())
    }

    /// Returns `true` if nothing worked.
    pub(super) fn has_only_failures(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|(_, run)| !run.is_success())
    }

    /// The first call with an error, and the error.
    pub(super) fn first_error(&self) -> Option<(&ToolCall, &str)> {
        self.0.iter().find_map(|(call, run)| Some((call, run.error()?)))
    }

    /// The error of the last call.
    pub(super) fn last_error(&self) -> Option<&str> {
        self.0.last()?.1.error()
    }

    fn responses(&self) -> impl Iterator<Item = &crate::tool_result::CommandResponse> {
        self.0.iter().filter_map(|(_, run)| match run {
            ToolRun::Answered(response) => Some(response),
            _ => None,
        })
    }
}
