//! Messages between the model and its tools.
//!
//! Source: docs/behaviour/replying.md#conversation.

use llm::{Message, Role, ToolCall};
use serde_json::Value;

mod carry_over; // which of them the next replies see again
mod failures; // which tools failed

pub use carry_over::CarryOver;
pub(crate) use carry_over::cut_fenced;
pub use failures::failed_tools;
pub(crate) use failures::newly_failed_tools;

/// Returns `true` if a message is a tool call or a tool result. With the text tool protocol, a result is a user
/// message that names its tool.
pub fn is_tool_message(message: &Message) -> bool {
    match message.role {
        Role::Tool => true,
        Role::Assistant => !message.tool_calls.is_empty(),
        Role::User => message.tool_name.as_ref().is_some_and(|name| !name.is_empty()),
        Role::System => false,
    }
}

/// The call with all secrets in its arguments redacted. Its id and name stay, so that its result still finds it.
pub fn scrubbed(call: ToolCall) -> ToolCall {
    ToolCall { arguments: scrubbed_value(call.arguments), ..call }
}

pub(crate) fn scrubbed_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redaction::scrub(&text)),
        Value::Array(items) => items.into_iter().map(scrubbed_value).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, scrubbed_value(value))).collect()
        }
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use llm::ToolCallId;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn call(arguments: Value) -> ToolCall {
        ToolCall { id: ToolCallId("call-1".into()), name: "send".into(), arguments }
    }

    #[rstest]
    #[case::a_result(Message::tool_result(&call(json!({})), "done"), true)]
    #[case::a_call(Message::assistant_calls("", vec![call(json!({}))]), true)]
    #[case::a_result_in_text(Message { tool_name: Some("send".into()), ..Message::user("done") }, true)]
    #[case::words_of_the_user(Message::user("send it"), false)]
    #[case::words_of_the_model(Message::assistant("sent"), false)]
    #[case::a_call_of_nothing(Message::assistant_calls("sent", vec![]), false)]
    fn tool_messages_are_told_from_talk(#[case] message: Message, #[case] expected: bool) {
        assert_eq!(is_tool_message(&message), expected);
    }

    #[test]
    fn secrets_are_redacted_at_every_depth() {
        let before =
            json!({ "to": ["mara@example.org", { "note": "password=abc" }], "copies": 2, "read": null });

        let after = scrubbed(call(before));

        let expected = json!({ "to": ["[REDACTED_EMAIL]", { "note": "password=[REDACTED]" }], "copies": 2, "read": null });
        assert_eq!(after, call(expected));
    }
}
