use rstest::rstest;
use serde_json::json;

use super::*;

fn parse(status: u16, body: &Value) -> Action {
    parse_response(status, body.to_string().as_bytes())
}

fn fails(reason: FailureReason, detail: Option<&str>) -> Action {
    Action::Fail(Failure { reason, detail: detail.map(str::to_owned) })
}

fn finishes(message: Option<&str>) -> Action {
    Action::Finish { message: message.map(str::to_owned) }
}

fn runs(arguments: Value, message: Option<&str>) -> Action {
    let call = ToolCall {
        id: "c1".to_owned(),
        name: "w".to_owned(),
        raw_arguments: arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned),
        arguments: decode_arguments(&arguments),
        failure_message: None,
    };
    Action::RunTools { calls: vec![call], interim_message: message.map(str::to_owned) }
}

fn call(arguments: &Value) -> Value {
    json!([{"id": "c1", "type": "function", "function": {"name": "w", "arguments": arguments}}])
}

#[rstest]
#[case::complete(json!({"stop_reason": "complete", "assistant_message": "Hi", "tool_calls": null}), finishes(Some("Hi")))]
#[case::old_words(json!({"stop_reason": "stop", "message": "Hi"}), finishes(Some("Hi")))]
#[case::new_word_wins(json!({"stop_reason": "complete", "message": "old", "assistant_message": "new"}), finishes(Some("new")))]
#[case::no_words(json!({"stop_reason": "complete", "assistant_message": " "}), finishes(None))]
#[case::stop_reason_wins(json!({"stop_reason": "complete", "assistant_message": "Hi", "tool_calls": call(&json!("{}"))}), finishes(Some("Hi")))]
#[case::calls(json!({"stop_reason": "tool_calls", "assistant_message": "One moment", "tool_calls": call(&json!("{\"city\": \"Miami\"}"))}), runs(json!("{\"city\": \"Miami\"}"), Some("One moment")))]
#[case::old_name_of_calls(json!({"stop_reason": "tool_call", "tool_calls": call(&json!({"a": 1}))}), runs(json!({"a": 1}), None))]
#[case::broken_arguments(json!({"stop_reason": "tool_calls", "tool_calls": call(&json!("{"))}), runs(json!("{"), None))]
#[case::no_calls(json!({"stop_reason": "tool_calls", "tool_calls": []}), fails(FailureReason::UnknownStopReason, Some("tool_calls")))]
#[case::calls_without_id(json!({"stop_reason": "tool_calls", "tool_calls": [{"function": {"name": "w", "arguments": "{}"}}]}), fails(FailureReason::BadBody, Some("a tool call has no id or no name")))]
#[case::calls_that_are_no_list(json!({"stop_reason": "tool_calls", "tool_calls": "w"}), fails(FailureReason::BadBody, Some("tool_calls is no list")))]
#[case::no_validation(json!({"stop_reason": "validation_required"}), fails(FailureReason::UnknownStopReason, Some("validation_required")))]
#[case::no_question(json!({"stop_reason": "validation_required", "validation_request": {"parameter_name": "team"}}), fails(FailureReason::BadBody, Some("the validation request has no question")))]
#[case::not_for_me(json!({"stop_reason": "not_for_me", "assistant_message": "x"}), Action::Silent)]
#[case::error(json!({"stop_reason": "error", "assistant_message": "No model"}), fails(FailureReason::ServerError, Some("No model")))]
#[case::unknown(json!({"stop_reason": "dance"}), fails(FailureReason::UnknownStopReason, Some("dance")))]
#[case::missing(json!({"assistant_message": "Hi"}), fails(FailureReason::UnknownStopReason, None))]
#[case::missing_with_error(json!({"stop_reason": null, "commands": [{"success": false, "errors": {"type": "llm_error", "message": "No model"}}]}), fails(FailureReason::UnknownStopReason, Some("No model")))]
#[case::number(json!({"stop_reason": 5}), fails(FailureReason::UnknownStopReason, Some("5")))]
#[case::list(json!([1]), fails(FailureReason::BadBody, None))]
#[case::null(Value::Null, fails(FailureReason::BadBody, None))]
#[case::text(json!("<html>"), fails(FailureReason::BadBody, None))]
fn body_decides_what_the_client_does(#[case] body: Value, #[case] expected: Action) {
    assert_eq!(parse(200, &body), expected);
}

#[rstest]
#[case::rejected(401, json!({"detail": "unknown node"}), FailureReason::Unauthorised, Some("unknown node"))]
#[case::expired(422, json!({"detail": "no conversation"}), FailureReason::ConversationExpired, Some("no conversation"))]
#[case::envelope(400, json!({"error": "validation_error", "message": "bad body", "details": ["a"]}), FailureReason::BadRequest, Some("bad body"))]
#[case::details(400, json!({"detail": [{"loc": ["body"], "msg": "field required"}]}), FailureReason::BadRequest, Some("field required"))]
#[case::not_found(404, json!({"detail": "Not Found"}), FailureReason::BadRequest, Some("Not Found"))]
#[case::failed(503, json!("down"), FailureReason::ServerError, None)]
#[case::status_wins(500, json!({"stop_reason": "complete", "assistant_message": "Hi"}), FailureReason::ServerError, Some("Hi"))]
#[case::redirect(302, json!({}), FailureReason::BadBody, None)]
fn status_decides_before_the_body(
    #[case] status: u16,
    #[case] body: Value,
    #[case] reason: FailureReason,
    #[case] detail: Option<&str>,
) {
    assert_eq!(parse(status, &body), fails(reason, detail));
}

#[rstest]
#[case::new_field("validation_required", "validation_request")]
#[case::old_field("validation", "validation")]
fn question_is_read_in_both_shapes(#[case] stop_reason: &str, #[case] field: &str) {
    let request = json!({"question": "Which Panthers?", "parameter_name": "team", "options": ["Florida", 3]});

    let action = parse(200, &json!({"stop_reason": stop_reason, field: request}));

    let expected = ValidationRequest {
        question: "Which Panthers?".to_owned(),
        parameter_name: "team".to_owned(),
        options: Some(vec!["Florida".to_owned(), "3".to_owned()]),
        tool_call_id: None,
    };
    assert_eq!(action, Action::Ask(expected));
}

#[test]
fn answer_that_is_too_large_is_refused() {
    let many = Value::Array(vec![call(&json!("{}"))[0].clone(); MAX_CALLS + 1]);
    let long = json!({"stop_reason": "complete", "assistant_message": "x".repeat(MAX_RESPONSE_BYTES)});

    let calls = parse(200, &json!({"stop_reason": "tool_calls", "tool_calls": many}));

    assert_eq!(calls, fails(FailureReason::BadBody, Some("too many tool calls")));
    assert_eq!(parse(200, &long), fails(FailureReason::BadBody, None));
}
