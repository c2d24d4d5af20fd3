use rstest::rstest;
use serde_json::json;

use super::*;

fn door() -> Value {
    json!({ "type": "function", "function": { "name": "door", "description": null, "parameters": null } })
}

fn read(body: Value) -> Result<Chat, Failure> {
    serde_json::from_value::<ChatRequest>(body).unwrap().read()
}

#[test]
fn messages_become_question_dialogue_and_instructions() {
    let chat = read(json!({ "model": "jarvis", "messages": [
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "Hello" },
        { "role": "assistant", "content": "Hi!" },
        { "role": "user", "content": [{ "type": "text", "text": "And" }, { "type": "text", "text": "now?" }] },
    ]}))
    .unwrap();

    assert_eq!((chat.question.as_str(), chat.instructions.as_str()), ("And\nnow?", "Be brief."));
    let earlier: Vec<(bool, &str)> =
        chat.earlier.iter().map(|said| (said.is_of_user, said.text.as_str())).collect();
    assert_eq!(earlier, [(true, "Hello"), (false, "Hi!")]);
}

#[test]
fn results_after_the_question_belong_to_their_calls() {
    let chat = read(json!({ "model": "jarvis", "messages": [
        { "role": "user", "content": "Is the door open?" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "call_1", "type": "function", "function": { "name": "door", "arguments": "{\"at\":1}" } },
        ]},
        { "role": "tool", "tool_call_id": "call_1", "content": "open" },
    ]}))
    .unwrap();

    assert_eq!(chat.results.len(), 1);
    let CallResult { call, text, said } = &chat.results[0];
    assert_eq!((call.0.as_str(), text.as_str(), said.as_str()), ("call_1", "open", "door({\"at\":1})"));
}

#[test]
fn result_before_the_question_is_told_unless_it_was_answered() {
    let call =
        |id: &str| json!({ "id": id, "type": "function", "function": { "name": "door", "arguments": null } });
    let chat = read(json!({ "model": "jarvis", "messages": [
        { "role": "user", "content": "Is the door open?" },
        { "role": "tool", "tool_call_id": "call_1", "content": "open" },
        { "role": "assistant", "content": "", "tool_calls": [call("call_1")] },
        { "role": "assistant", "content": "It is." },
        { "role": "assistant", "tool_calls": [call("call_2")] },
        { "role": "tool", "tool_call_id": "call_2", "content": "shut" },
        { "role": "developer", "content": "Be brief." },
        { "role": "user", "content": "And now?" },
    ]}))
    .unwrap();

    let unanswered: Vec<(&str, &str)> =
        chat.unanswered.iter().map(|result| (result.said.as_str(), result.text.as_str())).collect();
    assert_eq!((unanswered, chat.instructions.as_str()), (vec![("door()", "shut")], "Be brief."));
}

#[rstest]
#[case::nothing(json!([]), "messages")]
#[case::no_user(json!([{ "role": "assistant", "content": "Hi" }]), "messages")]
#[case::empty(json!([{ "role": "user", "content": " " }]), "messages")]
#[case::picture(json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": {} }] }]), "messages")]
#[case::result_of_nothing_before_the_question(json!([
    { "role": "tool", "tool_call_id": "x", "content": "1" }, { "role": "user", "content": "Hi" }
]), "messages")]
#[case::result_of_nothing(json!([
    { "role": "user", "content": "Hi" }, { "role": "tool", "tool_call_id": "x", "content": "1" }
]), "messages")]
#[case::result_without_a_call(json!([
    { "role": "user", "content": "Hi" }, { "role": "tool", "content": "1" }
]), "messages")]
fn malformed_messages_name_their_field(#[case] messages: Value, #[case] field: &str) {
    let refused = read(json!({ "model": "jarvis", "messages": messages })).unwrap_err();

    assert_eq!(refused.field.as_deref(), Some(field));
}

#[rstest]
#[case::several_answers(json!({ "n": 2 }), "n")]
#[case::any_tool(json!({ "tool_choice": "required" }), "tool_choice")]
#[case::certain_tool(
    json!({ "tool_choice": { "type": "function", "function": { "name": "door" } } }), "tool_choice"
)]
#[case::json(json!({ "response_format": { "type": "json_object" } }), "response_format")]
#[case::probabilities(json!({ "logprobs": true }), "logprobs")]
#[case::older_form(json!({ "functions": [{ "name": "door" }] }), "functions")]
#[case::sound(json!({ "modalities": ["text", "audio"], "audio": { "voice": "alloy", "format": "wav" } }), "modalities")]
#[case::no_tokens(json!({ "max_tokens": 0 }), "max_tokens")]
#[case::no_tokens_by_the_newer_name(json!({ "max_completion_tokens": 0 }), "max_completion_tokens")]
#[case::schema(json!({ "response_format": { "type": "json_schema", "json_schema": { "name": "x" } } }), "response_format")]
#[case::no_end(json!({ "stop": "" }), "stop")]
#[case::tool_of_another_type(json!({ "tools": [{ "type": "custom", "custom": { "name": "door" } }] }), "tools")]
#[case::two_tools_of_one_name(json!({ "tools": [door(), door()] }), "tools")]
#[case::tool_without_a_name(json!({ "tools": [{ "type": "function", "function": { "name": " " } }] }), "tools")]
#[case::many_ends(json!({ "stop": ["a", "b", "c", "d", "e"] }), "stop")]
fn options_that_cannot_be_met_are_refused(#[case] options: Value, #[case] field: &str) {
    let mut body = json!({ "model": "jarvis", "messages": [{ "role": "user", "content": "Hi" }] });
    body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());

    assert_eq!(read(body).unwrap_err().field.as_deref(), Some(field));
}

#[test]
fn options_that_change_nothing_are_taken() {
    let options = json!({
        "model": "jarvis", "messages": [{ "role": "user", "content": "Hi" }], "n": 1, "tool_choice": null,
        "max_tokens": null, "response_format": { "type": "text" }, "logprobs": false,
        "functions": [], "temperature": 0.5, "seed": 3, "user": "x", "modalities": ["text"], "tools": [door()],
        "parallel_tool_calls": true, "stream_options": { "include_usage": true }, "stop": [],
    });

    assert!(read(options).is_ok());
}

#[test]
fn tools_that_must_not_be_called_are_left_out() {
    let tools = json!([{ "type": "function", "function": { "name": "door" } }]);
    let ask = |choice: &str| {
        let messages = json!([{ "role": "user", "content": "Hi" }]);
        read(json!({ "model": "jarvis", "messages": messages, "tools": tools, "tool_choice": choice }))
    };

    assert_eq!(ask("auto").unwrap().tools.len(), 1);
    assert!(ask("none").unwrap().tools.is_empty());
}
