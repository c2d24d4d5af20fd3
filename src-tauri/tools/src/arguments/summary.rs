//! The arguments of a tool in one line.

use serde_json::Value;

use super::keys::{properties, required};

/// Properties that are named.
const SHOWN: usize = 20;

/// Names and types of the arguments: `location: string (required), days: integer`.
pub fn summary(schema: &Value) -> String {
    let Some(properties) = properties(schema).filter(|properties| !properties.is_empty()) else {
        return "no arguments".to_owned();
    };
    let required: Vec<&str> = required(schema).collect();
    let property = |(name, schema): (&String, &Value)| {
        let mark = if required.contains(&&**name) { " (required)" } else { "" };
        format!("{name}: {}{mark}", kind(schema))
    };
    let mut shown: Vec<String> = properties.iter().take(SHOWN).map(property).collect();
    if properties.len() > SHOWN {
        shown.push(format!("and {} more", properties.len() - SHOWN));
    }
    shown.join(", ")
}

fn kind(schema: &Value) -> String {
    let choices = schema.get("enum").and_then(Value::as_array).filter(|choices| choices.len() <= SHOWN);
    if let Some(choices) = choices {
        return choices.iter().map(Value::to_string).collect::<Vec<_>>().join(" or ");
    }
    match schema.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    }
}
