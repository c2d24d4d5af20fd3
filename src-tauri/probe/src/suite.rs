//! The type of a suite, and reading its input.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Runs one stage of the product: takes the input of a request and returns the output, or an error about the input.
pub(crate) type Suite = fn(Value) -> Result<Value, String>;

/// Runs a stage to its end on this thread.
pub(crate) fn block_on<T>(stage: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime without input and output can be made").block_on(stage)
}

/// Reads an input. Unknown fields are ignored.
pub(crate) fn read<T: DeserializeOwned>(input: Value) -> Result<T, String> {
    serde_json::from_value(input).map_err(|error| format!("the input is not of this suite: {error}"))
}

/// The text of a field; empty if the field is null or absent.
///
/// # Errors
///
/// When the field is no text.
pub(crate) fn text<'a>(input: &'a Value, field: &str) -> Result<&'a str, String> {
    match &input[field] {
        Value::Null => Ok(""),
        Value::String(text) => Ok(text),
        _ => Err(format!("the input is not of this suite: `{field}` is no text")),
    }
}

/// A field that may be null, which is the same as absent.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// The input with each `{"$repeat": [text, count]}` written out.
pub(crate) fn written_out(input: Value) -> Value {
    match input {
        Value::Object(members) => match members.get("$repeat").and_then(Value::as_array).map(Vec::as_slice) {
            Some([Value::String(text), count]) => text
                .repeat(count.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default())
                .into(),
            _ => members.into_iter().map(|(key, value)| (key, written_out(value))).collect(),
        },
        Value::Array(items) => items.into_iter().map(written_out).collect(),
        other => other,
    }
}
