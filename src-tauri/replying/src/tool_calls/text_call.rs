//! Tool calls that a model writes as text.
//!
//! Source: docs/behaviour/replying.md#calls-written-as-text.

use serde_json::{Map, Value, json};

use crate::tool_calls::nested_call::nested_call;

/// The fence that a call stands in, as the prompt asks for it.
pub(crate) const FENCE: &str = "```tool_call";

/// The beginning of a list of calls, as some models leak it.
pub(crate) const LIST: &str = "tool_calls:";

/// A tool call found in text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextCall {
    /// The tool, as the model wrote it. In a fence or a list it need not be known.
    pub name: String,
    /// The arguments by name.
    pub arguments: Map<String, Value>,
    /// The id that the model gave.
    pub id: Option<String>,
}

/// The calls in a model's text, in the order they are written: all fenced ones, else the first of the other forms. Empty
/// when there is none.
pub fn text_calls(content: &str, is_known: impl Fn(&str) -> bool) -> Vec<TextCall> {
    let fenced: Vec<TextCall> = fences(content).filter_map(call_in_fence).collect();
    if !fenced.is_empty() {
        return fenced;
    }
    let other = call_in_list(content, &is_known)
        .or_else(|| labelled_call(content, &is_known))
        .or_else(|| call_in_parentheses(content, &is_known));
    other.into_iter().collect()
}

/// The insides of all fences for calls. The last one may lack its end.
fn fences(content: &str) -> impl Iterator<Item = &str> {
    content.split(FENCE).skip(1).map(|rest| rest.split("```").next().unwrap_or(rest))
}

fn call_in_fence(inside: &str) -> Option<TextCall> {
    let object: Map<String, Value> = first_value(inside).and_then(|value| match value {
        Value::Object(object) => Some(object),
        _ => None,
    })?;
    if let Some((name, arguments)) = nested_call(&object, |_| true) {
        return Some(TextCall { name, arguments, id: id_of(&object) });
    }
    let name = object.get("name")?.as_str()?.to_owned();
    let arguments = object.get("arguments").or_else(|| object.get("args"));
    let arguments = arguments.and_then(Value::as_object).cloned().unwrap_or_default();
    Some(TextCall { name, arguments, id: id_of(&object) })
}

/// The first JSON value of a text; what follows it is ignored.
fn first_value(text: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(text.trim_start()).into_iter::<Value>().next()?.ok()
}

fn id_of(object: &Map<String, Value>) -> Option<String> {
    object.get("id")?.as_str().map(str::to_owned)
}

fn call_in_list(content: &str, is_known: impl Fn(&str) -> bool) -> Option<TextCall> {
    let at = content.find(LIST)?;
    let list = content[at + LIST.len()..].trim_start();
    if !list.starts_with('[') {
        return None;
    }
    match first_value(list) {
        Some(Value::Array(calls)) => {
            let call = calls.first()?.as_object()?;
            let function = call.get("function").and_then(Value::as_object).unwrap_or(call);
            let name = function.get("name")?.as_str()?.to_owned();
            let arguments = function.get("arguments").map(arguments_of).unwrap_or_default();
            Some(TextCall { name, arguments, id: id_of(call) })
        }
        _ => call_in_broken_list(list, is_known),
    }
}

/// An object, also inside a text; any other text is the query.
fn arguments_of(value: &Value) -> Map<String, Value> {
    match value {
        Value::Object(arguments) => arguments.clone(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(arguments)) => arguments,
            _ => query(text),
        },
        _ => Map::new(),
    }
}

fn query(text: &str) -> Map<String, Value> {
    Map::from_iter([("query".to_owned(), json!(text))])
}

/// Reads a call from a list that is not JSON.
fn call_in_broken_list(list: &str, is_known: impl Fn(&str) -> bool) -> Option<TextCall> {
    let name = quoted_after(list, "\"name\"").filter(|name| is_known(name))?;
    let at = list.find("\"arguments\"")?;
    let rest = list[at + "\"arguments\"".len()..].trim_start().strip_prefix(':')?.trim_start();
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    let arguments = longest_object(rest).or_else(|| longest_object(&rest.replace("\\\"", "\"")))?;
    Some(TextCall { name, arguments, id: quoted_after(list, "\"id\"") })
}

/// The text in quotes behind a key.
fn quoted_after(text: &str, key: &str) -> Option<String> {
    let rest = text[text.find(key)? + key.len()..].trim_start().strip_prefix(':')?;
    let quoted = rest.trim_start().strip_prefix('"')?;
    Some(quoted[..quoted.find('"')?].to_owned())
}

/// The longest beginning that is an object.
fn longest_object(text: &str) -> Option<Map<String, Value>> {
    let ends = text.match_indices('}').map(|(at, _)| at + 1).collect::<Vec<_>>();
    // A broken list has few braces; the limit is for text made to be slow.
    let object = ends.into_iter().rev().take(64).find_map(|end| serde_json::from_str(&text[..end]).ok());
    match object {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// `Tool: rest`, the whole text.
fn labelled_call(content: &str, is_known: impl Fn(&str) -> bool) -> Option<TextCall> {
    let (name, rest) = content.trim().split_once(':')?;
    let name = name.trim();
    if !is_known(name) {
        return None;
    }
    let mut arguments = Map::new();
    for part in rest.split(['\n', ',']) {
        if let Some((key, value)) = part.split_once(':') {
            let key = without_quotes(key);
            if !key.is_empty() {
                arguments.insert(key.to_owned(), json!(without_quotes(value)));
            }
        }
    }
    if arguments.is_empty() {
        arguments = query(rest.trim());
    }
    Some(TextCall { name: name.to_owned(), arguments, id: None })
}

fn without_quotes(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'']).trim()
}

/// `Tool(inside)`, the whole text.
fn call_in_parentheses(content: &str, is_known: impl Fn(&str) -> bool) -> Option<TextCall> {
    let (name, inside) = content.trim().strip_suffix(')')?.split_once('(')?;
    let name = name.trim();
    if !is_known(name) {
        return None;
    }
    let inside = inside.trim();
    let arguments = match serde_json::from_str::<Value>(inside) {
        _ if inside.is_empty() => Map::new(),
        Ok(Value::Object(arguments)) => arguments,
        Ok(other) => Map::from_iter([("query".to_owned(), other)]),
        Err(_) => query(inside),
    };
    Some(TextCall { name: name.to_owned(), arguments, id: None })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn is_known(name: &str) -> bool {
        ["webSearch", "stop"].contains(&name)
    }

    #[rstest]
    #[case::fence("```tool_call\n{\"name\": \"webSearch\", \"arguments\": {\"q\": \"a\"}}\n```", json!({"q": "a"}))]
    #[case::fence_without_end("```tool_call\n{\"name\": \"webSearch\", \"args\": {\"q\": \"a\"}}", json!({"q": "a"}))]
    #[case::nested("```tool_call\n{\"tool\": {\"name\": \"webSearch\", \"args\": {\"q\": \"a\"}}}\n```", json!({"q": "a"}))]
    #[case::no_object("```tool_call\n{\"name\": \"webSearch\", \"arguments\": \"a\"}\n```", json!({}))]
    #[case::list(r#"tool_calls: [{"id": "7", "function": {"name": "webSearch", "arguments": "{\"q\": \"[a]\"}"}}]"#, json!({"q": "[a]"}))]
    #[case::list_with_text(r#"tool_calls: [{"function": {"name": "webSearch", "arguments": "rain"}}]"#, json!({"query": "rain"}))]
    #[case::broken_list(r#"tool_calls: [{"function": {"name": "webSearch", "arguments": {"q": "a"}}"#, json!({"q": "a"}))]
    #[case::label("webSearch: q: rain, lang: 'en'", json!({"q": "rain", "lang": "en"}))]
    #[case::label_with_text("webSearch: rain today", json!({"query": "rain today"}))]
    #[case::parentheses("webSearch({\"q\": \"a\"})", json!({"q": "a"}))]
    #[case::parentheses_with_list("webSearch([1])", json!({"query": [1]}))]
    #[case::parentheses_with_text("webSearch(rain)", json!({"query": "rain"}))]
    fn reads_a_call(#[case] content: &str, #[case] expected: Value) {
        let calls = text_calls(content, is_known);

        assert_eq!(calls.len(), 1);
        assert_eq!(
            (calls[0].name.as_str(), Value::Object(calls[0].arguments.clone())),
            ("webSearch", expected)
        );
    }

    #[rstest]
    #[case::prose("It is raining: take a coat.")]
    #[case::unknown_label("Answer: rain")]
    #[case::unknown_in_broken_list("tool_calls: [{\"name\": \"callMum\", \"arguments\": {}")]
    #[case::fence_of_code("```json\n{\"name\": \"webSearch\"}\n```")]
    #[case::nothing("")]
    fn other_text_is_no_call(#[case] content: &str) {
        assert_eq!(text_calls(content, is_known), []);
    }

    #[test]
    fn all_fences_are_read() {
        let content = "```tool_call\n{\"name\":\"a\",\"arguments\":{}}\n```\n```tool_call\n{\"name\":\"b\",\"arguments\":{}}\n```";

        let names: Vec<String> = text_calls(content, is_known).into_iter().map(|call| call.name).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn id_of_the_model_is_kept() {
        let content = r#"tool_calls: [{"id": "call_7", "function": {"name": "stop", "arguments": {}}}]"#;

        assert_eq!(text_calls(content, is_known)[0].id.as_deref(), Some("call_7"));
    }
}
