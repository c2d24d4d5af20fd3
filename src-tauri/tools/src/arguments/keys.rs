//! Keys that are missing or unknown, and keys under another name.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::name::squashed;

/// Keys of arguments that do not fit a schema, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyFaults {
    /// Given, but not in the schema.
    pub unknown: Vec<String>,
    /// Required, but not given.
    pub missing: Vec<String>,
}

impl KeyFaults {
    /// Returns `true` if all keys fit.
    pub fn is_empty(&self) -> bool {
        self.unknown.is_empty() && self.missing.is_empty()
    }
}

/// Compares keys with a schema. A key that the schema does not name is unknown, unless the schema says that there can be
/// others.
pub fn key_faults(schema: &Value, arguments: &Map<String, Value>) -> KeyFaults {
    let is_open = is_open(schema);
    let properties = properties(schema);
    let is_known = |key: &str| properties.is_some_and(|names| names.contains_key(key));
    let unknown = arguments.keys().filter(|key| !is_open && !is_known(key)).cloned().collect();
    let missing = required(schema).filter(|key| !arguments.contains_key(*key)).map(str::to_owned).collect();
    KeyFaults { unknown, missing }
}

/// The arguments with each key as the schema writes it, if that is certain: only case, `_` or `-` differ, or one string
/// is missing and one other string is given.
pub(super) fn renamed(schema: &Value, arguments: Map<String, Value>) -> Map<String, Value> {
    let Some(names) = properties(schema) else { return arguments };
    let mut renamed = Map::new();
    let given: Vec<String> = arguments.keys().cloned().collect();
    for (key, value) in arguments {
        let squashed_key = squashed(&key);
        let mut alike = names.keys().filter(|name| !given.contains(name) && squashed(name) == squashed_key);
        let name = match (names.contains_key(&key), alike.next(), alike.next()) {
            (false, Some(name), None) if !renamed.contains_key(name) => name.clone(),
            _ => key,
        };
        renamed.insert(name, value);
    }
    let faults = key_faults(schema, &renamed);
    let is_string = |name: &str| names.get(name).is_some_and(|schema| schema["type"] == "string");
    let missing: Vec<&String> = faults.missing.iter().filter(|name| is_string(name)).collect();
    let unknown: Vec<&String> = faults.unknown.iter().filter(|key| renamed[*key].is_string()).collect();
    if let ([name], [key]) = (&missing[..], &unknown[..])
        && let Some(value) = renamed.remove(*key)
    {
        renamed.insert((*name).clone(), value);
    }
    renamed
}

/// The schemas of the properties.
pub(super) fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

/// The names of the properties that a schema declares, at any depth.
pub(crate) fn declared_names(schema: &Value) -> HashSet<&str> {
    let mut names = HashSet::new();
    add_declared_names(schema, &mut names);
    names
}

fn add_declared_names<'s>(schema: &'s Value, names: &mut HashSet<&'s str>) {
    let mut within = |part: &'s Value| add_declared_names(part, names);
    match schema {
        Value::Array(parts) => parts.iter().for_each(within),
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                match (keyword.as_str(), value.as_object()) {
                    // These are data: what looks like a schema in them declares nothing.
                    ("enum" | "const" | "default" | "examples", _) => {}
                    // Their keys are names, not keywords.
                    ("properties" | "patternProperties" | "$defs" | "definitions", Some(parts)) => {
                        parts.values().for_each(&mut within);
                    }
                    _ => within(value),
                }
            }
            names.extend(properties(schema).into_iter().flat_map(Map::keys).map(String::as_str));
        }
        _ => {}
    }
}

/// The names of required properties.
pub(super) fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Returns `true` if there can be properties that the schema does not name, or names elsewhere.
fn is_open(schema: &Value) -> bool {
    let allows_more = schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
    let names_elsewhere = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf"];
    allows_more || names_elsewhere.iter().any(|keyword| schema.get(keyword).is_some())
}
