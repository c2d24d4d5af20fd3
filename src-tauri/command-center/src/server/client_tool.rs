//! A tool of a node, as it was registered.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::parameter_value::fits_declared_type;

/// A tool that a node runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientTool {
    /// The name by which it is called.
    pub name: String,
    /// For the model.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Value,
    /// `false` if the model has to call a tool instead of answering itself.
    pub allows_direct_answer: Option<bool>,
    /// The declared types of its parameters.
    declared_types: BTreeMap<String, String>,
}

impl ClientTool {
    /// Reads an entry of `client_tools`, with the entry of `available_commands` about the same tool.
    ///
    /// # Errors
    ///
    /// The entry is malformed, in words.
    pub(super) fn read(tool: &Value, commands: &[Value]) -> Result<Self, String> {
        let function =
            tool.get("function").and_then(Value::as_object).ok_or("function: an object is expected")?;
        let name = function.get("name").and_then(Value::as_str).filter(|name| !name.trim().is_empty());
        let name = name.ok_or("function -> name: a name is expected")?;
        let parameters = match function.get("parameters") {
            None | Some(Value::Null) => serde_json::json!({ "type": "object", "properties": {} }),
            Some(schema @ Value::Object(_)) => schema.clone(),
            Some(_) => return Err("function -> parameters: an object is expected".to_owned()),
        };
        let command = commands.iter().find(|command| command["command_name"] == name);
        let direct_answer = |source: &Value| source.get("allow_direct_answer").and_then(Value::as_bool);
        Ok(Self {
            name: name.to_owned(),
            description: function.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            allows_direct_answer: direct_answer(tool).or_else(|| command.and_then(direct_answer)),
            declared_types: declared_types(&parameters, command),
            parameters,
        })
    }

    /// The parameters whose values do not fit: `tool.param expected type`.
    pub(super) fn problems(&self, arguments: &Map<String, Value>) -> Vec<String> {
        let types = self.declared_types.iter();
        let misfits = types.filter(|(name, declared)| {
            !fits_declared_type(declared, arguments.get(*name).unwrap_or(&Value::Null))
        });
        misfits.map(|(name, declared)| format!("{}.{name} expected {declared}", self.name)).collect()
    }
}

fn declared_types(schema: &Value, command: Option<&Value>) -> BTreeMap<String, String> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut types: BTreeMap<String, String> =
        properties.filter_map(|(name, property)| Some((name.clone(), type_of(property)?))).collect();
    let parameters = command.and_then(|command| command["parameters"].as_array()).into_iter().flatten();
    types.extend(parameters.filter_map(|parameter| {
        Some((parameter["name"].as_str()?.to_owned(), parameter["type"].as_str()?.to_owned()))
    }));
    types
}

/// The type of a property in the words of the Command Center protocol; `None` for a type that it has no word for.
fn type_of(property: &Value) -> Option<String> {
    match property["type"].as_str()? {
        "array" => type_of(&property["items"]).map(|element| format!("array<{element}>")),
        "string" => Some(match property["format"].as_str() {
            Some("date") => "date".to_owned(),
            Some("date-time") => "datetime".to_owned(),
            _ => "string".to_owned(),
        }),
        kind @ ("integer" | "number" | "boolean") => Some(kind.to_owned()),
        _ => None,
    }
}
