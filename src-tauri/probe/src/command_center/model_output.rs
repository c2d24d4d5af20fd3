//! The output of a model that writes its tool calls as text, as Command Centers read it. Jarvis reads such calls in `replying`.

use command_center::normalised_key;
use serde_json::{Map, Value};

/// The parameter whose values are date keys. Source: the commands with dates all call it so.
const DATE_KEYS: &str = "resolved_datetimes";

/// A call of a tool.
#[derive(Debug, PartialEq)]
pub(super) struct WrittenCall {
    /// The name of the tool.
    pub name: String,
    /// The decoded arguments.
    pub arguments: Map<String, Value>,
}

/// The words of a model, and the calls that it asks for.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ModelOutput {
    /// For the user; empty if there is none.
    pub message: String,
    /// In order; none if the answer is complete.
    pub calls: Vec<WrittenCall>,
}

/// Reads the output of a model: an object with a `message` and `tool_calls` or a `tool_call`, alone, in prose or in a code
/// fence. Anything else is an answer in plain words.
pub(super) fn parse_model_output(text: &str) -> ModelOutput {
    let plain = || ModelOutput { message: text.trim().to_owned(), calls: Vec::new() };
    let Some((object, is_whole)) = first_object(text) else { return plain() };
    let is_ours = ["message", "tool_calls", "tool_call"].iter().any(|key| object.contains_key(*key));
    if !is_ours && !is_whole {
        // Prose about something in braces.
        return plain();
    }
    let message = match object.get("message") {
        Some(Value::String(message)) => message.trim().to_owned(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    let listed = object.get("tool_calls").map(as_list).unwrap_or_default();
    let listed =
        if listed.is_empty() { object.get("tool_call").map(as_list).unwrap_or_default() } else { listed };
    ModelOutput { message, calls: listed.into_iter().filter_map(call).collect() }
}

fn as_list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().collect(),
        Value::Object(_) => vec![value],
        _ => Vec::new(),
    }
}

/// A call in one of its two shapes; `None` without a name or without an object of arguments.
fn call(value: &Value) -> Option<WrittenCall> {
    let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    let name = function.get("name")?.as_str().map(str::trim).filter(|name| !name.is_empty())?;
    let arguments = match function.get("arguments") {
        None => Value::Object(Map::new()),
        Some(Value::String(text)) => serde_json::from_str(text).ok()?,
        Some(other) => other.clone(),
    };
    let Value::Object(mut arguments) = arguments else { return None };
    if let Some(Value::Array(keys)) = arguments.get(DATE_KEYS) {
        let keys = Value::Array(flat_date_keys(keys));
        arguments.insert(DATE_KEYS.to_owned(), keys);
    }
    Some(WrittenCall { name: name.to_owned(), arguments })
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

/// The first balanced JSON object of a text, and `true` if nothing but a code fence stands around it.
fn first_object(text: &str) -> Option<(Map<String, Value>, bool)> {
    let mut from = 0;
    while let Some(start) = text[from..].find('{').map(|at| from + at) {
        let Some((end, source)) = balanced(&text[start..]) else {
            from = start + 1;
            continue;
        };
        if let Ok(object) = serde_json::from_str(&source) {
            let around = format!("{}{}", &text[..start], &text[start + end..]);
            let is_whole =
                around.trim().trim_matches('`').trim().trim_start_matches("json").trim().is_empty();
            return Some((object, is_whole));
        }
        from = start + end;
    }
    None
}

/// The length of the balanced braces at the beginning of a text, and their source without comments.
fn balanced(text: &str) -> Option<(usize, String)> {
    let (mut depth, mut in_string, mut is_escaped, mut in_comment) = (0_usize, false, false, false);
    let mut source = String::new();
    for (at, c) in text.char_indices() {
        if in_comment {
            in_comment = c != '\n';
            continue;
        }
        if in_string {
            in_string = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
        } else {
            match c {
                '"' => in_string = true,
                '#' => in_comment = true,
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
        }
        if !in_comment {
            source.push(c);
        }
        if depth == 0 {
            return Some((at + c.len_utf8(), source));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn shown(text: &str) -> Value {
        let output = parse_model_output(text);
        let calls: Vec<Value> = output
            .calls
            .iter()
            .map(|call| json!([call.name, Value::Object(call.arguments.clone())]))
            .collect();
        json!([output.message, calls])
    }

    #[rstest]
    #[case::calls(r#"{"message": "One moment", "tool_calls": [{"name": "a", "arguments": {"x": 1}}]}"#, json!(["One moment", [["a", {"x": 1}]]]))]
    #[case::functions(r#"{"tool_calls": [{"id": "1", "function": {"name": "a", "arguments": "{\"x\": 1}"}}]}"#, json!(["", [["a", {"x": 1}]]]))]
    #[case::one_call(r#"{"message": "", "tool_call": {"name": "a", "arguments": {}}}"#, json!(["", [["a", {}]]]))]
    #[case::answer(r#"{"message": "It is 3 pm.", "tool_calls": []}"#, json!(["It is 3 pm.", []]))]
    #[case::no_calls(r#"{"message": "Hi", "tool_calls": null}"#, json!(["Hi", []]))]
    #[case::null_message(r#"{"message": null, "tool_calls": [{"name": "a", "arguments": {}}]}"#, json!(["", [["a", {}]]]))]
    #[case::plain_words("  It is sunny. ", json!(["It is sunny.", []]))]
    #[case::nothing("", json!(["", []]))]
    #[case::prose("Sure: {\"message\": \"Hi\"} there", json!(["Hi", []]))]
    #[case::code_fence("```json\n{\"message\": \"Hi\"}\n```", json!(["Hi", []]))]
    #[case::comments("{\n\"message\": \"#1 {\", # a } and \" in a comment\n\"tool_calls\": [] # end\n}", json!(["#1 {", []]))]
    #[case::comment_before("# call {tool}\n{\"message\": \"Hi\"}", json!(["Hi", []]))]
    #[case::braces_in_text(r#"{"message": "a } b { \" c"}"#, json!(["a } b { \" c", []]))]
    #[case::braces_in_prose("I like {this} and {that}.", json!(["I like {this} and {that}.", []]))]
    #[case::other_object_in_prose("Use {\"a\": 1} here.", json!(["Use {\"a\": 1} here.", []]))]
    #[case::other_object(r#"{"answer": 1}"#, json!(["", []]))]
    #[case::open_object(r#"{"message": "Hi""#, json!([r#"{"message": "Hi""#, []]))]
    #[case::trailing_comma(r#"{"message": "Hi",}"#, json!([r#"{"message": "Hi",}"#, []]))]
    #[case::arguments_that_are_a_list(r#"{"message": "m", "tool_calls": [{"name": "a", "arguments": [1]}, {"name": "b", "arguments": "x"}]}"#, json!(["m", []]))]
    #[case::null_arguments(r#"{"tool_calls": [{"name": "a", "arguments": null}]}"#, json!(["", []]))]
    #[case::absent_arguments(r#"{"tool_calls": [{"name": "a"}]}"#, json!(["", [["a", {}]]]))]
    #[case::no_name(r#"{"message": "m", "tool_calls": [{"arguments": {}}, {"name": " ", "arguments": {}}, 3]}"#, json!(["m", []]))]
    #[case::date_keys(r#"{"tool_calls": [{"name": "a", "arguments": {"resolved_datetimes": ["Tomorrow Morning", ["next week", ["today_at_9:30am"]]]}}]}"#, json!(["", [["a", {"resolved_datetimes": ["tomorrow_morning", "next_week", "today_at_9_30am"]}]]]))]
    #[case::written_dates(r#"{"tool_calls": [{"name": "a", "arguments": {"resolved_datetimes": ["2025-01-02T03:04:05Z"]}}]}"#, json!(["", [["a", {"resolved_datetimes": ["2025-01-02T03:04:05Z"]}]]]))]
    #[case::other_lists(r#"{"tool_calls": [{"name": "a", "arguments": {"tags": ["Big Cat"]}}]}"#, json!(["", [["a", {"tags": ["Big Cat"]}]]]))]
    fn output_is_read_as_message_and_calls(#[case] text: &str, #[case] expected: Value) {
        assert_eq!(shown(text), expected);
    }
}
