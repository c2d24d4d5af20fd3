use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, FinishReason, LlmError, Message, OpenAi, ServerConfig, Usage,
};
use rstest::rstest;
use serde_json::json;
use testkit::{OpenAiServer, ScriptedAnswer, ServerScript};

use crate::support::{Reply, ask, collect_reply, config, http, weather_tool};

fn model(server: &OpenAiServer) -> OpenAi {
    OpenAi::new(http(), config(&server.url()))
}

#[tokio::test]
async fn reply_is_streamed_and_the_request_has_all_fields() {
    let server = OpenAiServer::start(ScriptedAnswer::says("It rains.").after_thinking("hm"));

    let request =
        ask("Rain?").with_temperature(0.5).with_max_tokens(9).with_format(json!({ "type": "object" }));
    let reply = collect_reply(&model(&server), request).await.unwrap();

    let expected = Reply {
        text: "It rains.".into(),
        thinking: "hm".into(),
        reason: Some(FinishReason::Stop),
        ..Reply::default()
    };
    assert_eq!(reply, expected);
    let expected = json!({
        "model": "test-model",
        "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "Rain?" }],
        "stream": true,
        "stream_options": { "include_usage": true },
        "max_tokens": 9,
        "temperature": 0.5,
        "chat_template_kwargs": { "enable_thinking": false },
        "response_format": { "type": "json_schema", "json_schema": { "name": "answer", "strict": true, "schema": { "type": "object" } } },
    });
    assert_eq!(server.asked(), [expected]);
}

#[tokio::test]
async fn tool_result_is_sent_back_with_the_call_id() {
    let server = OpenAiServer::start(ServerScript::new([
        ScriptedAnswer::calls("get_weather", json!({ "city": "Leeds" })),
        ScriptedAnswer::says("Rain."),
    ]));
    let model = model(&server);
    let request = ask("Rain in Leeds?").with_tools(vec![weather_tool()]);

    let called = collect_reply(&model, request.clone()).await.unwrap();
    let mut messages = request.messages.clone();
    messages.push(Message::assistant_calls("", called.calls.clone()));
    messages.push(Message::tool_result(&called.calls[0], "rain, 11 C"));
    collect_reply(&model, llm::ChatRequest { messages, ..request }).await.unwrap();

    assert_eq!(called.reason, Some(FinishReason::ToolCalls));
    assert_eq!(called.calls[0].arguments, json!({ "city": "Leeds" }));
    let expected = json!([
        { "role": "assistant", "content": "", "tool_calls": [
            { "id": "id-0", "type": "function", "function": { "name": "get_weather", "arguments": "{\"city\":\"Leeds\"}" } },
        ] },
        { "role": "tool", "content": "rain, 11 C", "tool_call_id": "id-0" },
    ]);
    assert_eq!(server.asked()[1]["messages"].as_array().unwrap()[2..], *expected.as_array().unwrap());
}

#[tokio::test]
async fn api_key_is_sent_and_a_wrong_key_is_reported() {
    let script = ServerScript::new([ScriptedAnswer::says("Rain.")]).with_api_key("right");
    let server = OpenAiServer::start(script);
    let with_key = |key: &str| {
        OpenAi::new(http(), ServerConfig { api_key: Some(key.to_owned().into()), ..config(&server.url()) })
    };

    let reply = collect_reply(&with_key("right"), ask("Rain?")).await.unwrap();
    let error = collect_reply(&with_key("wrong"), ask("Rain?")).await.unwrap_err();

    assert_eq!(reply.text, "Rain.");
    assert!(matches!(error, LlmError::KeyRefused { code: 401 }), "{error:?}");
}

#[tokio::test]
async fn rejected_fields_are_omitted_when_retrying() {
    let script = ServerScript::new([ScriptedAnswer::says("Rain.")])
        .rejecting("chat_template_kwargs", "Unrecognized request argument: chat_template_kwargs")
        .rejecting("stream_options", "stream_options is not supported");
    let server = OpenAiServer::start(script);

    let reply = collect_reply(&model(&server), ask("Rain?")).await.unwrap();

    assert_eq!(reply.text, "Rain.");
}

#[tokio::test]
async fn each_failure_has_its_own_error_and_can_be_retried() {
    let server = OpenAiServer::start(ServerScript::new([
        ScriptedAnswer::refuses(503, r#"{"error":{"message":"Loading model","code":503}}"#),
        ScriptedAnswer::refuses(404, r#"{"error":{"message":"The model `test-model` does not exist"}}"#),
        ScriptedAnswer::refuses(404, "not found"),
        ScriptedAnswer::disconnects_after("It "),
        ScriptedAnswer::sends_invalid_data_after("It "),
        ScriptedAnswer::fails_after("It "),
        ScriptedAnswer::stalls_after("It "),
        ScriptedAnswer::says("It rains."),
    ]));
    let model = model(&server);
    let mut errors = Vec::new();

    for _ in 0..7 {
        errors.push(collect_reply(&model, ask("Rain?")).await.unwrap_err().to_string());
    }
    let reply = collect_reply(&model, ask("Rain?")).await.unwrap();

    assert_eq!(
        errors,
        [
            "the language model server responded with status 503: Loading model",
            "the OpenAI-compatible provider has no model named \"test-model\"",
            "the language model server responded with status 404: not found",
            "the response of the language model is incomplete",
            "the language model server sent an invalid response: a line is not an event",
            "the language model failed: the model runner has ended",
            "the language model sent nothing for 0.4 s",
        ]
    );
    assert_eq!(reply.text, "It rains.");
}

#[rstest]
#[case::wrong_request(400, r#"{"error":{"message":"bad max_tokens"}}"#, "status 400: bad max_tokens", false)]
#[case::too_many(429, r#"{"error":{"message":"rate limit"}}"#, "status 429: rate limit", true)]
#[case::overloaded(529, r#"{"error":{"message":"Overloaded"}}"#, "status 529: Overloaded", true)]
#[case::crashed(500, "Internal Server Error", "status 500: Internal Server Error", true)]
#[tokio::test]
async fn refusal_has_its_reason_and_a_remedy(
    #[case] code: u16,
    #[case] body: &str,
    #[case] reason: &str,
    #[case] is_transient: bool,
) {
    let server = OpenAiServer::start(ScriptedAnswer::refuses(code, body));

    let error = collect_reply(&model(&server), ask("Rain?")).await.unwrap_err();

    assert!(error.to_string().contains(reason), "{error}");
    assert_eq!(error.is_transient(), is_transient);
    assert!(!error.remedy().is_empty());
}

#[tokio::test]
async fn busy_server_is_asked_again_once_when_it_says_so() {
    let busy = || ScriptedAnswer::is_busy_for(0);
    let server = OpenAiServer::start([busy(), ScriptedAnswer::says("Rain."), busy(), busy()]);
    let model = model(&server);

    let reply = collect_reply(&model, ask("Rain?")).await.unwrap();
    let error = collect_reply(&model, ask("Rain?")).await.unwrap_err();

    assert_eq!(reply.text, "Rain.");
    assert!(matches!(error, LlmError::Status { code: 429, .. }), "{error:?}");
}

#[tokio::test]
async fn nobody_waits_an_hour_for_a_busy_server() {
    let server = OpenAiServer::start([ScriptedAnswer::is_busy_for(3600), ScriptedAnswer::says("Rain.")]);

    let error = collect_reply(&model(&server), ask("Rain?")).await.unwrap_err();

    assert!(error.remedy().contains("Wait a minute"), "{}", error.remedy());
}

#[rstest]
#[case::of_the_context(r#"{"error":{"message":"the request exceeds the available context size"}}"#)]
#[case::too_long(r#"{"error":{"message":"prompt is too long"}}"#)]
#[tokio::test]
async fn overlong_dialogue_is_not_taken_for_refused_tools(#[case] body: &str) {
    let server = OpenAiServer::start(ScriptedAnswer::refuses(400, body));

    let request = ask("Rain?").with_tools(vec![weather_tool()]);
    let error = collect_reply(&model(&server), request).await.unwrap_err();

    assert!(matches!(error, LlmError::Status { code: 400, .. }), "{error:?}");
    assert!(error.remedy().contains("shorter question"), "{}", error.remedy());
}

#[tokio::test]
async fn bytes_that_come_singly_make_the_same_reply() {
    let answer = ScriptedAnswer::says("Der Käse kostet 3 €, 東京では 4 €.").byte_by_byte();
    let server = OpenAiServer::start(answer);

    let reply = collect_reply(&model(&server), ask("Käse?")).await.unwrap();

    assert_eq!(reply.text, "Der Käse kostet 3 €, 東京では 4 €.");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_an_invalid_response() {
    let server = OpenAiServer::start(ScriptedAnswer::sends_no_text_after("It "));

    let error = collect_reply(&model(&server), ask("Rain?")).await.unwrap_err();

    let expected = "the language model server sent an invalid response: a line is not UTF-8";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn cancellation_ends_the_stream_and_the_connection() {
    let server = OpenAiServer::start(ScriptedAnswer::stalls_after("It "));
    let stop = CancellationToken::new();
    let mut stream = model(&server).chat(ask("Rain?"), stop.clone()).await.unwrap();
    stream.next().await.unwrap().unwrap();

    stop.cancel();
    let last = stream.next().await.unwrap().unwrap();

    assert!(last == ChatEvent::Finished(Usage::unknown(FinishReason::Cancelled)), "{last:?}");
    assert!(stream.next().await.is_none());
    server.abandoned(1).await;
}
