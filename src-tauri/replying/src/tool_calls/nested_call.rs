//! A call whose arguments hold the call itself: `{"tool": {"name": …, "args": {…}}}`. Some models wrap it so.
//!
//! Source: docs/behaviour/replying.md#calls-written-as-text.

use serde_json::{Map, Value};

/// Name and arguments of the call inside the arguments of another; `None` if there is none. The inner name counts only if
/// it is known, so that an argument of a tool that happens to be called `tool` stays one.
pub(crate) fn nested_call(
    arguments: &Map<String, Value>,
    is_known: impl Fn(&str) -> bool,
) -> Option<(String, Map<String, Value>)> {
    let inner = arguments.get("tool").filter(|_| arguments.len() == 1)?.as_object()?;
    let name = inner.get("name")?.as_str().filter(|name| is_known(name))?;
    let arguments = inner.get("args").or_else(|| inner.get("arguments"));
    Some((name.to_owned(), arguments.and_then(Value::as_object).cloned().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::args(json!({ "tool": { "name": "getTime", "args": { "place": "Oslo" } } }), Some(json!({ "place": "Oslo" })))]
    #[case::arguments(json!({ "tool": { "name": "getTime", "arguments": { "place": "Oslo" } } }), Some(json!({ "place": "Oslo" })))]
    #[case::no_arguments(json!({ "tool": { "name": "getTime" } }), Some(json!({})))]
    #[case::unknown_name(json!({ "tool": { "name": "hammer", "args": {} } }), None)]
    #[case::text(json!({ "tool": "getTime" }), None)]
    #[case::more_arguments(json!({ "tool": { "name": "getTime" }, "place": "Oslo" }), None)]
    fn finds_the_call_in_the_arguments(#[case] arguments: Value, #[case] expected: Option<Value>) {
        let Value::Object(arguments) = arguments else { unreachable!("they are objects") };

        let call = nested_call(&arguments, |name| name == "getTime");

        assert_eq!(call.map(|(_, arguments)| Value::Object(arguments)), expected);
    }
}
