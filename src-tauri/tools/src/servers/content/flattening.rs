//! A text out of any content.

use serde_json::Value;

/// The text of content: text as it is, lists line by line, objects by their `text`, else by their `data`. Empty parts are
/// left out.
///
/// Source: docs/behaviour/tools.md#servers.
pub fn flatten_content(content: &Value) -> String {
    match content {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => content.to_string(),
        Value::Array(parts) => {
            let parts = parts.iter().map(flatten_content).filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(fields) => {
            let part = |name: &str| fields.get(name).map(flatten_content).filter(|text| !text.is_empty());
            part("text").or_else(|| part("data")).unwrap_or_default()
        }
    }
}
