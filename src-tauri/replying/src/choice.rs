//! The choice between tools and none, in a form that the provider enforces.

use llm::{ToolCall, ToolCallId};
use serde_json::{Value, json};

use crate::prompt::OfferedTool;

/// The form of a choice: one object for each tool with its arguments, and one for no tool, which comes first.
pub(crate) fn choice_schema(tools: &[OfferedTool]) -> Value {
    let none = json!({
        "type": "object",
        "properties": { "tool": { "const": "none" } },
        "required": ["tool"],
        "additionalProperties": false,
    });
    let choices = tools.iter().map(|tool| {
        json!({
            "type": "object",
            "properties": { "tool": { "const": tool.spec.name }, "arguments": tool.spec.parameters },
            "required": ["tool", "arguments"],
            "additionalProperties": false,
        })
    });
    json!({ "anyOf": std::iter::once(none).chain(choices).collect::<Vec<Value>>() })
}

/// The call that the model chose; `None` for no tool.
pub(crate) fn chosen_call(choice: &str, number: usize) -> Option<ToolCall> {
    let choice: Value = serde_json::from_str(choice.trim()).ok()?;
    let name = choice["tool"].as_str().filter(|name| *name != "none")?;
    let arguments = choice.get("arguments").cloned().unwrap_or_else(|| json!({}));
    Some(ToolCall { id: ToolCallId(format!("choice-{number}")), name: name.to_owned(), arguments })
}

/// Returns `true` for a choice of a tool or of none.
pub(crate) fn is_choice(text: &str) -> bool {
    serde_json::from_str::<Value>(text.trim()).is_ok_and(|value| value["tool"].is_string())
}

/// Returns `true` for a text that no enforced form can give: it does not even begin as an object. One that is cut off does.
pub(crate) fn is_no_choice(choice: &str) -> bool {
    let choice = choice.trim_start();
    !choice.is_empty() && !choice.starts_with('{')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::tool(r#"{"tool": "getTime", "arguments": {"place": "Tokyo"}}"#, Some(json!({ "place": "Tokyo" })))]
    #[case::none(r#"{"tool": "none"}"#, None)]
    #[case::cut_off(r#"{"tool": "getTime", "argu"#, None)]
    fn choice_is_a_call_or_none(#[case] choice: &str, #[case] expected: Option<Value>) {
        assert_eq!(chosen_call(choice, 0).map(|call| call.arguments), expected);
    }

    #[rstest]
    #[case::choice(r#"{"tool": "none"}"#, false)]
    #[case::cut_off(r#" {"tool": "getTi"#, false)]
    #[case::nothing("", false)]
    #[case::talk("It is noon.", true)]
    #[case::fence("```json\n{}\n```", true)]
    fn text_of_another_form_shows_that_none_is_enforced(#[case] choice: &str, #[case] expected: bool) {
        assert_eq!(is_no_choice(choice), expected);
    }
}
