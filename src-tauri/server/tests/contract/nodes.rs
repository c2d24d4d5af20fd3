//! Voice nodes: the protocol of Command Centers.

use rstest::rstest;
use serde_json::{Value, json};
use testkit::Turn;

use crate::served::{Served, read};

const START: &str = "/api/v0/conversation/start";
const COMMAND: &str = "/api/v0/voice/command";
const CONTINUE: &str = "/api/v0/voice/command/continue";

fn lamp() -> Value {
    json!([{ "type": "function", "function": {
        "name": "set_lamp",
        "description": "Switch the lamp of the kitchen on or off",
        "parameters": { "type": "object", "properties": { "on": { "type": "boolean" } }, "required": ["on"] },
    }}])
}

async fn start(served: &Served, id: &str, tools: Value) {
    let (status, body) = served.ask(START, json!({ "conversation_id": id, "client_tools": tools })).await;
    assert_eq!((status, body["status"].as_str()), (200, Some("success")), "{body}");
}

#[tokio::test]
async fn utterance_is_answered() {
    let served = Served::new([Turn::says("It is a fine day.")]).await;
    start(&served, "c", json!([])).await;

    let (status, body) =
        served.ask(COMMAND, json!({ "voice_command": "how are you", "conversation_id": "c" })).await;

    assert_eq!(status, 200, "{body}");
    assert_eq!(
        (body["stop_reason"].as_str(), body["assistant_message"].as_str()),
        (Some("complete"), Some("It is a fine day."))
    );
    assert_eq!((&body["commands"], &body["tool_calls"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn node_runs_its_tool_within_the_reply() {
    let served =
        Served::new([Turn::calls("set_lamp", json!({ "on": true })), Turn::says("The lamp is on.")]).await;
    start(&served, "c", lamp()).await;

    let (_, asked) = served
        .ask(COMMAND, json!({ "voice_command": "set the lamp of the kitchen on", "conversation_id": "c" }))
        .await;
    let call = &asked["tool_calls"][0];
    let result =
        json!({ "tool_call_id": call["id"], "output": { "success": true, "context": { "lamp": "bright" } } });
    let (_, done) = served.ask(CONTINUE, json!({ "conversation_id": "c", "tool_results": [result] })).await;

    assert_eq!(asked["stop_reason"], "tool_calls", "{asked}");
    assert_eq!(
        (call["function"]["name"].as_str(), call["function"]["arguments"].as_str()),
        (Some("set_lamp"), Some("{\"on\":true}"))
    );
    assert_eq!(
        (done["stop_reason"].as_str(), done["assistant_message"].as_str()),
        (Some("complete"), Some("The lamp is on."))
    );
    let told = served.told(1);
    assert!(told.contains("bright"), "{told}");
}

#[rstest]
#[case::message(json!({ "success": true, "message": "The lamp is on." }), "The lamp is on.", 1)]
#[case::response(json!({ "response": "It is bright.", "context": null }), "It is bright.", 1)]
#[case::no_words(json!({ "success": true, "message": " ", "context": { "lamp": "bright" } }), "Done.", 2)]
#[case::words_further_inside(json!({ "success": true, "context": { "message": "The lamp is on." } }), "Done.", 2)]
#[case::failure(
    json!({ "success": false, "message": "The lamp is broken." }),
    "I have not done anything just now: no tool has carried that out.",
    2
)]
#[tokio::test]
async fn small_model_is_not_asked_to_word_what_the_node_has_worded(
    #[case] output: Value,
    #[case] expected: &str,
    #[case] requests: usize,
) {
    let settings = json!({ "replying": { "model_size": "small", "tool_protocol": "native" } });
    let turns = [Turn::calls("set_lamp", json!({ "on": true })), Turn::says("Done.")];
    let served = Served::with(turns, settings, []).await;
    start(&served, "c", lamp()).await;

    let command = json!({ "voice_command": "set the lamp of the kitchen on", "conversation_id": "c" });
    let (_, asked) = served.ask(COMMAND, command).await;
    let result = json!({ "tool_call_id": asked["tool_calls"][0]["id"], "output": output });
    let (_, done) = served.ask(CONTINUE, json!({ "conversation_id": "c", "tool_results": [result] })).await;

    assert_eq!(
        (done["stop_reason"].as_str(), done["assistant_message"].as_str()),
        (Some("complete"), Some(expected)),
        "{done}"
    );
    assert_eq!(served.model.asked().len(), requests);
}

#[tokio::test]
async fn small_model_may_ask_a_node_that_measures_what_is_asked_for() {
    let settings = json!({ "replying": { "model_size": "small", "tool_protocol": "native" } });
    let turns = [Turn::calls("get_temperature", json!({ "city": "Leeds" }))];
    let mut served = Served::with(turns, settings, []).await;
    served.key = served.assistant.add_program("station", &[settings::Scope::Ask]).unwrap().0;
    served.is_known().await;
    let thermometer = json!([{ "type": "function", "function": {
        "name": "get_temperature",
        "description": "Get the temperature of a city right now, from the station of this example",
        "parameters": { "type": "object", "required": ["city"], "properties": {
            "city": { "type": "string", "description": "Name of the city" },
        } },
    }}]);
    start(&served, "c", thermometer).await;

    let question = "What is the temperature in Leeds, by the station?";
    let (_, asked) = served.ask(COMMAND, json!({ "voice_command": question, "conversation_id": "c" })).await;

    assert_eq!(asked["stop_reason"], "tool_calls", "{asked}");
    assert_eq!(asked["tool_calls"][0]["function"]["name"], "get_temperature");
}

#[tokio::test]
async fn what_needs_a_permission_is_asked_at_the_node() {
    let settings = json!({ "tools": { "asked": ["setTimer"] } });
    let turns = [Turn::calls("setTimer", json!({ "minutes": 5 })), Turn::says("The timer is set.")];
    let served = Served::with(turns, settings, []).await;
    start(&served, "c", json!([])).await;

    let (_, asked) = served
        .ask(COMMAND, json!({ "voice_command": "would you count down from five minutes for my tea", "conversation_id": "c" }))
        .await;
    let question = &asked["validation_request"];
    let answer = json!({ "conversation_id": "c", "validation_response": "yes please" });
    let (_, done) = served.ask(CONTINUE, answer).await;

    assert_eq!(asked["stop_reason"], "validation_required", "{asked}");
    assert!(question["question"].as_str().unwrap().contains("timer"), "{question}");
    assert_eq!(
        (done["stop_reason"].as_str(), done["assistant_message"].as_str()),
        (Some("complete"), Some("The timer is set."))
    );
}

#[tokio::test]
async fn follow_up_knows_what_was_said() {
    let served = Served::new([Turn::says("Paris."), Turn::says("It is on the Seine.")]).await;
    start(&served, "c", json!([])).await;

    served
        .ask(COMMAND, json!({ "voice_command": "name the largest city of France", "conversation_id": "c" }))
        .await;
    served
        .ask(COMMAND, json!({ "voice_command": "which river runs through it", "conversation_id": "c" }))
        .await;

    let told = served.told(1);
    assert!(told.contains("largest city"), "{told}");
    assert!(told.contains("Paris."), "{told}");
}

#[tokio::test]
async fn conversation_of_another_program_is_unknown() {
    let mut served = Served::new([]).await;
    start(&served, "c", json!([])).await;
    served.key = served.assistant.add_program("cellar", &[settings::Scope::Ask]).unwrap().0;

    served.is_known().await;
    let answer = served.ask(COMMAND, json!({ "voice_command": "hello there", "conversation_id": "c" })).await;

    assert_eq!(answer.0, 422, "{}", answer.1);
}

#[rstest]
#[case::no_json(START, "{", 400)]
#[case::wrong_type(START, r#"{"conversation_id": 3}"#, 400)]
#[case::never_started(COMMAND, r#"{"voice_command": "hi", "conversation_id": "other"}"#, 422)]
#[case::nothing_open(
    CONTINUE,
    r#"{"conversation_id": "c", "tool_results": [{"tool_call_id": "x", "output": 1}]}"#,
    400
)]
#[case::never_started_as_a_stream(
    "/api/v0/voice/command/stream",
    r#"{"voice_command": "hi", "conversation_id": "other"}"#,
    400
)]
#[tokio::test]
async fn malformed_and_stale_requests_are_refused(
    #[case] path: &str,
    #[case] body: &'static str,
    #[case] expected: u16,
) {
    let served = Served::new([]).await;
    start(&served, "c", json!([])).await;

    let (status, answer) = read(served.post(path).body(body).send().await.unwrap()).await;

    assert_eq!(status, expected, "{answer}");
}

#[tokio::test]
async fn failure_of_the_model_is_told_and_the_conversation_goes_on() {
    let served = Served::new([]).await;
    start(&served, "c", json!([])).await;
    let command = json!({ "voice_command": "tell me a story about a fox", "conversation_id": "c" });

    let (status, failed) = served.ask(COMMAND, command.clone()).await;
    let (again, _) = served.ask(COMMAND, command).await;

    let words = failed["assistant_message"].as_str().unwrap_or_default();
    assert_eq!((status, again, failed["stop_reason"].as_str()), (200, 200, Some("error")), "{failed}");
    assert_eq!(
        failed["commands"],
        json!([{ "success": false, "command_name": null, "parameters": null,
            "errors": { "type": "llm_error", "message": words } }])
    );
    assert!(words.starts_with(char::is_uppercase) && words.ends_with('.'), "{words}");
}

#[tokio::test]
async fn noise_is_not_for_me() {
    let served = Served::new([]).await;
    start(&served, "c", json!([])).await;

    let (_, body) =
        served.ask(COMMAND, json!({ "voice_command": "[laughter]", "conversation_id": "c" })).await;

    assert_eq!(body["stop_reason"], "not_for_me");
    assert_eq!(served.model.asked().len(), 0);
}

#[tokio::test]
async fn complete_answer_is_streamed_as_sound() {
    let served = Served::new([Turn::says("It is a fine day.")]).await;
    start(&served, "c", json!([])).await;

    let request = json!({ "voice_command": "how are you", "conversation_id": "c" });
    let response = served.post("/api/v0/voice/command/stream").json(&request).send().await.unwrap();

    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (200, &"audio/raw".parse().unwrap())
    );
    assert_eq!(response.headers()["x-assistant-message"], "It%20is%20a%20fine%20day%2E");
    let rate: u32 = response.headers()["x-audio-sample-rate"].to_str().unwrap().parse().unwrap();
    assert!(rate >= 8_000 && response.bytes().await.unwrap().len() > 1_000);
}

#[tokio::test]
async fn answer_to_results_is_streamed_as_sound_and_told_again_in_words() {
    let turns = [Turn::calls("set_lamp", json!({ "on": true })), Turn::says("The lamp is on.")];
    let served = Served::new(turns).await;
    start(&served, "c", lamp()).await;
    let command = json!({ "voice_command": "set the lamp of the kitchen on", "conversation_id": "c" });
    let (_, asked) = served.ask(COMMAND, command).await;
    let result = json!({ "tool_call_id": asked["tool_calls"][0]["id"], "output": { "success": true } });
    let results = json!({ "conversation_id": "c", "tool_results": [result] });

    let response = served.post("/api/v0/voice/command/continue/stream").json(&results).send().await.unwrap();
    let (status, sound) = (response.status().as_u16(), response.headers()["content-type"].clone());
    let (again, told) = served.ask(CONTINUE, results).await;

    assert_eq!((status, sound.to_str().unwrap(), again), (200, "audio/raw", 200), "{told}");
    assert_eq!(told["assistant_message"], "The lamp is on.");
    assert_eq!(served.model.asked().len(), 2);
}

#[tokio::test]
async fn call_is_not_streamed_but_told() {
    let served = Served::new([Turn::calls("set_lamp", json!({ "on": true }))]).await;
    start(&served, "c", lamp()).await;

    let request = json!({ "voice_command": "set the lamp of the kitchen on", "conversation_id": "c" });
    let response = served.post("/api/v0/voice/command/stream").json(&request).send().await.unwrap();
    let (status, body) = read(response).await;

    assert_eq!((status, body["stop_reason"].as_str()), (202, Some("tool_calls")), "{body}");
}

#[tokio::test]
async fn helpers_answer() {
    let served = Served::new([Turn::says("Hello!")]).await;

    let (context_status, context) =
        read(served.get("/api/v0/generate/date-context?timezone=Europe/Berlin").send().await.unwrap()).await;
    let (bad_zone, _) =
        read(served.get("/api/v0/generate/date-context?timezone=Nowhere").send().await.unwrap()).await;
    let (woken_status, woken) = served.ask("/api/v0/wake-response", json!({})).await;
    let (chat_status, chat) =
        served.ask("/api/v0/lightweight/chat", json!({ "message": "how are you" })).await;
    let (end_status, end) = served.ask("/api/v0/conversation/end", json!({ "conversation_id": "c" })).await;

    assert_eq!([context_status, bad_zone, woken_status, chat_status, end_status], [200, 400, 200, 200, 200]);
    assert_eq!(context["current"]["date"], "2026-03-04");
    assert!(woken["text"].as_str().is_some_and(|text| !text.is_empty()));
    assert_eq!((chat["response"].as_str(), end["status"].as_str()), (Some("Hello!"), Some("ok")));
}

#[rstest]
#[case::german(json!({ "hearing": { "language": "de" } }), "Ja?")]
#[case::turkish(json!({ "replying": { "language": "tr" } }), "Efendim?")]
#[case::language_without_such_words(json!({ "hearing": { "language": "ja" }, "replying": { "language": "sv" } }), "Ja?")]
#[tokio::test]
async fn node_is_woken_in_the_language_of_the_user(#[case] settings: Value, #[case] expected: &str) {
    let served = Served::with([], settings, []).await;

    let (_, woken) = served.ask("/api/v0/wake-response", json!({})).await;

    assert_eq!(woken["text"], expected);
}

#[tokio::test]
async fn unstarted_conversation_is_answered_where_the_settings_say_so() {
    let settings = json!({ "programs": { "unstarted": true } });
    let served = Served::with([Turn::says("It is a fine day.")], settings, []).await;

    let body = json!({ "voice_command": "how are you", "conversation_id": "fresh" });
    let (status, answer) = served.ask(COMMAND, body).await;

    assert_eq!((status, answer["stop_reason"].as_str()), (200, Some("complete")), "{answer}");
}

#[tokio::test]
async fn no_calls_are_an_empty_list_where_the_settings_say_so() {
    let settings = json!({ "programs": { "empty_lists": true } });
    let served = Served::with([Turn::says("It is a fine day.")], settings, []).await;
    start(&served, "c", json!([])).await;

    let body = json!({ "voice_command": "how are you", "conversation_id": "c" });
    let (_, answer) = served.ask(COMMAND, body).await;

    assert_eq!(answer["tool_calls"], json!([]), "{answer}");
}

#[tokio::test]
async fn program_cannot_allow_a_tool_for_good() {
    let settings = json!({ "tools": { "asked": ["setTimer"] } });
    let turns = [Turn::calls("setTimer", json!({ "minutes": 5 })), Turn::says("I did not set it.")];
    let served = Served::with(turns, settings, []).await;
    start(&served, "c", json!([])).await;
    let command = "would you count down from five minutes for my tea";

    let (_, asked) = served.ask(COMMAND, json!({ "voice_command": command, "conversation_id": "c" })).await;
    let options = asked["validation_request"]["options"].clone();
    let answer = json!({ "conversation_id": "c", "validation_response": "Always" });
    served.ask(CONTINUE, answer).await;

    assert_eq!(options.as_array().map(Vec::len), Some(2), "{asked}");
    assert!(served.assistant.settings().current().tools.allowed.is_empty());
    assert_eq!(served.assistant.settings().current().tools.asked, ["setTimer"]);
}

#[rstest]
#[case::large("large", "complete", 3)]
#[case::small("small", "tool_calls", 2)]
#[tokio::test]
async fn small_model_corrects_a_parameter_once(
    #[case] size: &str,
    #[case] stop_reason: &str,
    #[case] requests: usize,
) {
    let settings = json!({ "replying": { "model_size": size, "tool_protocol": "native" } });
    let since = |word: &str| Turn::calls("set_lamp", json!({ "on": true, "since": word }));
    let turns = [since("soon"), since("later"), Turn::says("Which day do you mean?")];
    let served = Served::with(turns, settings, []).await;
    let mut tools = lamp();
    tools[0]["function"]["parameters"]["properties"]["since"] = json!({ "type": "string" });
    // The richer description has a type that the schema has no word for.
    let command = json!({ "command_name": "set_lamp", "description": "Switch the lamp of the kitchen on or off",
        "parameters": [{ "name": "since", "type": "date", "required": false }] });
    let begin = json!({ "conversation_id": "c", "client_tools": tools, "available_commands": [command] });
    served.ask(START, begin).await;

    let command = json!({ "voice_command": "set the lamp of the kitchen on", "conversation_id": "c" });
    let (_, asked) = served.ask(COMMAND, command).await;

    assert_eq!(asked["stop_reason"], stop_reason, "{asked}");
    assert_eq!(served.model.asked().len(), requests);
}
