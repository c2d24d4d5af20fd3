//! Repairs of values whose meaning is clear.

use serde_json::{Map, Number, Value};

use super::bounds::referred;
use super::keys::{properties, renamed, required};

/// Steps of one repair. More means a schema that is built to hang: the rest stays as it is.
const MAX_STEPS: u32 = 100_000;

/// Levels of schemas within each other, references counted.
const MAX_DEPTH: u32 = 100;

/// The arguments as an object: as they are, as the text of an object, or nothing. `None` for anything else.
pub(super) fn object(arguments: &Value) -> Option<Map<String, Value>> {
    match arguments {
        Value::Object(object) => Some(object.clone()),
        Value::Null => Some(Map::new()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}

/// The arguments with keys and values as the schema wants them, as far as their meaning is clear.
pub(super) fn repaired(schema: &Value, arguments: Map<String, Value>) -> Map<String, Value> {
    let mut repair = Repair { root: schema, steps: 0 };
    match repair.value(schema, Value::Object(arguments), 0) {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    }
}

struct Repair<'a> {
    root: &'a Value,
    steps: u32,
}

impl<'a> Repair<'a> {
    fn value(&mut self, schema: &'a Value, value: Value, depth: u32) -> Value {
        self.steps += 1;
        if self.steps > MAX_STEPS || depth > MAX_DEPTH {
            return value;
        }
        let mut value = value;
        if let Some(to) = schema.get("$ref").and_then(Value::as_str)
            && let Some(referred) = referred(self.root, to)
        {
            value = self.value(referred, value, depth + 1);
        }
        for part in list(schema, "allOf") {
            value = self.value(part, value, depth + 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            value = self.alternatives(list(schema, keyword), value, depth);
        }
        let value = converted(schema, value);
        match value {
            Value::Object(fields) => Value::Object(self.object(schema, fields, depth)),
            Value::Array(items) => Value::Array(self.items(schema, items, depth)),
            single if has_type(schema, "array") && !single.is_null() && !fits_type(schema, &single) => {
                Value::Array(self.items(schema, vec![single], depth))
            }
            plain => plain,
        }
    }

    /// The value as one of the alternatives wants it: one that has its type already, else the first that can be reached.
    fn alternatives(&mut self, alternatives: &'a [Value], value: Value, depth: u32) -> Value {
        let root = self.root;
        let resolved = |schema: &'a Value| {
            schema.get("$ref").and_then(Value::as_str).and_then(|to| referred(root, to)).unwrap_or(schema)
        };
        if let Some(fitting) = alternatives.iter().find(|schema| fits_type(resolved(schema), &value)) {
            return self.value(fitting, value, depth + 1);
        }
        for schema in alternatives {
            let changed = self.value(schema, value.clone(), depth + 1);
            if changed != value && fits_type(resolved(schema), &changed) {
                return changed;
            }
        }
        value
    }

    fn object(&mut self, schema: &'a Value, fields: Map<String, Value>, depth: u32) -> Map<String, Value> {
        let Some(properties) = properties(schema) else { return fields };
        let is_required = |name: &str| required(schema).any(|required| required == name);
        let mut repaired = Map::new();
        for (name, value) in renamed(schema, fields) {
            let Some(property) = properties.get(&name) else {
                repaired.insert(name, value);
                continue;
            };
            let value = self.value(property, value, depth + 1);
            let stands_for_nothing = value.is_null() && !is_required(&name) && !allows_null(property);
            if !stands_for_nothing {
                repaired.insert(name, value);
            }
        }
        repaired
    }

    fn items(&mut self, schema: &'a Value, items: Vec<Value>, depth: u32) -> Vec<Value> {
        match schema.get("items") {
            Some(of_items) => items.into_iter().map(|item| self.value(of_items, item, depth + 1)).collect(),
            None => items,
        }
    }
}

/// A single value in the type of the schema, if there is exactly one way to read it.
fn converted(schema: &Value, value: Value) -> Value {
    let wants = |name: &str| has_type(schema, name);
    match value {
        Value::Number(number) if wants("integer") && !wants("number") => {
            whole(&number).map_or(Value::Number(number), Value::from)
        }
        Value::String(text) if !has_any_type(schema) || wants("string") => chosen(schema, text),
        Value::String(text) => {
            let trimmed = text.trim();
            let number = trimmed.parse::<f64>().ok().and_then(Number::from_f64);
            let integer = trimmed.parse::<i64>().ok().or_else(|| number.as_ref().and_then(whole));
            match (integer, number, trimmed.to_ascii_lowercase().as_str()) {
                (Some(integer), _, _) if wants("integer") || wants("number") => integer.into(),
                (_, Some(number), _) if wants("number") => Value::Number(number),
                (_, _, "true") if wants("boolean") => true.into(),
                (_, _, "false") if wants("boolean") => false.into(),
                (_, _, "null") if wants("null") => Value::Null,
                _ => {
                    let read = serde_json::from_str(trimmed).ok();
                    let is_wanted = |read: &Value| {
                        (read.is_array() && wants("array")) || (read.is_object() && wants("object"))
                    };
                    read.filter(is_wanted).unwrap_or(Value::String(text))
                }
            }
        }
        Value::Number(_) | Value::Bool(_) if wants("string") && !fits_type(schema, &value) => {
            Value::String(value.to_string())
        }
        other => other,
    }
}

/// The choice of the schema that differs from the text in nothing but case and blanks.
fn chosen(schema: &Value, text: String) -> Value {
    let choices = list(schema, "enum");
    if choices.iter().any(|choice| choice.as_str() == Some(&text)) {
        return Value::String(text);
    }
    let mut alike = choices.iter().filter(|choice| {
        choice.as_str().is_some_and(|choice| choice.to_lowercase() == text.trim().to_lowercase())
    });
    match (alike.next(), alike.next()) {
        (Some(choice), None) => choice.clone(),
        _ => Value::String(text),
    }
}

fn whole(number: &Number) -> Option<i64> {
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15);
    number.as_i64().or(float.map(|float| float as i64))
}

fn list<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn has_any_type(schema: &Value) -> bool {
    schema.get("type").is_some()
}

fn has_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(names)) => names.iter().any(|other| other == name),
        _ => false,
    }
}

fn allows_null(schema: &Value) -> bool {
    let alternatives = list(schema, "anyOf").iter().chain(list(schema, "oneOf"));
    has_type(schema, "null")
        || list(schema, "enum").contains(&Value::Null)
        || alternatives.into_iter().any(|schema| has_type(schema, "null"))
}

/// Returns `true` if the value has a type that the schema names, or the schema names none.
fn fits_type(schema: &Value, value: &Value) -> bool {
    let names: &[&str] = match value {
        Value::Null => &["null"],
        Value::Bool(_) => &["boolean"],
        Value::Number(number) if whole(number).is_some() => &["integer", "number"],
        Value::Number(_) => &["number"],
        Value::String(_) => &["string"],
        Value::Array(_) => &["array"],
        Value::Object(_) => &["object"],
    };
    !has_any_type(schema) || names.iter().any(|name| has_type(schema, name))
}
