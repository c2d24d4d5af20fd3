//! A command as its author declares it, and the OpenAI function tool that is made of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::declared_tool::{CommandExample, DeclaredFunction, DeclaredTool};

/// A command that this side runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Command {
    /// The name of the tool.
    pub command_name: String,
    /// For the model.
    #[serde(default)]
    pub description: String,
    /// In the order in which the model sees them.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// Words of requests for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub keywords: Vec<String>,
    /// Requests for it; the first one is the primary one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub examples: Vec<CommandExample>,
}

/// A parameter of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Parameter {
    /// The name of the property.
    pub name: String,
    /// A type of the Command Center protocol, such as `int` or `array<date>`.
    #[serde(rename = "type")]
    pub declared_type: String,
    /// `false` if the model may leave it out. A server that finds no value takes it for `true`: it is always sent.
    #[serde(default)]
    pub required: bool,
    /// For the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The values that are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enum_values: Option<Vec<Value>>,
}

impl Command {
    /// The command of a tool whose arguments have a JSON schema. The protocol knows flat parameters alone: the inside of an
    /// object is left to the check of the arguments.
    pub fn from_schema(name: &str, description: &str, schema: &Value) -> Self {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = schema["properties"].as_object();
        let parameters = properties.into_iter().flatten().map(|(name, property)| Parameter {
            name: name.clone(),
            declared_type: declared_type(property),
            required: required.contains(&name.as_str()),
            description: property["description"].as_str().map(str::to_owned),
            enum_values: property["enum"].as_array().cloned(),
        });
        Self {
            command_name: name.to_owned(),
            description: description.to_owned(),
            parameters: parameters.collect(),
            ..Self::default()
        }
    }

    /// The same command, with words of requests for it, and with requests and the parameters that answer them.
    pub fn asked_for_by(
        self,
        keywords: Vec<String>,
        requests: impl IntoIterator<Item = (String, Value)>,
    ) -> Self {
        let examples = requests.into_iter().enumerate().map(|(at, (voice_command, expected_parameters))| {
            CommandExample { voice_command, expected_parameters, is_primary: at == 0 }
        });
        Self { keywords, examples: examples.collect(), ..self }
    }

    /// The command as an OpenAI function tool.
    pub fn openai_tool(&self) -> DeclaredTool {
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .map(|parameter| (parameter.name.clone(), Value::Object(parameter.property())))
            .collect();
        let mut required: Vec<&str> = Vec::new();
        for parameter in self.parameters.iter().filter(|parameter| parameter.required) {
            if !required.contains(&parameter.name.as_str()) {
                required.push(&parameter.name);
            }
        }
        let parameters = json!({ "type": "object", "properties": properties, "required": required });
        DeclaredTool {
            kind: "function".to_owned(),
            function: DeclaredFunction {
                name: self.command_name.clone(),
                description: Some(self.description.clone()),
                parameters: Some(parameters),
            },
            allow_direct_answer: None,
            keywords: self.keywords.clone(),
            examples: self.examples.clone(),
        }
    }
}

impl Parameter {
    fn property(&self) -> Map<String, Value> {
        let mut property = schema_of(&self.declared_type);
        if let Some(description) = self.description.as_ref().filter(|text| !text.is_empty()) {
            property.insert("description".to_owned(), json!(description));
        }
        if let Some(values) = self.enum_values.as_ref().filter(|values| !values.is_empty()) {
            property.insert("enum".to_owned(), json!(values));
        }
        property
    }
}

/// The type of the Command Center protocol for a JSON schema. One that may be null counts as its other type, a choice of
/// several as a text.
fn declared_type(schema: &Value) -> String {
    let kind = match &schema["type"] {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("")
        }
        _ => "",
    };
    match kind {
        "integer" => "int".to_owned(),
        "number" => "float".to_owned(),
        "boolean" => "bool".to_owned(),
        "object" => "dict".to_owned(),
        "array" => format!("array<{}>", declared_type(&schema["items"])),
        _ => "string".to_owned(),
    }
}

/// The JSON schema of a declared type. An unknown type is a text. Every array has `items`: strict servers refuse it without.
fn schema_of(declared_type: &str) -> Map<String, Value> {
    let declared = declared_type.trim().to_ascii_lowercase();
    let schema = |kind: &str| Map::from_iter([("type".to_owned(), json!(kind))]);
    if declared.starts_with("array") || declared == "list" || declared.ends_with("[]") {
        let items = element_type(&declared).map_or_else(|| schema("string"), items_of);
        let mut array = schema("array");
        array.insert("items".to_owned(), Value::Object(items));
        return array;
    }
    schema(match declared.as_str() {
        "int" | "integer" => "integer",
        "float" => "number",
        "bool" | "boolean" => "boolean",
        "dict" => "object",
        _ => "string",
    })
}

/// The schema of the elements of an array. Dates have a format there.
fn items_of(element: &str) -> Map<String, Value> {
    let mut items = schema_of(element);
    let format = match element {
        "datetime" => "date-time",
        "date" => "date",
        _ => return items,
    };
    items.insert("format".to_owned(), json!(format));
    items
}

/// The type of the elements in `array<T>`, `array[T]` or `T[]`; `None` for anything else.
pub(crate) fn element_type(declared: &str) -> Option<&str> {
    let inside = |open: &str, close: char| {
        declared.strip_prefix("array")?.trim_start().strip_prefix(open)?.strip_suffix(close)
    };
    inside("<", '>')
        .or_else(|| inside("[", ']').filter(|inner| !inner.is_empty()))
        .or_else(|| declared.strip_suffix("[]"))
        .map(str::trim)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::string("string", json!({"type": "string"}))]
    #[case::short_string("str", json!({"type": "string"}))]
    #[case::int("int", json!({"type": "integer"}))]
    #[case::integer("integer", json!({"type": "integer"}))]
    #[case::float("float", json!({"type": "number"}))]
    #[case::bool("bool", json!({"type": "boolean"}))]
    #[case::boolean("boolean", json!({"type": "boolean"}))]
    #[case::dict("dict", json!({"type": "object"}))]
    #[case::datetime("datetime", json!({"type": "string"}))]
    #[case::date("date", json!({"type": "string"}))]
    #[case::time("time", json!({"type": "string"}))]
    #[case::timedelta("timedelta", json!({"type": "string"}))]
    #[case::unknown("colour", json!({"type": "string"}))]
    #[case::list("list", json!({"type": "array", "items": {"type": "string"}}))]
    #[case::array("array", json!({"type": "array", "items": {"type": "string"}}))]
    #[case::datetimes("array<datetime>", json!({"type": "array", "items": {"type": "string", "format": "date-time"}}))]
    #[case::dates("array<date>", json!({"type": "array", "items": {"type": "string", "format": "date"}}))]
    #[case::dates_in_brackets("array[date]", json!({"type": "array", "items": {"type": "string", "format": "date"}}))]
    #[case::strings("array<string>", json!({"type": "array", "items": {"type": "string"}}))]
    #[case::times("array[time]", json!({"type": "array", "items": {"type": "string"}}))]
    #[case::strings_with_suffix("string[]", json!({"type": "array", "items": {"type": "string"}}))]
    #[case::numbers("array<int>", json!({"type": "array", "items": {"type": "integer"}}))]
    #[case::open_bracket("array<int", json!({"type": "array", "items": {"type": "string"}}))]
    fn declared_type_has_a_json_schema(#[case] declared: &str, #[case] expected: Value) {
        assert_eq!(Value::Object(schema_of(declared)), expected);
    }

    #[test]
    fn command_becomes_a_function_tool_with_its_parameters_in_order() {
        let command: Command = serde_json::from_value(json!({
            "command_name": "get_weather",
            "description": "Gets the weather",
            "parameters": [
                {"name": "unit", "type": "string", "enum_values": ["c", "f"]},
                {"name": "city", "type": "string", "required": true, "description": "Name of a city"},
                {"name": "days", "type": "int", "description": "", "enum_values": []},
            ],
        }))
        .unwrap();

        let tool = json!(command.openai_tool());

        let expected = json!({"type": "function", "function": {
            "name": "get_weather",
            "description": "Gets the weather",
            "parameters": {"type": "object", "properties": {
                "unit": {"type": "string", "enum": ["c", "f"]},
                "city": {"type": "string", "description": "Name of a city"},
                "days": {"type": "integer"},
            }, "required": ["city"]},
        }});
        assert_eq!(tool.to_string(), expected.to_string());
    }

    #[rstest]
    #[case::text(json!({"type": "string"}), "string")]
    #[case::whole(json!({"type": "integer", "minimum": 1}), "int")]
    #[case::number(json!({"type": "number"}), "float")]
    #[case::toggle(json!({"type": "boolean"}), "bool")]
    #[case::object(json!({"type": "object", "properties": {}}), "dict")]
    #[case::texts(json!({"type": "array", "items": {"type": "string"}}), "array<string>")]
    #[case::numbers(json!({"type": "array", "items": {"type": "integer"}}), "array<int>")]
    #[case::array_of_anything(json!({"type": "array"}), "array<string>")]
    #[case::may_be_null(json!({"type": ["null", "integer"]}), "int")]
    #[case::choice(json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), "string")]
    #[case::nothing(json!({}), "string")]
    fn schema_has_a_declared_type(#[case] schema: Value, #[case] expected: &str) {
        assert_eq!(declared_type(&schema), expected);
    }

    #[test]
    fn tool_with_a_schema_becomes_the_same_function_tool_again() {
        let schema = json!({"type": "object", "properties": {
            "operation": {"type": "string", "description": "What to do", "enum": ["read", "list"]},
            "depth": {"type": "integer"},
        }, "required": ["operation"]});

        let tool = Command::from_schema("files", "Reads files", &schema).openai_tool();
        let tool = json!(tool);

        assert_eq!(tool["function"]["parameters"], schema);
        assert_eq!(
            (&tool["function"]["name"], &tool["function"]["description"]),
            (&json!("files"), &json!("Reads files"))
        );
    }

    #[test]
    fn keywords_and_examples_go_with_the_command_and_with_its_tool() {
        let requests = [("count to ten", json!({"to": 10})), ("count", json!({}))];
        let requests = requests.map(|(words, parameters)| (words.to_owned(), parameters));

        let command = Command::from_schema("count", "Counts", &json!({}))
            .asked_for_by(vec!["numbers".to_owned()], requests);

        let (tool, command) = (json!(command.openai_tool()), json!(command));
        let examples = json!([
            {"voice_command": "count to ten", "expected_parameters": {"to": 10}, "is_primary": true},
            {"voice_command": "count", "expected_parameters": {}, "is_primary": false},
        ]);
        for sent in [tool, command] {
            assert_eq!((&sent["keywords"], &sent["examples"]), (&json!(["numbers"]), &examples));
        }
    }

    #[test]
    fn command_without_parameters_has_an_empty_list_of_required_ones() {
        let command = Command { command_name: "stop".to_owned(), ..Command::default() };

        let parameters = &json!(command.openai_tool())["function"]["parameters"];

        assert_eq!(*parameters, json!({"type": "object", "properties": {}, "required": []}));
    }
}
