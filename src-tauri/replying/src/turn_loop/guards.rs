//! Which calls of the model run.
//!
//! Source: docs/behaviour/replying.md#turns.

use std::collections::VecDeque;

use llm::{Message, ToolCall};
use serde_json::Value;

/// The tool that ends the reply in silence. Always offered.
pub const STOP: &str = "stop";

/// The tool that finds more tools. Always offered.
pub const SEARCH: &str = "toolSearchTool";

/// The number of the latest successful calls that count as repeated. Source: docs/behaviour/replying.md#turns.
const REMEMBERED_CALLS: usize = 5;

/// Among how many of the latest messages the results of one tool are counted. Source: the same.
const LATEST_MESSAGES: usize = 10;

/// The number of results of one tool that is enough. Source: the same.
const ENOUGH_RESULTS: usize = 2;

/// The number of tools that a model is told about after a wrong name. Source: the same.
const NAMED_TOOLS: usize = 5;

/// Why a call does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallRefusal {
    /// No such tool is offered; these are.
    NotOffered(Vec<String>),
    /// The model has searched for tools often enough.
    EnoughSearches,
    /// The same call has succeeded, or runs already.
    Repeated,
    /// The tool has answered this often.
    EnoughResults(usize),
}

/// Decides which calls of one reply run.
#[derive(Debug)]
pub(super) struct CallGuards {
    tools: Vec<String>,
    searches_left: usize,
    /// Names and arguments of the latest successful calls.
    succeeded: VecDeque<(String, String)>,
}

impl CallGuards {
    /// Lets these tools be called, and so many searches for more.
    pub fn new(tools: Vec<String>, searches: usize) -> Self {
        Self { tools, searches_left: searches, succeeded: VecDeque::new() }
    }

    /// The tools that may be called, without the two that are always offered.
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    /// Returns `true` if the tool may be called.
    pub fn is_allowed(&self, name: &str) -> bool {
        name == STOP || name == SEARCH || self.tools.iter().any(|tool| tool == name)
    }

    /// Lets more tools be called.
    pub fn offer(&mut self, names: Vec<String>) {
        for name in names {
            if !self.is_allowed(&name) {
                self.tools.push(name);
            }
        }
    }

    /// Takes away the tools that may not be called any more, and returns them.
    pub fn withdraw(&mut self, is_allowed: impl Fn(&str) -> bool) -> Vec<String> {
        let (kept, withdrawn) =
            std::mem::take(&mut self.tools).into_iter().partition(|tool| is_allowed(tool));
        self.tools = kept;
        withdrawn
    }

    /// The calls of one answer, each with the reason why it does not run.
    pub fn judge(
        &mut self,
        calls: Vec<ToolCall>,
        messages: &[Message],
    ) -> Vec<(ToolCall, Option<CallRefusal>)> {
        let mut judged: Vec<(ToolCall, Option<CallRefusal>)> = Vec::new();
        for call in calls {
            let runs_already =
                judged.iter().any(|(other, refused)| refused.is_none() && is_same(other, &call));
            let refused = match runs_already {
                true => Some(CallRefusal::Repeated),
                false => self.refusal(&call, messages),
            };
            if call.name == SEARCH && refused.is_none() {
                self.searches_left -= 1;
            }
            judged.push((call, refused));
        }
        judged
    }

    fn refusal(&self, call: &ToolCall, messages: &[Message]) -> Option<CallRefusal> {
        if !self.is_allowed(&call.name) {
            let offered = self.tools.iter().take(NAMED_TOOLS).cloned().collect();
            return Some(CallRefusal::NotOffered(offered));
        }
        if call.name == SEARCH && self.searches_left == 0 {
            return Some(CallRefusal::EnoughSearches);
        }
        if self.has_succeeded(call) {
            return Some(CallRefusal::Repeated);
        }
        let of_tool = |message: &&Message| message.tool_name.as_ref() == Some(&call.name);
        let results = messages.iter().rev().take(LATEST_MESSAGES).filter(of_tool).count();
        // Searches have a limit of their own.
        (call.name != SEARCH && results >= ENOUGH_RESULTS).then_some(CallRefusal::EnoughResults(results))
    }

    /// Returns `true` if the same call was among the latest successful ones.
    pub fn has_succeeded(&self, call: &ToolCall) -> bool {
        self.succeeded.contains(&signature(call))
    }

    /// Remembers a successful call.
    pub fn remember(&mut self, call: &ToolCall) {
        self.succeeded.push_back(signature(call));
        if self.succeeded.len() > REMEMBERED_CALLS {
            self.succeeded.pop_front();
        }
    }
}

/// Returns `true` if two calls would do the same.
pub(super) fn is_same(one: &ToolCall, other: &ToolCall) -> bool {
    signature(one) == signature(other)
}

/// Name and arguments in a form that does not depend on the order of keys.
fn signature(call: &ToolCall) -> (String, String) {
    (call.name.clone(), canonical(&call.arguments))
}

fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key:?}:{}", canonical(value))).collect();
            fields.sort();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        value => value.to_string(),
    }
}
