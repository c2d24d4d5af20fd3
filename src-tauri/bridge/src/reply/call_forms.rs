//! The forms in which models write calls.

use serde_json::{Map, Value};

/// A call as a model wrote it.
pub(super) struct WrittenCall<'v> {
    /// The tool. Empty if the model named none.
    pub name: &'v str,
    /// The arguments; `None` if there are none.
    pub arguments: Option<&'v Value>,
    /// The object that it was read from.
    pub object: &'v Value,
}

/// The calls that the server found itself.
pub(super) fn native_calls(message: &Value) -> Vec<WrittenCall<'_>> {
    message.get("tool_calls").map(wrapped).unwrap_or_default()
}

/// The calls in the JSON of a message; `None` if it is something else.
pub(super) fn calls(value: &Value) -> Option<Vec<WrittenCall<'_>>> {
    let fields = value.as_object()?;
    for wrapper in ["tool_calls", "tool_call"] {
        let inside = fields.get(wrapper).filter(|inside| inside.is_object() || inside.is_array());
        let found = inside.map(wrapped).unwrap_or_default();
        if !found.is_empty() {
            return Some(found);
        }
    }
    plain(value, fields).map(|call| vec![call])
}

/// The calls inside a wrapper: one object, or a list of them.
fn wrapped(inside: &Value) -> Vec<WrittenCall<'_>> {
    match inside {
        Value::Array(items) => items.iter().map(wrapped_call).collect(),
        Value::Object(_) => vec![wrapped_call(inside)],
        _ => Vec::new(),
    }
}

/// Whatever stands in a wrapper is meant as a call, complete or not.
fn wrapped_call(value: &Value) -> WrittenCall<'_> {
    let inner = value.get("function").filter(|inner| inner.is_object()).unwrap_or(value);
    let text = |key| inner.get(key).and_then(Value::as_str);
    let arguments = inner.get("arguments").or_else(|| inner.get("tool_args"));
    WrittenCall {
        name: text("name").or_else(|| text("tool_name")).unwrap_or_default(),
        arguments,
        object: value,
    }
}

/// An object that is a call without a wrapper: it has a name and arguments.
fn plain<'v>(value: &'v Value, fields: &'v Map<String, Value>) -> Option<WrittenCall<'v>> {
    let pair = |fields: &'v Map<String, Value>, name: &str, arguments: &str| {
        let name = fields.get(name)?.as_str().filter(|name| !name.trim().is_empty())?;
        Some((name, fields.get(arguments)?))
    };
    let inner = fields.get("function").and_then(Value::as_object);
    let found = pair(fields, "name", "arguments")
        .or_else(|| pair(fields, "tool_name", "tool_args"))
        .or_else(|| pair(inner?, "name", "arguments"));
    found.map(|(name, arguments)| WrittenCall { name, arguments: Some(arguments), object: value })
}
