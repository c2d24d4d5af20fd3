//! Answers in which a model writes its words and its calls as one JSON object.
//!
//! Source: docs/behaviour/replying.md#calls-written-as-text.

use serde_json::{Map, Value};

use crate::tool_calls::text_call::TextCall;

/// Braces of a text at which an object is looked for. The limit is for text made to be slow.
const MAX_BRACES: usize = 64;

/// The words of a model, and the calls that it asks for.
#[derive(Debug, Default, PartialEq)]
pub struct WrittenReply {
    /// For the user; empty if there is none.
    pub message: String,
    /// In order; none if the answer is complete.
    pub calls: Vec<TextCall>,
    /// Calls that cannot be read, or not with all that stands in them.
    pub unreadable: usize,
    /// Nothing but a code fence stands around the object.
    pub is_whole: bool,
}

/// The calls of an answer that is such an object and nothing else; empty if a tool is unknown.
pub(crate) fn calls_in_object(content: &str, is_known: impl Fn(&str) -> bool) -> Vec<TextCall> {
    // An object in a code fence is shown: the user may have asked for an example.
    let reply = read_written_reply(content);
    let is_call = content.trim_start().starts_with('{')
        && reply.is_whole
        && reply.unreadable == 0
        && reply.calls.iter().all(|call| is_known(&call.name));
    if is_call { reply.calls } else { Vec::new() }
}

/// Reads an answer: an object with a `message` and `tool_calls` or a `tool_call`, alone, in prose or in a code fence.
/// Anything else is an answer in plain words.
pub fn read_written_reply(text: &str) -> WrittenReply {
    let plain = || WrittenReply { message: text.trim().to_owned(), ..WrittenReply::default() };
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
    let unreadable = listed.iter().filter(|value| !is_complete(value)).count();
    WrittenReply { message, unreadable, calls: listed.into_iter().filter_map(call).collect(), is_whole }
}

/// Returns `true` if a call is read with all that stands in it: its arguments have no other name.
fn is_complete(value: &Value) -> bool {
    let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    call(value).is_some() && ["args", "parameters"].iter().all(|key| function.get(*key).is_none())
}

fn as_list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().collect(),
        Value::Object(_) => vec![value],
        _ => Vec::new(),
    }
}

/// A call in one of its two shapes; `None` without a name or without an object of arguments.
fn call(value: &Value) -> Option<TextCall> {
    let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    let name = function.get("name")?.as_str().map(str::trim).filter(|name| !name.is_empty())?;
    let arguments = match function.get("arguments") {
        None => Value::Object(Map::new()),
        Some(Value::String(text)) => serde_json::from_str(text).ok()?,
        Some(other) => other.clone(),
    };
    let Value::Object(arguments) = arguments else { return None };
    let id = value.get("id").and_then(Value::as_str).map(str::to_owned);
    Some(TextCall { name: name.to_owned(), arguments, id })
}

/// The first balanced JSON object of a text, and `true` if nothing but a code fence stands around it.
fn first_object(text: &str) -> Option<(Map<String, Value>, bool)> {
    let mut from = 0;
    for _ in 0..MAX_BRACES {
        let start = from + text[from..].find('{')?;
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
        let output = read_written_reply(text);
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
    #[case::lists(r#"{"tool_calls": [{"name": "a", "arguments": {"tags": ["Big Cat"]}}]}"#, json!(["", [["a", {"tags": ["Big Cat"]}]]]))]
    fn answer_is_read_as_message_and_calls(#[case] text: &str, #[case] expected: Value) {
        assert_eq!(shown(text), expected);
    }

    #[rstest]
    #[case::alone(r#"{"message": "One moment", "tool_calls": [{"name": "a", "id": "7"}, {"name": "b"}]}"#, &["a", "b"])]
    #[case::fence("```json\n{\"tool_call\": {\"name\": \"a\"}}\n```", &[])]
    #[case::one_that_cannot_be_read(r#"{"tool_calls": [{"name": "a"}, {"name": "b", "arguments": "x"}]}"#, &[])]
    #[case::arguments_by_another_name(r#"{"tool_call": {"name": "a", "args": {"x": 1}}}"#, &[])]
    #[case::unknown_tool(r#"{"tool_calls": [{"name": "a"}, {"name": "c"}]}"#, &[])]
    #[case::prose(r#"Write {"tool_calls": [{"name": "a"}]} for it."#, &[])]
    #[case::answer(r#"{"message": "Hi"}"#, &[])]
    fn calls_count_in_an_answer_that_is_nothing_else(#[case] text: &str, #[case] expected: &[&str]) {
        let calls = calls_in_object(text, |name| ["a", "b"].contains(&name));

        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn id_of_the_model_is_kept() {
        let reply = read_written_reply(r#"{"tool_calls": [{"id": "call_7", "function": {"name": "a"}}]}"#);

        assert_eq!(reply.calls[0].id.as_deref(), Some("call_7"));
    }
}
