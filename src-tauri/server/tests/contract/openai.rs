//! The OpenAI interface.

use rstest::rstest;
use serde_json::{Value, json};
use testkit::Turn;

use crate::served::{Served, read};

const CHAT: &str = "/v1/chat/completions";

fn question(text: &str) -> Value {
    json!({ "model": "jarvis", "messages": [{ "role": "user", "content": text }] })
}

fn lamp() -> Value {
    json!([{ "type": "function", "function": {
        "name": "set_lamp",
        "description": "Switch the lamp of the kitchen on or off",
        "parameters": { "type": "object", "properties": { "on": { "type": "boolean" } } },
    }}])
}

/// The chunks of a stream of events.
async fn chunks(served: &Served, body: Value) -> Vec<Value> {
    let response = served.post(CHAT).json(&body).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let (last, chunks) = {
        let all: Vec<&str> = data.collect();
        (*all.last().unwrap(), all[..all.len() - 1].to_vec())
    };
    assert_eq!(last, "[DONE]");
    chunks.into_iter().map(|chunk| serde_json::from_str(chunk).unwrap()).collect()
}

#[tokio::test]
async fn question_is_answered() {
    let served = Served::new([Turn::says("It is a fine day.")]).await;

    let (status, body) = served.ask(CHAT, question("how are you")).await;

    assert_eq!((status, body["object"].as_str()), (200, Some("chat.completion")), "{body}");
    assert_eq!(body["choices"][0]["message"], json!({ "role": "assistant", "content": "It is a fine day." }));
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
    assert!(body["usage"]["total_tokens"].is_u64());
}

#[tokio::test]
async fn answer_is_streamed() {
    let served = Served::new([Turn::says("It is a fine day. The sun shines.")]).await;

    let mut body = question("how are you");
    body["stream"] = json!(true);
    body["stream_options"] = json!({ "include_usage": true });
    let chunks = chunks(&served, body).await;

    let text: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, "It is a fine day. The sun shines.");
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let (usage, finish) = (&chunks[chunks.len() - 1], &chunks[chunks.len() - 2]);
    assert_eq!(finish["choices"][0]["finish_reason"], "stop");
    assert!(usage["usage"]["total_tokens"].is_u64() && usage["choices"] == json!([]));
    let others = &chunks[..chunks.len() - 1];
    assert!(others.iter().all(|chunk| chunk.get("usage") == Some(&Value::Null)), "{others:?}");
}

/// The states of the tools of Jarvis that the chunks tell of, each with the name of its tool and the id of its call.
fn own_tools(chunks: &[Value]) -> Vec<[String; 3]> {
    let told = chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["jarvis_tools"].as_array());
    let text = |tool: &Value, key: &str| tool[key].as_str().unwrap().to_owned();
    told.flatten().map(|tool| ["name", "state", "id"].map(|key| text(tool, key))).collect()
}

#[tokio::test]
async fn tool_of_jarvis_is_told_while_the_answer_is_made() {
    let turns = [Turn::calls("setTimer", json!({ "minutes": 5 })), Turn::says("The timer is set.")];
    let served = Served::new(turns).await;
    let mut body = question("would you count down from five minutes for my tea");
    body["stream"] = json!(true);

    let chunks = chunks(&served, body).await;

    let told = own_tools(&chunks);
    let states: Vec<[&str; 2]> =
        told.iter().map(|[name, state, _]| [name.as_str(), state.as_str()]).collect();
    assert_eq!(states, [["setTimer", "started"], ["setTimer", "succeeded"]], "{chunks:?}");
    assert_eq!(told[0][2], told[1][2]);
    let is_told = |chunk: &Value| chunk["choices"][0]["delta"]["jarvis_tools"].is_array();
    let says =
        |chunk: &Value| chunk["choices"][0]["delta"]["content"].as_str().is_some_and(|text| !text.is_empty());
    let (first_told, first_said) = (chunks.iter().position(is_told), chunks.iter().position(says));
    assert!(first_told < first_said, "{chunks:?}");
}

#[tokio::test]
async fn tool_of_the_client_is_told_as_its_call_alone() {
    let served = Served::new([Turn::calls("set_lamp", json!({ "on": true }))]).await;
    let mut body = question("set the lamp of the kitchen on");
    (body["tools"], body["stream"]) = (lamp(), json!(true));

    let chunks = chunks(&served, body).await;

    assert!(own_tools(&chunks).is_empty(), "{chunks:?}");
    assert_eq!(chunks.last().unwrap()["choices"][0]["finish_reason"], "tool_calls");
}

#[rstest]
#[case::no_options(json!({}))]
#[case::null(json!({ "stream_options": null }))]
#[case::null_for_usage(json!({ "stream_options": { "include_usage": null } }))]
#[case::other_option(json!({ "stream_options": { "include_obfuscation": false } }))]
#[tokio::test]
async fn tokens_are_not_told_unless_they_are_wanted(#[case] options: Value) {
    let served = Served::new([Turn::says("It is a fine day.")]).await;
    let mut body = question("how are you");
    body["stream"] = json!(true);
    body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());

    let chunks = chunks(&served, body).await;

    assert!(chunks.iter().all(|chunk| chunk.get("usage").is_none()), "{chunks:?}");
    assert_eq!(chunks.last().unwrap()["choices"][0]["finish_reason"], "stop");
}

#[rstest]
#[case::number_for_a_text(json!({ "messages": [{ "role": "user", "content": 3 }] }), "messages[0].content", "expected a text or a list of parts")]
#[case::part_without_a_type(json!({ "messages": [{ "role": "user", "content": [{ "text": "hi" }] }] }), "messages[0].content", "expected a text or a list of parts")]
#[case::number_for_an_end(json!({ "stop": [1] }), "stop", "expected a text or a list of texts")]
#[case::word_for_a_switch(json!({ "stream": "yes" }), "stream", "expected a boolean")]
#[case::part_of_a_token(json!({ "max_tokens": 1.5 }), "max_tokens", "floating point")]
#[case::unknown_role(json!({ "messages": [{ "role": "function", "content": "hi" }] }), "messages[0].role", "unknown variant `function`, expected one of `system`")]
#[case::no_role(json!({ "messages": [{ "content": "hi" }] }), "messages[0]", "missing field `role`")]
#[case::no_messages(json!({ "messages": Value::Null }), "messages", "expected a sequence")]
#[tokio::test]
async fn wrong_type_is_named_with_its_place(
    #[case] wrong: Value,
    #[case] field: &str,
    #[case] expected: &str,
) {
    let served = Served::new([]).await;
    let mut body = question("how are you");
    body.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());

    let (status, answer) = served.ask(CHAT, body).await;

    let error = &answer["error"];
    assert_eq!((status, error["type"].as_str()), (400, Some("invalid_request_error")));
    assert_eq!(error["param"], field, "{error}");
    assert!(error["message"].as_str().unwrap().contains(expected), "{error}");
}

#[rstest]
#[case::tokens(json!({ "max_tokens": 6 }), "It is a fine day. ", "length")]
#[case::tokens_by_the_newer_name(json!({ "max_completion_tokens": 2 }), "It is ", "length")]
#[case::words(json!({ "stop": "The sun" }), "It is a fine day. ", "stop")]
#[case::several_words(json!({ "stop": ["shines", "fine"] }), "It is a ", "stop")]
#[case::more_than_enough(
    json!({ "max_tokens": 500, "stop": ["rain"] }), "It is a fine day. The sun shines.", "stop"
)]
#[tokio::test]
async fn answer_ends_where_the_client_wants_it(
    #[case] options: Value,
    #[case] expected: &str,
    #[case] reason: &str,
    #[values(false, true)] is_streamed: bool,
) {
    let served = Served::new([Turn::says("It is a fine day. The sun shines.")]).await;
    let mut body = question("how are you");
    body.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    body["stream"] = json!(is_streamed);

    let (text, finish) = match is_streamed {
        false => {
            let (_, body) = served.ask(CHAT, body).await;
            let choice = &body["choices"][0];
            (choice["message"]["content"].as_str().unwrap().to_owned(), choice["finish_reason"].clone())
        }
        true => {
            let chunks = chunks(&served, body).await;
            let text = chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str());
            (text.collect(), chunks.last().unwrap()["choices"][0]["finish_reason"].clone())
        }
    };

    assert_eq!((text.as_str(), finish), (expected, json!(reason)));
}

#[rstest]
#[case::whole(false)]
#[case::streamed(true)]
#[tokio::test]
async fn client_runs_its_tool_within_the_reply(#[case] is_streamed: bool) {
    let served =
        Served::new([Turn::calls("set_lamp", json!({ "on": true })), Turn::says("The lamp is on.")]).await;
    let mut body = question("set the lamp of the kitchen on");
    body["tools"] = lamp();
    body["stream"] = json!(is_streamed);

    let mut call = match is_streamed {
        false => served.ask(CHAT, body.clone()).await.1["choices"][0]["message"]["tool_calls"][0].clone(),
        true => {
            let chunks = chunks(&served, body.clone()).await;
            let calls =
                chunks.iter().find_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].get(0).cloned());
            calls.unwrap_or_else(|| panic!("no call: {chunks:?}"))
        }
    };
    call.as_object_mut().unwrap().remove("index");
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
    messages.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": "it is bright now" }));
    body["stream"] = json!(false);
    let (status, done) = served.ask(CHAT, body).await;

    assert_eq!(
        (call["function"]["name"].as_str(), call["function"]["arguments"].as_str()),
        (Some("set_lamp"), Some("{\"on\":true}"))
    );
    assert_eq!(
        (status, done["choices"][0]["message"]["content"].as_str()),
        (200, Some("The lamp is on.")),
        "{done}"
    );
    let told = served.told(1);
    assert!(told.contains("bright"), "{told}");
}

#[tokio::test]
async fn result_is_told_even_when_its_reply_is_gone() {
    let served = Served::new([Turn::says("The lamp is on.")]).await;
    let mut body = question("set the lamp of the kitchen on");
    let messages = body["messages"].as_array_mut().unwrap();
    let call = json!({ "id": "call_of_before", "type": "function", "function": { "name": "set_lamp", "arguments": "{}" } });
    messages.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
    messages.push(json!({ "role": "tool", "tool_call_id": "call_of_before", "content": "it is bright now" }));

    let (status, done) = served.ask(CHAT, body).await;

    assert_eq!((status, done["choices"][0]["message"]["content"].as_str()), (200, Some("The lamp is on.")));
    let told = served.told(0);
    assert!(told.contains("it is bright now"), "{told}");
}

#[tokio::test]
async fn result_that_the_user_asks_about_reaches_the_model() {
    let served = Served::new([Turn::says("It is bright.")]).await;
    let call =
        json!({ "id": "call_1", "type": "function", "function": { "name": "set_lamp", "arguments": "{}" } });

    let body = json!({ "model": "jarvis", "messages": [
        { "role": "user", "content": "Set the lamp of the kitchen on." },
        { "role": "assistant", "content": null, "tool_calls": [call] },
        { "role": "tool", "tool_call_id": "call_1", "content": "it is bright now" },
        { "role": "user", "content": "How bright is it there?" },
    ]});
    let (status, answer) = served.ask(CHAT, body).await;

    assert_eq!(status, 200, "{answer}");
    assert!(served.told(0).contains("it is bright now"), "{}", served.told(0));
}

#[tokio::test]
async fn earlier_messages_and_instructions_reach_the_model() {
    let served = Served::new([Turn::says("It is on the Seine.")]).await;

    let body = json!({ "model": "jarvis", "messages": [
        { "role": "system", "content": "You speak like a pirate." },
        { "role": "user", "content": "Name the largest city of France." },
        { "role": "assistant", "content": "Paris." },
        { "role": "user", "content": "Which river runs through it?" },
    ]});
    served.ask(CHAT, body).await;

    let told = served.told(0);
    for text in ["like a pirate", "largest city of France", "Paris.", "Which river"] {
        assert!(told.contains(text), "{text}: {told}");
    }
}

#[tokio::test]
async fn what_needs_a_permission_is_not_done_and_said() {
    let settings = json!({ "tools": { "asked": ["setTimer"] } });
    let turns = [Turn::calls("setTimer", json!({ "minutes": 5 })), Turn::says("I may not do that here.")];
    let served = Served::with(turns, settings, []).await;

    let (_, body) = served.ask(CHAT, question("would you count down from five minutes for my tea")).await;

    assert_eq!(body["choices"][0]["message"]["content"], "I may not do that here.", "{body}");
    let told = served.told(1);
    assert!(told.contains("nobody answered"), "{told}");
}

#[tokio::test]
async fn program_without_the_scope_of_tools_gets_none() {
    let mut served = Served::new([Turn::says("I cannot set timers here.")]).await;
    served.key = served.assistant.add_program("narrow", &[settings::Scope::Ask]).unwrap().0;

    served.is_known().await;
    let answer = served.ask(CHAT, question("set a timer for 5 minutes")).await;

    assert_eq!(answer.0, 200, "{}", answer.1);
    let offered: Vec<String> = served.model.asked()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert!(offered.iter().all(|name| name == "stop"), "{offered:?}");
}

#[tokio::test]
async fn models_are_listed() {
    let served = Served::new([]).await;

    let (_, all) = read(served.get("/v1/models").send().await.unwrap()).await;
    let (one, _) = read(served.get("/v1/models/jarvis").send().await.unwrap()).await;
    let (other, _) = read(served.get("/v1/models/gpt-4").send().await.unwrap()).await;

    assert_eq!(all["data"][0]["id"], "jarvis");
    assert_eq!([one, other], [200, 404]);
}

#[rstest]
#[case::no_json("{", 400)]
#[case::no_messages(r#"{"model": "jarvis"}"#, 400)]
#[case::wrong_type(r#"{"model": "jarvis", "messages": "hi"}"#, 400)]
#[case::unknown_role(r#"{"model": "jarvis", "messages": [{"role": "wizard", "content": "hi"}]}"#, 400)]
#[case::other_model(r#"{"model": "gpt-4", "messages": [{"role": "user", "content": "hi"}]}"#, 404)]
#[case::two_answers(r#"{"model": "jarvis", "n": 2, "messages": [{"role": "user", "content": "hi"}]}"#, 400)]
#[case::forced_call(
    r#"{"model": "jarvis", "tool_choice": "required", "messages": [{"role": "user", "content": "hi"}]}"#,
    400
)]
#[case::negative_length(
    r#"{"model": "jarvis", "max_tokens": -1, "messages": [{"role": "user", "content": "hi"}]}"#,
    400
)]
#[case::ends_of_numbers(
    r#"{"model": "jarvis", "stop": [1], "messages": [{"role": "user", "content": "hi"}]}"#,
    400
)]
#[tokio::test]
async fn malformed_requests_are_refused(#[case] body: &'static str, #[case] expected: u16) {
    let served = Served::new([]).await;

    let request = served.post(CHAT).header("content-type", "application/json").body(body);
    let (status, answer) = read(request.send().await.unwrap()).await;

    assert_eq!(status, expected, "{answer}");
    assert!(answer["error"]["message"].is_string(), "{answer}");
}

#[tokio::test]
async fn missing_field_is_named() {
    let served = Served::new([]).await;

    let (status, answer) = served.ask(CHAT, json!({ "model": "jarvis" })).await;

    assert_eq!((status, answer["error"]["param"].as_str()), (400, Some("messages")), "{answer}");
}

#[tokio::test]
async fn failure_of_the_model_is_a_bad_gateway() {
    let served = Served::new([]).await;

    let (status, body) = served.ask(CHAT, question("tell me a story about a fox")).await;

    assert_eq!((status, body["error"]["type"].as_str()), (502, Some("server_error")), "{body}");
}
