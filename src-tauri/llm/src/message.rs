//! Messages of a dialogue with a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use vocabulary::ToolCallId;

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions for the model.
    System,
    /// Words of the user.
    User,
    /// The model.
    Assistant,
    /// A tool, with its result.
    Tool,
}

impl Role {
    /// The name of the role in all wire formats.
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
    /// The author.
    pub role: Role,
    /// The text; may be empty if there are tool calls.
    pub content: String,
    /// The thinking of the model before the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// The tool calls of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Of a tool result: the id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<ToolCallId>,
    /// Of a tool result: the name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// Of a tool result: the tool did not do what was asked. Providers are not told.
    #[serde(skip)]
    pub tool_failed: bool,
}

impl Message {
    /// A system message.
    pub fn system(content: impl Into<String>) -> Self {
        Self::plain(Role::System, content)
    }

    /// A message of the user.
    pub fn user(content: impl Into<String>) -> Self {
        Self::plain(Role::User, content)
    }

    /// A message of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::plain(Role::Assistant, content)
    }

    /// A message of the model with tool calls.
    pub fn assistant_calls(content: impl Into<String>, tool_calls: Vec<ToolCall>) -> Self {
        Self { tool_calls, ..Self::plain(Role::Assistant, content) }
    }

    /// The result of `call`.
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
            tool_failed: false,
        }
    }
}

impl std::fmt::Debug for Message {
    /// Hides texts, so that they never appear in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Message")
            .field("role", &self.role)
            .field("chars", &self.content.chars().count())
            .field("tool_calls", &self.tool_calls)
            .field("tool_name", &self.tool_name)
            .finish_non_exhaustive()
    }
}

/// A tool call of the model.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Identifier of the call.
    pub id: ToolCallId,
    /// Name of the tool, as the model wrote it.
    pub name: String,
    /// The arguments; always an object.
    pub arguments: Value,
}

impl std::fmt::Debug for ToolCall {
    /// Hides the arguments, which may contain words of the user.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolCall").field("id", &self.id.0).field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn debug_output_hides_texts_and_arguments() {
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
