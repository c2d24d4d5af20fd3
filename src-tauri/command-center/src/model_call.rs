//! A call that the engine asks for.

use serde_json::{Map, Value};

use crate::date_keys::normalised_key;

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// Unique within its conversation.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The decoded arguments.
    pub arguments: Map<String, Value>,
}

/// The parameter whose values are date keys. Source: the commands with dates all call it so.
const DATE_KEYS: &str = "resolved_datetimes";

/// The arguments with their date keys in one list and in the usual form.
pub fn with_usual_date_keys(mut arguments: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Array(keys)) = arguments.get_mut(DATE_KEYS) {
        *keys = flat_date_keys(keys);
    }
    arguments
}

/// The keys of nested lists in one list, in small letters and with underscores.
fn flat_date_keys(keys: &[Value]) -> Vec<Value> {
    let mut flat = Vec::new();
    for key in keys {
        match key {
            Value::Array(inner) => flat.extend(flat_date_keys(inner)),
            Value::String(text) if !is_written_date(text) => flat.push(Value::String(normalised_key(text))),
            other => flat.push(other.clone()),
        }
    }
    flat
}

/// `2025-01-02…` is a date already.
fn is_written_date(text: &str) -> bool {
    let start = text.trim().as_bytes();
    start.len() >= 10 && start[4] == b'-' && start[..4].iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::keys(
        json!({"resolved_datetimes": ["Tomorrow Morning", ["next week", ["today_at_9:30am"]]]}),
        json!({"resolved_datetimes": ["tomorrow_morning", "next_week", "today_at_9_30am"]})
    )]
    #[case::written_dates(
        json!({"resolved_datetimes": ["2025-01-02T03:04:05Z"]}),
        json!({"resolved_datetimes": ["2025-01-02T03:04:05Z"]})
    )]
    #[case::no_list(json!({"resolved_datetimes": "Today"}), json!({"resolved_datetimes": "Today"}))]
    #[case::other_lists(json!({"tags": ["Big Cat"]}), json!({"tags": ["Big Cat"]}))]
    fn date_keys_get_their_usual_form(#[case] arguments: Value, #[case] expected: Value) {
        let Value::Object(arguments) = arguments else { unreachable!("they are objects") };

        assert_eq!(Value::Object(with_usual_date_keys(arguments)), expected);
    }
}
