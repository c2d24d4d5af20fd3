//! Messages in the shape of requests and answers.

use llm::{Message, Role, ToolCall, ToolCallId};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Messages without a role are answers of a model.
fn assistant() -> Role {
    Role::Assistant
}

/// A message in the shape of the requests.
#[derive(Clone, Deserialize)]
pub(super) struct WireMessage {
    #[serde(default = "assistant")]
    pub role: Role,
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<WireCall>>,
    tool_call_id: Option<ToolCallId>,
    tool_name: Option<String>,
    /// Some requests call the tool of a result so.
    name: Option<String>,
    #[serde(default)]
    tool_failed: bool,
    thinking: Option<String>,
}

#[derive(Clone, Deserialize)]
pub(super) struct WireCall {
    #[serde(default)]
    id: Option<String>,
    function: WireFunction,
}

#[derive(Clone, Deserialize)]
pub(super) struct WireFunction {
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// The message of a request.
pub(super) fn message(wire: WireMessage) -> Message {
    let calls = wire.tool_calls.unwrap_or_default().into_iter().map(|call| ToolCall {
        id: ToolCallId(call.id.unwrap_or_default()),
        name: call.function.name,
        arguments: call.function.arguments,
    });
    Message {
        role: wire.role,
        tool_calls: calls.collect(),
        tool_call_id: wire.tool_call_id,
        tool_name: wire.tool_name.or(wire.name),
        tool_failed: wire.tool_failed,
        thinking: wire.thinking,
        ..Message::user(wire.content.unwrap_or_default())
    }
}

/// The message in the shape of the answers.
pub(super) fn wire(message: &Message) -> Value {
    let mut fields = Map::new();
    fields.insert("role".into(), json!(message.role));
    fields.insert("content".into(), json!(message.content));
    if !message.tool_calls.is_empty() {
        let call = |call: &ToolCall| json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": call.arguments } });
        fields.insert("tool_calls".into(), message.tool_calls.iter().map(call).collect());
    }
    fields.extend(message.tool_call_id.as_ref().map(|id| ("tool_call_id".to_owned(), json!(id))));
    fields.extend(message.tool_name.as_ref().map(|name| ("tool_name".to_owned(), json!(name))));
    Value::Object(fields)
}
