//! The text for the user in the JSON of a model.

use serde_json::Value;

/// Members that hold an answer, in the order in which they count. Source: docs/behaviour/bridge.md#replies.
const ANSWER_KEYS: [&str; 6] = ["response", "content", "answer", "message", "text", "thoughts"];

/// The answer in a value: a text is itself, an object may have a member for it, anything else is shown as it is written.
pub(super) fn text(value: &Value, source: &str) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let texts = || ANSWER_KEYS.iter().filter_map(|key| fields.get(*key).and_then(Value::as_str));
            let said = texts().find(|text| !text.trim().is_empty()).or_else(|| texts().next());
            said.map_or_else(|| in_code_block(source), str::to_owned)
        }
        Value::Array(_) => in_code_block(source),
        Value::Null | Value::Bool(_) | Value::Number(_) => source.to_owned(),
    }
}

/// The reason that the model gives.
pub(super) fn thoughts(value: &Value) -> Option<String> {
    let thoughts = value.get("thoughts")?.as_str()?;
    (!thoughts.trim().is_empty()).then(|| thoughts.to_owned())
}

fn in_code_block(source: &str) -> String {
    format!("```json\n{source}\n```")
}
