//! What a dialogue with a model is made of.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vocabulary::ToolCallId;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The rules the model follows.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
}

impl Role {
    /// Its name on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// One message of a dialogue.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said; may be empty beside tool calls.
    pub content: String,
    /// What the model thought to itself before it spoke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// The tools the model asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that this message is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<ToolCallId>,
    /// The tool whose result this message is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
}

impl Message {
    /// Rules for the model.
    pub fn system(content: impl Into<String>) -> Self {
        Self::plain(Role::System, content)
    }

    /// What the person said.
    pub fn user(content: impl Into<String>) -> Self {
        Self::plain(Role::User, content)
    }

    /// What the model said.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::plain(Role::Assistant, content)
    }

    /// What the model said while it asked for tools.
    pub fn assistant_calls(content: impl Into<String>, tool_calls: Vec<ToolCall>) -> Self {
        Self { tool_calls, ..Self::plain(Role::Assistant, content) }
    }

    /// What a tool answered to `call`.
    pub fn tool_result(call: &ToolCall, content: impl Into<String>) -> Self {
        Self {
            tool_call_id: Some(call.id.clone()),
            tool_name: Some(call.name.clone()),
            ..Self::plain(Role::Tool, content)
        }
    }

    fn plain(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            thinking: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            tool_name: None,
        }
    }
}

impl std::fmt::Debug for Message {
    /// Hides the words: what is said never reaches a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Message")
            .field("role", &self.role)
            .field("chars", &self.content.chars().count())
            .field("tool_calls", &self.tool_calls)
            .field("tool_name", &self.tool_name)
            .finish_non_exhaustive()
    }
}

/// What the model asks for.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call.
    pub id: ToolCallId,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// Its arguments: always an object.
    pub arguments: Value,
}

impl std::fmt::Debug for ToolCall {
    /// Hides the arguments: they repeat what was said.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolCall").field("id", &self.id.0).field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_debug_output_shows_what_was_said() {
        let call = ToolCall {
            id: ToolCallId("call_0".into()),
            name: "get_weather".into(),
            arguments: json!({ "city": "Leeds" }),
        };
        let messages = [
            Message::user("my secret"),
            Message::assistant_calls("my secret", vec![call.clone()]),
            Message::tool_result(&call, "my secret"),
        ];

        let shown = format!("{messages:?}");

        assert!(shown.contains("get_weather"));
        assert!(!shown.contains("secret") && !shown.contains("Leeds"), "{shown}");
    }
}
