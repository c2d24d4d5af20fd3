//! The flat file: every key with its value, repaired where it can be.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::flat_keys::{BACKEND_VARIABLE, FlatKey, FlatKind, flat_keys};

/// The fewest characters that are kept of a carried-over tool result. Source: docs/behaviour/replying.md#conversation.
const MIN_CARRIED_CHARS: i64 = 200;

/// The values of a flat file under its own key names, with defaults for what it lacks.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatConfig {
    /// All known keys.
    pub values: Map<String, Value>,
    /// The file is no JSON object: all values are defaults.
    pub is_malformed: bool,
    /// The keys of the file that nothing is known of.
    pub unknown: Vec<String>,
    /// Sentences about values, or parts of them, in whose place the default holds.
    pub unreadable: Vec<String>,
}

impl FlatConfig {
    /// Reads a file and the variables of the environment that count. A value that cannot be read is the default.
    pub fn read(text: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let parsed = serde_json::from_str::<Map<String, Value>>(text);
        let is_malformed = parsed.is_err() && !text.trim().is_empty();
        let file = parsed.unwrap_or_default();
        let keys = flat_keys();
        let mut values: Map<String, Value> =
            keys.iter().map(|key| (key.name.to_owned(), read_value(key, file.get(key.name)))).collect();
        normalise(&mut values);
        let backend = keys.iter().find(|key| key.name == "whisper_backend");
        if let (Some(named), Some(key)) = (variable(BACKEND_VARIABLE), backend) {
            let known = read_value(key, values.get(key.name));
            values.insert(key.name.to_owned(), read_as(key, &json!(named)).unwrap_or(known));
        }
        let is_known = |name: &str| name.starts_with('_') || keys.iter().any(|key| key.name == name);
        let unreadable = keys.iter().flat_map(|key| unreadable_parts(key, file.get(key.name))).collect();
        let unknown = file.keys().filter(|name| !is_known(name)).cloned().collect();
        Self { values, is_malformed, unknown, unreadable }
    }

    /// The keys whose value is not the default, with the value.
    pub(super) fn changed(&self) -> BTreeMap<&'static str, &Value> {
        let keys = flat_keys().into_iter();
        keys.filter_map(|key| {
            let value = self.values.get(key.name)?;
            (*value != read_value(&key, None)).then_some((key.name, value))
        })
        .collect()
    }
}

fn read_value(key: &FlatKey, written: Option<&Value>) -> Value {
    let read = written.and_then(|written| read_as(key, written));
    read.unwrap_or_else(|| key.default.clone())
}

/// The value as its kind; `None` if it cannot be read as that.
fn read_as(key: &FlatKey, written: &Value) -> Option<Value> {
    match key.kind {
        FlatKind::Text => text_of(written).map(Value::String),
        FlatKind::MaybeText if is_nothing(written) => Some(Value::Null),
        FlatKind::MaybeText => text_of(written).map(Value::String),
        FlatKind::Whole => whole_of(written).map(|number| json!(number)),
        FlatKind::MaybeWhole if is_nothing(written) => Some(Value::Null),
        FlatKind::MaybeWhole => whole_of(written).map(|number| json!(number)),
        FlatKind::Number => number_of(written).map(|number| json!(number)),
        FlatKind::Flag => flag_of(written).map(Value::Bool),
        FlatKind::MaybeFlag if is_nothing(written) => Some(Value::Null),
        FlatKind::MaybeFlag => flag_of(written).map(Value::Bool),
        FlatKind::Words => words_of(written).map(|words| json!(words)),
        FlatKind::Choice(choices) => {
            let text = written.as_str()?.trim().to_lowercase();
            choices.contains(&&*text).then_some(Value::String(text))
        }
        FlatKind::Servers => servers_of(written).map(|(servers, _)| Value::Object(servers)),
    }
}

/// Sentences about what of a value is not read.
fn unreadable_parts(key: &FlatKey, written: Option<&Value>) -> Vec<String> {
    let Some(written) = written.filter(|written| !written.is_null()) else { return Vec::new() };
    match (key.kind, read_as(key, written)) {
        (_, None) => vec![format!("{}: its value cannot be read.", key.name)],
        (FlatKind::Servers, _) => servers_of(written).map(|(_, unreadable)| unreadable).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn is_nothing(written: &Value) -> bool {
    written.is_null() || written.as_str().is_some_and(|text| matches!(text.trim(), "" | "null"))
}

fn text_of(written: &Value) -> Option<String> {
    match written {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn number_of(written: &Value) -> Option<f64> {
    match written {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and a fraction is cut as the reference does"
)]
fn whole_of(written: &Value) -> Option<i64> {
    written.as_i64().or_else(|| number_of(written).map(|number| number as i64))
}

fn flag_of(written: &Value) -> Option<bool> {
    match written {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => number.as_f64().map(|number| number != 0.0),
        Value::String(text) => match &*text.trim().to_lowercase() {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Servers by their names, also written as a list of servers with a `name`, and sentences about those of a list that are
/// left out.
fn servers_of(written: &Value) -> Option<(Map<String, Value>, Vec<String>)> {
    let listed = match written {
        Value::Object(servers) => return Some((servers.clone(), Vec::new())),
        Value::Array(listed) => listed,
        _ => return None,
    };
    let (mut servers, mut unreadable) = (Map::new(), Vec::new());
    for (number, server) in (1..).zip(listed) {
        let name = server.get("name").and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
        match (server, name) {
            (Value::Object(_), Some(name)) if servers.contains_key(name) => {
                unreadable.push(format!("mcps: server {number} has the name of another one, \"{name}\"."));
            }
            (Value::Object(members), Some(name)) => {
                let mut members = members.clone();
                members.remove("name");
                servers.insert(name.to_owned(), Value::Object(members));
            }
            _ => unreadable.push(format!("mcps: server {number} has no name.")),
        }
    }
    Some((servers, unreadable))
}

/// A list of texts, also written as one text with commas.
fn words_of(written: &Value) -> Option<Vec<String>> {
    match written {
        Value::Array(items) => Some(items.iter().filter_map(text_of).collect()),
        Value::String(text) => {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            Some(parts.map(str::to_owned).collect())
        }
        _ => None,
    }
}

/// Changes the values as the older program does after reading.
fn normalise(values: &mut Map<String, Value>) {
    let lowered = |text: &str| text.trim().to_lowercase();
    if let Some(Value::String(name)) = values.get_mut("wake_word") {
        let read = lowered(name);
        *name = if read.is_empty() { "jarvis".to_owned() } else { read };
    }
    for key in ["wake_aliases", "stop_commands"] {
        if let Some(Value::Array(words)) = values.get_mut(key) {
            let read = words.iter().filter_map(Value::as_str).map(lowered).filter(|word| !word.is_empty());
            *words = read.map(Value::String).collect();
        }
    }
    at_least(values, "tool_search_max_calls", 0);
    at_least(values, "tool_carryover_max_turns", 0);
    at_least(values, "tool_carryover_per_entry_chars", MIN_CARRIED_CHARS);
    if !matches!(values.get("vad_frame_ms").and_then(Value::as_i64), Some(10 | 20 | 30)) {
        values.insert("vad_frame_ms".to_owned(), json!(20));
    }
}

fn at_least(values: &mut Map<String, Value>, key: &str, least: i64) {
    if let Some(number) = values.get(key).and_then(Value::as_i64) {
        values.insert(key.to_owned(), json!(number.max(least)));
    }
}

#[cfg(test)]
mod tests;
