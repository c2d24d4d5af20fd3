//! JSON bodies of requests, read field by field so that every mistake is named.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::client_tool::ClientTool;
use super::request::NodeResponse;
use crate::ids::NodeConversationId;
use crate::tool_result::ToolResult;

/// The pseudo-tool by which a model asks the user. Source: the Command Center protocol.
pub(super) const REQUEST_VALIDATION: &str = "request_validation";

/// Most tools of a conversation. Source: our own limit; more would fill the prompt of any model.
const MAX_TOOLS: usize = 200;

/// A body, and the mistakes found in it so far.
pub(super) struct Body {
    fields: Map<String, Value>,
    mistakes: Vec<String>,
}

impl Body {
    /// The object of a body.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, NodeResponse> {
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => Ok(Self { fields, mistakes: Vec::new() }),
            Ok(_) => Err(NodeResponse::malformed(&["body: an object is expected".to_owned()])),
            Err(error) => Err(NodeResponse::malformed(&[format!("body: no JSON: {error}")])),
        }
    }

    fn mistake(&mut self, place: &str, reason: &str) {
        self.mistakes.push(format!("body -> {place}: {reason}"));
    }

    /// A field that is not null.
    fn present(&self, name: &str) -> Option<Value> {
        self.fields.get(name).filter(|value| !value.is_null()).cloned()
    }

    /// The conversation that the request belongs to.
    pub(super) fn conversation(&mut self) -> Option<NodeConversationId> {
        self.text("conversation_id").map(NodeConversationId)
    }

    /// A text that has to be there.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let value = self.optional_text(name);
        if value.is_none() && self.present(name).is_none() {
            self.mistake(name, "field required");
        }
        value
    }

    fn optional_text(&mut self, name: &str) -> Option<String> {
        match self.present(name)? {
            Value::String(text) => Some(text),
            _ => {
                self.mistake(name, "a text is expected");
                None
            }
        }
    }

    /// A list; an absent one is empty.
    fn list(&mut self, name: &str) -> Option<Vec<Value>> {
        match self.present(name)? {
            Value::Array(values) => Some(values),
            _ => {
                self.mistake(name, "a list is expected");
                None
            }
        }
    }

    /// The content, unless there is a mistake.
    pub(super) fn finish<T>(self, content: Option<T>) -> Result<T, NodeResponse> {
        match content {
            Some(content) if self.mistakes.is_empty() => Ok(content),
            _ => Err(NodeResponse::malformed(&self.mistakes)),
        }
    }
}

/// The body of a start.
pub(super) struct StartBody {
    pub conversation: NodeConversationId,
    pub timezone: Option<String>,
    pub tools: Vec<ClientTool>,
}

/// Reads a start. A tool with the name of one of our own is left out, with a warning in the log.
pub(super) fn read_start(mut body: Body, own_tools: &[String]) -> Result<StartBody, NodeResponse> {
    let conversation = body.conversation().filter(|id| !id.0.trim().is_empty());
    if conversation.is_none() && body.mistakes.is_empty() {
        body.mistake("conversation_id", "an id is expected");
    }
    let context = body.present("node_context");
    if context.as_ref().is_some_and(|context| !context.is_object()) {
        body.mistake("node_context", "an object is expected");
    }
    let timezone = context.as_ref().and_then(|context| context["timezone"].as_str());
    let timezone = timezone.filter(|name| jiff::tz::TimeZone::get(name).is_ok()).map(str::to_owned);
    let commands = body.list("available_commands").unwrap_or_default();
    let entries = body.list("client_tools").unwrap_or_default();
    if entries.len() > MAX_TOOLS {
        body.mistake("client_tools", &format!("at most {MAX_TOOLS} tools are allowed"));
    }
    let mut tools: Vec<ClientTool> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        match ClientTool::read(entry, &commands) {
            Ok(tool) if tool.name == REQUEST_VALIDATION || own_tools.contains(&tool.name) => {
                tracing::warn!(
                    tool = tool.name,
                    "a tool of a node has the name of one of ours and is left out"
                );
            }
            Ok(tool) => {
                tools.retain(|known| known.name != tool.name);
                tools.push(tool);
            }
            Err(reason) => body.mistake(&format!("client_tools -> {at}"), &reason),
        }
    }
    let start = conversation.map(|conversation| StartBody { conversation, timezone, tools });
    body.finish(start)
}

/// The body of a continue, in one of its two shapes or in both.
pub(super) struct ContinueBody {
    pub conversation: NodeConversationId,
    pub results: Vec<ToolResult>,
    pub validation_response: Option<String>,
}

impl ContinueBody {
    /// The SHA-256 of its content: the same for a request that is sent again.
    pub(super) fn digest(&self) -> [u8; 32] {
        Sha256::digest(json!([self.results, self.validation_response]).to_string()).into()
    }
}

/// Reads the results of calls, or the answer to a question.
pub(super) fn read_continue(mut body: Body) -> Result<ContinueBody, NodeResponse> {
    let conversation = body.conversation();
    let validation_response = body.optional_text("validation_response");
    let is_absent = body.present("tool_results").is_none() && body.present("validation_response").is_none();
    if is_absent {
        body.mistake("tool_results", "field required");
    }
    let mut results = Vec::new();
    for (at, entry) in body.list("tool_results").unwrap_or_default().into_iter().enumerate() {
        let place = |field: &str| format!("tool_results -> {at} -> {field}");
        match entry.get("tool_call_id").and_then(Value::as_str) {
            None => body.mistake(&place("tool_call_id"), "field required"),
            Some(id) => match entry.get("output") {
                None => body.mistake(&place("output"), "field required"),
                Some(output) => {
                    results.push(ToolResult { tool_call_id: id.to_owned(), output: output.clone() });
                }
            },
        }
    }
    let content =
        conversation.map(|conversation| ContinueBody { conversation, results, validation_response });
    body.finish(content)
}
