use std::time::{Duration, Instant};

use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "search_query": {"type": "string"},
            "days": {"type": "integer", "minimum": 1},
            "ratio": {"type": "number"},
            "is_exact": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "note": {"type": ["string", "null"]}
        },
        "required": ["search_query"]
    })
}

#[rstest]
#[case::as_wanted(json!({"search_query": "a", "days": 5}), json!({"search_query": "a", "days": 5}))]
#[case::number_as_text(json!({"search_query": "a", "days": "5"}), json!({"search_query": "a", "days": 5}))]
#[case::whole_float(json!({"search_query": "a", "days": 5.0}), json!({"search_query": "a", "days": 5}))]
#[case::float_as_text(json!({"search_query": "a", "ratio": " 0.5 "}), json!({"search_query": "a", "ratio": 0.5}))]
#[case::truth_as_text(json!({"search_query": "a", "is_exact": "True"}), json!({"search_query": "a", "is_exact": true}))]
#[case::single_for_list(json!({"search_query": "a", "tags": "x"}), json!({"search_query": "a", "tags": ["x"]}))]
#[case::list_as_text(json!({"search_query": "a", "tags": "[\"x\", \"y\"]"}), json!({"search_query": "a", "tags": ["x", "y"]}))]
#[case::number_in_a_list_of_texts(json!({"search_query": "a", "tags": [1]}), json!({"search_query": "a", "tags": ["1"]}))]
#[case::number_for_text(json!({"search_query": 42}), json!({"search_query": "42"}))]
#[case::null_for_optional(json!({"search_query": "a", "days": null}), json!({"search_query": "a"}))]
#[case::null_where_it_means_something(json!({"search_query": "a", "note": null, "limit": null}), json!({"search_query": "a", "note": null, "limit": null}))]
#[case::alternative_as_text(json!({"search_query": "a", "limit": "3"}), json!({"search_query": "a", "limit": 3}))]
#[case::case_of_a_choice(json!({"search_query": "a", "unit": "Celsius"}), json!({"search_query": "a", "unit": "celsius"}))]
#[case::camel_case_key(json!({"searchQuery": "a", "isExact": true}), json!({"search_query": "a", "is_exact": true}))]
#[case::key_with_hyphen(json!({"Search-Query": "a"}), json!({"search_query": "a"}))]
#[case::other_name_for_the_only_text(json!({"query": "a"}), json!({"search_query": "a"}))]
#[case::unknown_key_is_dropped(json!({"search_query": "a", "mood": "b"}), json!({"search_query": "a"}))]
#[case::object_as_text(json!("{\"search_query\": \"a\"}"), json!({"search_query": "a"}))]
fn clear_arguments_are_repaired(#[case] given: Value, #[case] expected: Value) {
    let schema = ArgumentSchema::new(&schema());

    let fitted = schema.fit(&given, UnknownKeys::Drop).unwrap();

    assert_eq!(Value::Object(fitted), expected);
}

#[rstest]
#[case::missing(json!({"days": 2}), &["missing: search_query"])]
#[case::missing_and_two_candidates(json!({"a": "x", "b": "y"}), &["missing: search_query", "unknown: a, b"])]
#[case::wrong_type(json!({"search_query": "a", "days": "soon"}), &["days: it is not of type \"integer\""])]
#[case::out_of_range(json!({"search_query": "a", "days": 0}), &["days: it is less than the minimum of 1"])]
#[case::no_such_choice(json!({"search_query": "a", "unit": "kelvin"}), &["unit: it is not one of \"celsius\" or \"fahrenheit\""])]
#[case::null_for_required(json!({"search_query": null}), &["search_query: it is not of type \"string\""])]
#[case::no_object(json!([1, 2]), &["they must be one JSON object"])]
#[case::text_without_object(json!("Paris"), &["they must be one JSON object"])]
fn arguments_that_do_not_fit_are_named(#[case] given: Value, #[case] faults: &[&str]) {
    let schema = ArgumentSchema::new(&schema());

    let error = schema.fit(&given, UnknownKeys::Drop).unwrap_err();

    assert_eq!(error.faults, faults);
}

#[test]
fn refusal_tells_the_model_what_to_send() {
    let schema = ArgumentSchema::new(&schema());

    let error = schema.fit(&json!({"days": "soon"}), UnknownKeys::Drop).unwrap_err();

    insta::assert_snapshot!(error, @r#"the arguments do not fit: missing: search_query; days: it is not of type "integer". Expected: search_query: string (required), days: integer, ratio: number, is_exact: boolean, tags: array, unit: "celsius" or "fahrenheit", limit: any, note: string or null."#);
}

#[test]
fn misspelt_key_of_a_serious_call_is_refused() {
    let schema = ArgumentSchema::new(&schema());

    let error = schema.fit(&json!({"search_query": "a", "dryrun": true}), UnknownKeys::Refuse).unwrap_err();

    assert_eq!(error.faults, ["unknown: dryrun"]);
}

#[rstest]
#[case::fine(json!({"search_query": "a"}), &[], &[])]
#[case::both(json!({"query": "a"}), &["query"], &["search_query"])]
fn key_faults_name_unknown_and_missing_keys(
    #[case] given: Value,
    #[case] unknown: &[&str],
    #[case] missing: &[&str],
) {
    let faults = key_faults(&schema(), given.as_object().unwrap());

    assert_eq!((&faults.unknown[..], &faults.missing[..]), (&strings(unknown)[..], &strings(missing)[..]));
}

#[test]
fn nested_objects_are_repaired_through_references() {
    let schema = ArgumentSchema::new(&json!({
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {
            "size": {"type": "integer"},
            "next": {"$ref": "#/$defs/node"}
        }}}
    }));

    let fitted =
        schema.fit(&json!({"root": {"size": "1", "next": {"size": "2"}}}), UnknownKeys::Drop).unwrap();

    assert_eq!(Value::Object(fitted), json!({"root": {"size": 1, "next": {"size": 2}}}));
}

#[rstest]
#[case::circle(json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}))]
#[case::itself(json!({"allOf": [{"$ref": "#"}]}))]
#[case::two_ways_into_itself(json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}))]
#[case::doubling_at_every_level(doubling(60))]
#[case::long_chain(chain(20_000))]
#[case::doubling_with_the_value(json!({"properties": {"a": {"$ref": "#"}}, "allOf": [{"properties": {"a": {"$ref": "#"}}}]}))]
#[case::other_document(json!({"$ref": "https://example.com/schema.json"}))]
#[case::missing_reference(json!({"$ref": "#/$defs/none"}))]
#[case::no_schema(json!("text"))]
#[case::pattern_that_backtracks(json!({"properties": {"a": {"type": "string", "pattern": "^(a|a)*(?=b)$"}}}))]
#[case::broken_pattern(json!({"properties": {"a": {"pattern": "("}}}))]
#[case::a_megabyte(wide(20_000))]
fn hostile_schema_neither_hangs_nor_crashes(#[case] schema: Value) {
    let started = Instant::now();
    let schema = ArgumentSchema::new(&schema);

    for arguments in [json!({"a": "a".repeat(60)}), nested(100), json!({})] {
        let _ = schema.fit(&arguments, UnknownKeys::Drop);
    }

    assert!(started.elapsed() < Duration::from_secs(20), "took {:?}", started.elapsed());
}

proptest! {
    #[test]
    fn any_arguments_are_fitted_or_refused(text in ".{0,40}", number: f64, key in "[a-zA-Z_]{1,12}") {
        let schema = ArgumentSchema::new(&schema());

        for value in [json!(text), json!(number), json!([text]), json!({ &key: number })] {
            let given = json!({"search_query": text, &key: value});
            if let Ok(fitted) = schema.fit(&given, UnknownKeys::Drop) {
                prop_assert!(key_faults(&schema.schema, &fitted).is_empty());
            }
        }
    }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn doubling(levels: usize) -> Value {
    let level = |n: usize| {
        let next = format!("#/$defs/l{}", n + 1);
        (format!("l{n}"), json!({"allOf": [{"$ref": next}, {"$ref": next}]}))
    };
    let mut defs: Map<String, Value> = (0..levels).map(level).collect();
    defs.insert(format!("l{levels}"), json!({"type": "object"}));
    json!({"$ref": "#/$defs/l0", "$defs": defs})
}

fn chain(length: usize) -> Value {
    let link = |n: usize| (format!("l{n}"), json!({"$ref": format!("#/$defs/l{}", n + 1)}));
    let defs: Map<String, Value> = (0..length).map(link).collect();
    json!({"$ref": "#/$defs/l0", "$defs": defs})
}

fn wide(properties: usize) -> Value {
    let property =
        |n: usize| (format!("property_{n}"), json!({"type": "string", "description": "x".repeat(20)}));
    json!({"type": "object", "properties": (0..properties).map(property).collect::<Map<_, _>>()})
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!("end"), |inner, _| json!({"a": inner}))
}
