use rstest::rstest;

use super::*;

#[rstest]
#[case::arguments("cc-tool-arguments", json!({"arguments": "{\"d\": \"['today']\"}"}), json!({"d": ["today"]}))]
#[case::result(
    "cc-tool-result",
    json!({"tool_call_id": "c1", "response": {"success": true, "error_details": null, "actions": null,
        "context_data": {"message": "Hi", "at": {"$datetime": "2025-01-02T03:04:05+00:00"}, "days": [{"$date": "2025-01-02"}], "raw": {"$bytes": "AA=="}}}}),
    json!({"tool_call_id": "c1", "output": {"success": true, "message": "Hi", "error": null,
        "context": {"at": "2025-01-02T03:04:05+00:00", "days": ["2025-01-02"]}}})
)]
#[case::raised(
    "cc-tool-result",
    json!({"tool_call_id": "c1", "response": {"raised": "timeout"}}),
    json!({"tool_call_id": "c1", "output": {"success": false, "error": "timeout", "context": null}})
)]
#[case::unknown_tool(
    "cc-tool-result",
    json!({"tool_call_id": "c1", "response": {"unknown_tool": "fly"}}),
    json!({"tool_call_id": "c1", "output": {"success": false, "error": "there is no tool named fly", "context": null}})
)]
#[case::schema(
    "cc-openai-schema",
    json!({"command_name": "w", "description": "d", "parameters": [{"name": "n", "type": "int", "required": null, "description": null, "enum_values": null}]}),
    json!({"type": "function", "function": {"name": "w", "description": "d", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": []}}})
)]
#[case::valid("cc-param-validation", json!({"declared_type": "int[]", "value": [1]}), json!({"valid": true}))]
#[case::model_output(
    "cc-model-output",
    json!({"model_output": "{\"message\": \"m\", \"tool_call\": {\"name\": \"a\", \"arguments\": {\"x\": 1}}}"}),
    json!({"kind": "tool_calls", "calls": [{"name": "a", "arguments": {"x": 1}}], "message": "m"})
)]
#[case::run_tools(
    "cc-response-parse",
    json!({"http_status": 200, "body": {"stop_reason": "tool_calls", "tool_calls": [{"id": "c", "function": {"name": "a", "arguments": "{}"}}]}}),
    json!({"action": "run_tools", "calls": [{"id": "c", "name": "a", "arguments": {}}], "interim_message": null})
)]
#[case::ask(
    "cc-response-parse",
    json!({"http_status": 200, "body": {"stop_reason": "validation", "validation": {"question": "Which?", "parameter_name": "p"}}}),
    json!({"action": "ask", "question": "Which?", "parameter_name": "p", "options": null, "tool_call_id": null})
)]
#[case::finish("cc-response-parse", json!({"http_status": 200, "body": {"stop_reason": "stop"}}), json!({"action": "finish", "message": {"kind": "stock"}}))]
#[case::silent("cc-response-parse", json!({"http_status": 200, "body": {"stop_reason": "not_for_me"}}), json!({"action": "silent"}))]
#[case::fail("cc-response-parse", json!({"http_status": 422, "body": {"detail": "gone"}}), json!({"action": "fail", "reason": "conversation_expired", "detail": "gone"}))]
#[case::noise("cc-noise", json!({"transcript": "*sniff*"}), json!({"noise": true}))]
#[case::not_for_me("cc-not-for-me", json!({"model_text": "<Not_For_Me/>"}), json!({"not_for_me": true}))]
#[case::false_wake("cc-false-wake", json!({"transcript": "Sorry Jarvis.", "hit_max_duration": false}), json!({"false_wake": true}))]
#[case::timer("cc-timer-preroute", json!({"text": "set a tea timer for 5 minutes"}), json!({"timer": {"duration_seconds": 300, "label": "tea"}}))]
#[case::no_timer("cc-timer-preroute", json!({"text": "cancel my 5 minute timer"}), json!({"timer": null}))]
#[case::routine("cc-routine-match", json!({"text": "good morning", "trigger_phrases": ["good morning"]}), json!({"match": true}))]
#[case::no_routine("cc-routine-match", json!({"text": "good", "trigger_phrases": ["good morning"]}), json!({"match": false}))]
#[case::time("cc-time-parse", json!({"time": "730pm"}), json!({"hour": 19, "minute": 30}))]
#[case::no_time("cc-time-parse", json!({"time": "banana"}), json!({"hour": 0, "minute": 0}))]
#[case::dates(
    "cc-date-keys",
    json!({"keys": ["tomorrow", "morning", "someday"], "now_local": "2025-01-15T10:00:00", "timezone": "America/New_York"}),
    json!({"utc": ["2025-01-16T12:00:00Z"], "unresolved": ["someday"]})
)]
fn suite_answers_with_the_code_of_the_product(
    #[case] name: &str,
    #[case] input: Value,
    #[case] expected: Value,
) {
    assert_eq!(suite(name).unwrap()(input), Ok(expected));
}

#[test]
fn client_loop_lists_what_was_posted_and_run() {
    let input = json!({
        "utterance": "weather",
        "start_ok": false,
        "responses": [
            {"status": 200, "body": {"stop_reason": "tool_calls", "request_information": {"conversation_id": "$conversation_id"},
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Oslo\"}"}}]}},
            {"status": 200, "body": {"stop_reason": "validation_required", "validation_request": {"question": "Which?", "parameter_name": "p"}}},
            {"status": 200, "body": {"stop_reason": "complete", "assistant_message": "Rain"}},
        ],
        "tools": {"weather": {"success": true, "context_data": {"f": 50}, "error_details": null, "wait_for_input": false}},
        "user_answer": "Florida",
    });

    let mut output = suite("cc-client-loop").unwrap()(input).unwrap();

    let posts = output["posts"].take();
    let endpoints: Vec<&str> =
        posts.as_array().unwrap().iter().filter_map(|post| post["endpoint"].as_str()).collect();
    assert_eq!(endpoints, ["start", "command", "continue", "continue"]);
    assert_eq!(
        posts[2]["body"]["tool_results"][0]["output"],
        json!({"success": true, "context": {"f": 50}, "error": null})
    );
    assert_eq!(posts[3]["body"]["tool_results"][0]["output"]["answer"], json!("Florida"));
    let expected = json!({
        "success": true, "message": "Rain", "spoken": true, "wait_for_input": false, "posts": null,
        "ran": [{"name": "weather", "arguments": {"city": "Oslo"}}],
    });
    assert_eq!(output, expected);
}

#[test]
fn client_loop_ends_with_a_stock_phrase_without_a_server() {
    let input =
        json!({"utterance": "hi", "start_ok": true, "responses": [null], "tools": {}, "user_answer": null});

    let output = suite("cc-client-loop").unwrap()(input).unwrap();

    assert_eq!((&output["success"], &output["message"]), (&json!(false), &json!({"kind": "stock"})));
}

#[test]
fn server_routes_answer_each_request_in_turn() {
    let post = |path: &str, key: &str, body: Value| json!({"request": {"method": "POST", "path": format!("/api/v0/{path}"), "headers": {"X-API-Key": key}, "body": body.to_string()}});
    let command = json!({"voice_command": "hi", "conversation_id": "c"});
    let tool = json!({"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}});
    let input = json!({
        "nodes": {"kitchen": "secret"},
        "model_script": [{"calls": [{"id": "c1", "name": "weather", "arguments": {}}]}, {"asks": {"question": "Which?", "parameter_name": "p"}}],
        "steps": [
            post("voice/command", "kitchen:secret", command.clone()),
            post("conversation/start", "kitchen:secret", json!({"conversation_id": "c", "client_tools": [tool]})),
            post("voice/command", "kitchen:wrong", command.clone()),
            post("voice/command", "kitchen:secret", command.clone()),
            post("voice/command/continue", "kitchen:secret", json!({"conversation_id": "c", "tool_results": [{"tool_call_id": "c1", "output": 1}]})),
            post("voice/command/continue", "kitchen:secret", json!({"conversation_id": "c", "validation_response": "that one"})),
            {"advance_s": 601},
            post("voice/command", "kitchen:secret", command),
            {"request": {"method": "GET", "path": "/api/v0/ping", "headers": {}, "body": null}},
            {"request": {"method": "GET", "path": "/api/v0/ping", "headers": {"Host": "evil.example"}, "body": null}},
        ],
    });

    let output = suite("cc-server-routes").unwrap()(input).unwrap();

    let shown: Vec<Value> = output["responses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|response| json!([response["status"], response["body"]["stop_reason"]]))
        .collect();
    let expected = json!([
        [422, null],
        [200, null],
        [401, null],
        [200, "tool_calls"],
        [200, "validation_required"],
        [200, "complete"],
        [422, null],
        [200, null],
        [403, null],
    ]);
    assert_eq!(json!(shown), expected);
}
