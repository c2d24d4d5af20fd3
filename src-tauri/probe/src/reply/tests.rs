use super::*;

#[test]
fn small_talk_needs_one_answer_and_no_tool() {
    let input = json!({
        "model": "tiny-1b", "query": "good evening", "router_reply": "none", "planner_reply": "Answer politely.",
        "chat_replies": [{ "content": "Evening." }], "agentic_max_turns": 8,
    });

    let expected = json!({
        "reply": "Evening.", "executed_tools": [], "chat_calls": 1, "native_tools_param": [false],
        "aux_llm_calls": ["router", "planner"], "plan_in_system_prompt": false, "selection_source": "llm",
        "remembered": ["user", "assistant"], "tool_groups_stored": 0,
    });
    assert_eq!(run(input), Ok(expected));
}

#[test]
fn planned_step_runs_before_a_small_model_is_asked() {
    let input = json!({
        "model": "tiny-1b", "query": "weather in Leeds", "router_reply": "getWeather",
        "planner_reply": "getWeather location='Leeds'\nReply to the user.",
        "chat_replies": [{ "content": "Rain." }],
        "tool_results": { "getWeather": { "success": true, "reply_text": "rain" } }, "agentic_max_turns": 8,
    });

    let expected = json!({
        "reply": "Rain.", "executed_tools": [["getWeather", { "location": "Leeds" }]], "chat_calls": 1,
        "native_tools_param": [false], "aux_llm_calls": ["router", "planner"], "plan_in_system_prompt": true,
        "selection_source": "llm", "remembered": ["user", "assistant"], "tool_groups_stored": 1,
    });
    assert_eq!(run(input), Ok(expected));
}

#[test]
fn rejected_tools_are_offered_as_text() {
    let call = "```tool_call\n{\"name\": \"getWeather\", \"arguments\": {}}\n```";
    let input = json!({
        "model": "big-70b", "query": "weather", "router_reply": "getWeather", "planner_reply": "Reply.",
        "chat_replies": [{ "content": call }, { "content": "tool_calls: []" }], "http_400_on_tools": true,
        "agentic_max_turns": 8,
    });

    let output = run(input).unwrap();

    assert_eq!(output["native_tools_param"], json!([true, false, false]));
    assert_eq!(output["executed_tools"], json!([["getWeather", {}]]));
    assert_eq!(output["reply"], json!({ "kind": "malformed_apology" }));
}

#[test]
fn model_without_a_response_is_asked_once_and_apologised_for() {
    let input = json!({
        "model": "big-70b", "query": "hello", "router_reply": "none", "planner_reply": "Reply.",
        "agentic_max_turns": 8,
    });

    let output = run(input).unwrap();

    assert_eq!((&output["reply"], &output["chat_calls"]), (&json!({ "kind": "generic_apology" }), &json!(1)));
    assert_eq!(output["remembered"], json!(["user", "assistant"]));
}

#[test]
fn answer_is_what_the_model_says_after_its_tools() {
    let call = json!([{ "id": "1", "function": { "name": "getWeather", "arguments": {} } }]);
    let input = json!({
        "model": "big-70b", "query": "weather", "router_reply": "getWeather", "planner_reply": "Reply.",
        "chat_replies": [
            { "content": "Let me look.", "tool_calls": call }, { "content": "", "tool_calls": call },
            { "content": "I cannot tell." },
        ],
        "tool_results": { "getWeather": { "success": false, "error_message": "no network" } }, "agentic_max_turns": 8,
    });

    let output = run(input).unwrap();

    assert_eq!(output["reply"], json!("I cannot tell."));
    assert_eq!(output["executed_tools"], json!([["getWeather", {}]]));
}

#[test]
fn stop_gives_no_reply_and_is_not_remembered() {
    let input = json!({
        "model": "big-70b", "query": "never mind", "router_reply": "none", "planner_reply": "Reply.",
        "chat_replies": [{ "content": "", "tool_calls": [{ "id": "1", "function": { "name": "stop", "arguments": {} } }] }],
        "history": [["user", "hello"], ["assistant", "Hello."]], "agentic_max_turns": 8,
    });

    let output = run(input).unwrap();

    assert_eq!(output["reply"], Value::Null);
    assert_eq!(output["remembered"], json!([]));
}
