//! Values of an input that JSON has no form for, and what a scripted tool answers.

use super::{CommandResponse, Map, ToolRun, Value, read};

/// The value with native dates as texts, sets as lists and repetitions written out. Bytes have no place in JSON.
pub(super) fn plain(value: &Value) -> Value {
    match value {
        Value::Array(values) => {
            values.iter().filter(|value| value.get("$bytes").is_none()).map(plain).collect()
        }
        Value::Object(object) => match object.iter().next() {
            Some((tag, inner)) if object.len() == 1 && tag.starts_with('$') => tagged(tag, inner, value),
            _ => {
                let fields = object.iter().filter(|(_, value)| value.get("$bytes").is_none());
                Value::Object(fields.map(|(name, value)| (name.clone(), plain(value))).collect())
            }
        },
        other => other.clone(),
    }
}

fn tagged(tag: &str, inner: &Value, whole: &Value) -> Value {
    match tag {
        "$datetime" | "$date" | "$set" | "$tuple" => plain(inner),
        "$repeat" => {
            let count = usize::try_from(inner[1].as_u64().unwrap_or_default()).unwrap_or_default();
            Value::String(inner[0].as_str().unwrap_or_default().repeat(count))
        }
        _ => whole.clone(),
    }
}

/// The object without its fields that are null, at every depth: absent and null are the same.
pub(super) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let fields = object.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(fields.map(|(name, value)| (name, without_nulls(value))).collect::<Map<_, _>>())
        }
        Value::Array(values) => values.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// A tool's answer, error or absence.
pub(super) fn tool_run(response: &Value) -> Result<ToolRun, String> {
    let text = |names: [&str; 2]| names.iter().find_map(|name| response[*name].as_str()).map(str::to_owned);
    if let Some(name) = text(["unknown_tool", ""]) {
        return Ok(ToolRun::UnknownTool(name));
    }
    if let Some(error) = text(["raised", "raises"]) {
        return Ok(ToolRun::Raised(error));
    }
    let Value::Object(fields) = plain(response) else { return Err("the response is no object".to_owned()) };
    let present: Map<String, Value> = fields.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let response: CommandResponse = read(Value::Object(present))?;
    Ok(ToolRun::Answered(response))
}
