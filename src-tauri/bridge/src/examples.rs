//! Example arguments, made from the schema of a tool.
//!
//! Source: docs/behaviour/bridge.md#example-arguments. Of a schema's own examples and lists of choices more is used than by the original,
//! which loses `false`, 0 and everything for strings.

use serde_json::{Map, Value, json};

/// The example for a string of this name. Source: docs/behaviour/bridge.md#example-arguments; the first row that fits counts.
const PROMPT: &str = "description of what you want";
/// As above.
const QUERY: &str = "search query";
/// As above.
const PATH: &str = "filename.txt";
/// As above.
const CONTENT: &str = "content to write";

/// An example for each argument of a tool. A schema without properties has none.
pub fn example_arguments(schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let examples = properties.into_iter().flatten().map(|(key, schema)| (key.clone(), example(key, schema)));
    examples.collect()
}

fn example(key: &str, schema: &Value) -> Value {
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    match kind {
        "string" => fitting_example(schema, Value::is_string).unwrap_or_else(|| example_text(key).into()),
        "number" => own_example(schema, Value::is_number).unwrap_or_else(|| json!(1)),
        "boolean" => own_example(schema, Value::is_boolean).unwrap_or_else(|| json!(true)),
        "object" => Value::Object(example_arguments(schema)),
        "array" => own_example(schema, Value::is_array).unwrap_or_else(|| json!([])),
        _ => own_example(schema, |value| !value.is_null()).unwrap_or(Value::Null),
    }
}

fn example_text(key: &str) -> String {
    match key {
        "prompt" => PROMPT.to_owned(),
        "query" => QUERY.to_owned(),
        key if key.contains("path") => PATH.to_owned(),
        key if key.contains("content") => CONTENT.to_owned(),
        key => format!("example_{key}"),
    }
}

/// The example that the schema gives, whatever its type is, else the first fitting one.
fn own_example(schema: &Value, fits: fn(&Value) -> bool) -> Option<Value> {
    let given = schema.get("example").filter(|value| says_something(value)).cloned();
    given.or_else(|| fitting_example(schema, fits))
}

/// The example that the schema gives, or its first choice, if it has the right type.
fn fitting_example(schema: &Value, fits: fn(&Value) -> bool) -> Option<Value> {
    let choices = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    schema.get("example").into_iter().chain(choices).find(|value| fits(value)).cloned()
}

/// Returns `true` for everything but null, `false`, 0 and the empty text: the original takes only such examples.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::prompt(json!({"prompt": {"type": "string"}}), json!({"prompt": "description of what you want"}))]
    #[case::query(json!({"query": {"type": "string"}}), json!({"query": "search query"}))]
    #[case::path(json!({"file_path": {"type": "string"}}), json!({"file_path": "filename.txt"}))]
    #[case::path_before_content(json!({"content_path": {"type": "string"}}), json!({"content_path": "filename.txt"}))]
    #[case::content(json!({"contents": {"type": "string"}}), json!({"contents": "content to write"}))]
    #[case::longer_than_query(json!({"query_text": {"type": "string"}}), json!({"query_text": "example_query_text"}))]
    #[case::other_string(json!({"to": {"type": "string"}}), json!({"to": "example_to"}))]
    #[case::number(json!({"n": {"type": "number"}}), json!({"n": 1}))]
    #[case::number_with_example(json!({"n": {"type": "number", "example": 2.5}}), json!({"n": 2.5}))]
    #[case::boolean(json!({"b": {"type": "boolean"}}), json!({"b": true}))]
    #[case::false_is_an_example(json!({"b": {"type": "boolean", "example": false}}), json!({"b": false}))]
    #[case::array(json!({"a": {"type": "array", "items": {"type": "string"}}}), json!({"a": []}))]
    #[case::array_with_example(json!({"a": {"type": "array", "example": ["x"]}}), json!({"a": ["x"]}))]
    #[case::integer(json!({"i": {"type": "integer"}}), json!({"i": null}))]
    #[case::integer_with_example(json!({"i": {"type": "integer", "example": 7}}), json!({"i": 7}))]
    #[case::union(json!({"u": {"type": ["string", "null"]}}), json!({"u": null}))]
    #[case::no_type(json!({"u": {"example": "x"}}), json!({"u": "x"}))]
    #[case::choices(json!({"ratio": {"type": "string", "enum": ["1:1", "4:5"]}}), json!({"ratio": "1:1"}))]
    #[case::example_of_another_type(json!({"n": {"type": "number", "example": "two"}}), json!({"n": "two"}))]
    #[case::zero_is_an_example(json!({"n": {"type": "number", "example": 0}}), json!({"n": 0}))]
    #[case::null_is_no_example(json!({"a": {"type": "array", "example": null}}), json!({"a": []}))]
    #[case::object(
        json!({"o": {"type": "object", "properties": {"query": {"type": "string"}, "o": {"type": "object"}}}}),
        json!({"o": {"query": "search query", "o": {}}})
    )]
    #[case::no_schema(json!({"x": true, "y": null}), json!({"x": null, "y": null}))]
    #[case::unicode(json!({"größe": {"type": "string"}}), json!({"größe": "example_größe"}))]
    #[case::nothing(json!({}), json!({}))]
    fn example_fits_the_type_and_the_name(#[case] properties: Value, #[case] expected: Value) {
        let schema = json!({ "type": "object", "properties": properties });

        assert_eq!(Value::Object(example_arguments(&schema)), expected);
    }

    #[rstest]
    #[case::no_properties(json!({"type": "object"}))]
    #[case::null(json!(null))]
    #[case::list(json!([{"properties": {}}]))]
    #[case::text(json!("object"))]
    #[case::properties_are_a_list(json!({"properties": [{"type": "string"}]}))]
    fn schema_without_properties_has_no_example(#[case] schema: Value) {
        assert!(example_arguments(&schema).is_empty());
    }
}
