//! The arguments of a tool call, as models and servers write them.

use serde_json::{Map, Value};

use crate::python_literal;

/// The arguments of a call. They usually come as a JSON text; an object is taken as it is.
///
/// Falls open: text that is not a JSON object means no arguments. A list that was encoded twice is decoded, also when it
/// is written as a Python list.
pub fn decode_arguments(arguments: &Value) -> Map<String, Value> {
    let decoded = match arguments {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    };
    let Value::Object(mut object) = decoded else { return Map::new() };
    for value in object.values_mut() {
        if let Some(list) = value.as_str().and_then(decoded_list) {
            *value = list;
        }
    }
    object
}

/// The list that a text holds, from `[` to `]`.
fn decoded_list(text: &str) -> Option<Value> {
    if !(text.starts_with('[') && text.ends_with(']')) {
        return None;
    }
    serde_json::from_str(text).ok().or_else(|| python_literal::parse(text))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::object(json!(r#"{"city": "Miami", "days": 2}"#), json!({"city": "Miami", "days": 2}))]
    #[case::white_space(json!(" \n{\"a\": 1}\t"), json!({"a": 1}))]
    #[case::real_object(json!({"a": "[1]"}), json!({"a": [1]}))]
    #[case::nothing(json!(""), json!({}))]
    #[case::null(json!("null"), json!({}))]
    #[case::absent(Value::Null, json!({}))]
    #[case::list(json!("[1, 2]"), json!({}))]
    #[case::encoded_twice(json!(r#""{\"a\": 1}""#), json!({}))]
    #[case::broken(json!(r#"{"a": 1"#), json!({}))]
    #[case::trailing_comma(json!(r#"{"a": 1,}"#), json!({}))]
    #[case::python_object(json!("{'a': 1}"), json!({}))]
    #[case::not_a_number(json!(r#"{"a": NaN}"#), json!({}))]
    #[case::second_of_two_names_wins(json!(r#"{"a": 1, "a": 2}"#), json!({"a": 2}))]
    #[case::list_in_text(json!(r#"{"d": "[\"today\", \"tomorrow\"]"}"#), json!({"d": ["today", "tomorrow"]}))]
    #[case::python_list(json!(r#"{"d": "['today', None, True, 1.5]"}"#), json!({"d": ["today", null, true, 1.5]}))]
    #[case::python_list_with_comma(json!(r#"{"d": "['today',]"}"#), json!({"d": ["today"]}))]
    #[case::empty_list(json!(r#"{"d": "[]"}"#), json!({"d": []}))]
    #[case::list_of_objects(json!(r#"{"d": "[{'a': {'b': [1, -2]}}]"}"#), json!({"d": [{"a": {"b": [1, -2]}}]}))]
    #[case::no_list(json!(r#"{"d": "[today]"}"#), json!({"d": "[today]"}))]
    #[case::expression(json!(r#"{"d": "[1] + [2]"}"#), json!({"d": "[1] + [2]"}))]
    #[case::blank_before_list(json!(r#"{"d": " [1]"}"#), json!({"d": " [1]"}))]
    #[case::text_in_text(json!(r#"{"d": "{\"a\": 1}"}"#), json!({"d": "{\"a\": 1}"}))]
    #[case::nested_text_stays(json!(r#"{"d": {"e": "[1]"}}"#), json!({"d": {"e": "[1]"}}))]
    #[case::names_of_any_script(json!(r#"{"étage": "[\"ü\", '東']"}"#), json!({"étage": ["ü", "東"]}))]
    fn arguments_are_decoded_to_an_object(#[case] arguments: Value, #[case] expected: Value) {
        assert_eq!(Value::Object(decode_arguments(&arguments)), expected);
    }
}
