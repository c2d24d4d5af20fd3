use std::time::Duration;

use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, FinishReason, LlmError, Message, Ollama, ProviderKind, Usage,
};
use rstest::rstest;
use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer, ServerScript};

use crate::support::{Reply, ask, collect_reply, config, http, weather_tool};

fn model(server: &OllamaServer) -> Ollama {
    Ollama::new(http(), config(&server.url()))
}

#[tokio::test]
async fn reply_is_streamed_and_the_request_has_all_fields() {
    let server = OllamaServer::start(ScriptedAnswer::says("It rains.").after_thinking("hm"));

    let reply =
        collect_reply(&model(&server), ask("Rain?").with_temperature(0.5).with_max_tokens(9)).await.unwrap();

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
        "think": false,
        "keep_alive": "1800s",
        "options": { "num_ctx": 8192, "num_predict": 9, "temperature": 0.5 },
    });
    assert_eq!(server.asked(), [expected]);
}

#[tokio::test]
async fn tool_result_is_sent_back_with_the_tool_name() {
    let server = OllamaServer::start(ServerScript::new([
        ScriptedAnswer::calls("get_weather", json!({ "city": "Leeds" })),
        ScriptedAnswer::says("Rain."),
    ]));
    let model = model(&server);
    let request = ask("Rain in Leeds?").with_tools(vec![weather_tool()]);

    let called = collect_reply(&model, request.clone()).await.unwrap();
    let mut messages = request.messages.clone();
    messages.push(Message::assistant_calls("", called.calls.clone()));
    messages.push(Message::tool_result(&called.calls[0], "rain, 11 C"));
    let reply = collect_reply(&model, llm::ChatRequest { messages, ..request }).await.unwrap();

    assert_eq!(called.reason, Some(FinishReason::ToolCalls));
    assert_eq!(called.calls[0].arguments, json!({ "city": "Leeds" }));
    assert_eq!(reply.text, "Rain.");
    let asked = server.asked();
    assert_eq!(asked[0]["tools"][0]["function"]["name"], "get_weather");
    let expected = json!([
        { "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "get_weather", "arguments": { "city": "Leeds" } } }] },
        { "role": "tool", "content": "rain, 11 C", "tool_name": "get_weather" },
    ]);
    assert_eq!(asked[1]["messages"].as_array().unwrap()[2..], *expected.as_array().unwrap());
}

#[tokio::test]
async fn tool_call_written_as_text_is_found() {
    let text = r#"{"name": "get_weather", "arguments": {"city": "Leeds"}}"#;
    let server = OllamaServer::start(ScriptedAnswer::says(text));

    let reply = collect_reply(&model(&server), ask("Rain?").with_tools(vec![weather_tool()])).await.unwrap();

    assert_eq!((reply.text.as_str(), reply.calls.len()), ("", 1));
}

#[tokio::test]
async fn rejected_fields_are_omitted_when_retrying() {
    let script = ServerScript::new([ScriptedAnswer::says("{}")])
        .rejecting("think", "\"test-model\" does not support thinking")
        .rejecting("format", "json: cannot unmarshal object into Go struct field format of type string");
    let server = OllamaServer::start(script);

    let reply =
        collect_reply(&model(&server), ask("Rain?").with_format(json!({ "type": "object" }))).await.unwrap();

    assert_eq!(reply.text, "{}");
    let last = server.asked().pop().unwrap();
    assert_eq!((last.get("think"), last.get("format")), (None, None));
}

#[tokio::test]
async fn rejected_tools_are_reported_as_unsupported() {
    let script = ServerScript::new([ScriptedAnswer::says("Rain.")])
        .rejecting("tools", "registry.ollama.ai/library/test-model does not support tools");
    let server = OllamaServer::start(script);
    let model = model(&server);

    let refused = collect_reply(&model, ask("Rain?").with_tools(vec![weather_tool()])).await.unwrap_err();
    let reply = collect_reply(&model, ask("Rain?")).await.unwrap();

    assert!(matches!(refused, LlmError::ToolsRefused { .. }), "{refused:?}");
    assert_eq!(reply.text, "Rain.");
}

#[tokio::test]
async fn missing_model_suggests_the_pull_command() {
    let server = OllamaServer::start(ServerScript::new([]).with_models(&["other"]));

    let error = collect_reply(&model(&server), ask("Rain?")).await.unwrap_err();

    assert!(matches!(&error, LlmError::ModelMissing { model, .. } if model == "test-model"), "{error:?}");
    assert!(error.remedy().contains("ollama pull test-model"), "{}", error.remedy());
}

#[tokio::test]
async fn each_failure_has_its_own_error_and_can_be_retried() {
    let server = OllamaServer::start(ServerScript::new([
        ScriptedAnswer::refuses(500, r#"{"error":"llama runner process has terminated"}"#),
        ScriptedAnswer::refuses(502, "<html>Bad Gateway</html>"),
        ScriptedAnswer::disconnects_after("It "),
        ScriptedAnswer::sends_invalid_data_after("It "),
        ScriptedAnswer::fails_after("It "),
        ScriptedAnswer::stalls_after("It "),
        ScriptedAnswer::says("It rains."),
    ]));
    let model = model(&server);
    let mut errors = Vec::new();

    for _ in 0..6 {
        errors.push(collect_reply(&model, ask("Rain?")).await.unwrap_err());
    }
    let reply = collect_reply(&model, ask("Rain?")).await.unwrap();

    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "the language model server responded with status 500: llama runner process has terminated",
            "the language model server responded with status 502: no reason given",
            "the response of the language model is incomplete",
            "the language model server sent an invalid response: a line is not JSON",
            "the language model failed: the model runner has ended",
            "the language model sent nothing for 0.4 s",
        ]
    );
    let transient: Vec<bool> = errors.iter().map(LlmError::is_transient).collect();
    assert_eq!(transient, [true, true, true, false, true, true]);
    assert_eq!(reply.text, "It rains.");
}

#[rstest]
#[case::wrong_request(400, r#"{"error":"invalid options"}"#, "status 400: invalid options", false)]
#[case::no_such_path(404, "404 page not found", "status 404", false)]
#[case::too_many(429, r#"{"error":"too many requests"}"#, "status 429: too many requests", true)]
#[case::crashed(500, r#"{"error":"model failed to load"}"#, "status 500: model failed to load", true)]
#[tokio::test]
async fn refusal_has_its_reason_and_a_remedy(
    #[case] code: u16,
    #[case] body: &str,
    #[case] reason: &str,
    #[case] is_transient: bool,
) {
    let server = OllamaServer::start(ScriptedAnswer::refuses(code, body));

    let error = collect_reply(&model(&server), ask("Rain?")).await.unwrap_err();

    assert!(error.to_string().contains(reason), "{error}");
    assert_eq!(error.is_transient(), is_transient);
    assert!(!error.remedy().is_empty());
}

#[tokio::test]
async fn bytes_that_come_singly_make_the_same_reply() {
    let answer = ScriptedAnswer::says("Der Käse kostet 3 €, 東京では 4 €.").byte_by_byte();
    let server = OllamaServer::start(answer);

    let reply = collect_reply(&model(&server), ask("Käse?")).await.unwrap();

    assert_eq!(reply.text, "Der Käse kostet 3 €, 東京では 4 €.");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_an_invalid_response() {
    let server = OllamaServer::start(ScriptedAnswer::sends_no_text_after("It "));

    let error = collect_reply(&model(&server), ask("Rain?")).await.unwrap_err();

    let expected = "the language model server sent an invalid response: a line is not UTF-8";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn text_before_a_failure_is_delivered() {
    let server = OllamaServer::start(ScriptedAnswer::disconnects_after("It rains "));
    let mut stream = model(&server).chat(ask("Rain?"), CancellationToken::new()).await.unwrap();

    let mut text = String::new();
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(ChatEvent::Text(chunk)) => text.push_str(&chunk),
            Ok(event) => panic!("unexpected {event:?}"),
            Err(error) => break error,
        }
    };

    assert_eq!(text, "It rains ");
    assert!(matches!(error, LlmError::Incomplete));
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn unreachable_server_suggests_starting_ollama() {
    let server = OllamaServer::start(ScriptedAnswer::says("Rain."));
    let model = model(&server);
    drop(server);

    let error = collect_reply(&model, ask("Rain?")).await.unwrap_err();

    let is_expected = matches!(&error, LlmError::Unreachable { provider: ProviderKind::Ollama, .. });
    assert!(is_expected, "{error:?}");
    assert!(error.remedy().contains("ollama serve"), "{}", error.remedy());
}

#[tokio::test]
async fn cancellation_ends_the_stream_and_the_connection() {
    let server = OllamaServer::start(ScriptedAnswer::stalls_after("It "));
    let stop = CancellationToken::new();
    let mut stream = model(&server).chat(ask("Rain?"), stop.clone()).await.unwrap();
    let first = stream.next().await.unwrap().unwrap();

    stop.cancel();
    let last = stream.next().await.unwrap().unwrap();

    assert!(first == ChatEvent::Text("It ".into()), "{first:?}");
    assert!(last == ChatEvent::Finished(Usage::unknown(FinishReason::Cancelled)), "{last:?}");
    assert!(stream.next().await.is_none());
    server.abandoned(1).await;
}

#[tokio::test]
async fn cancellation_before_the_first_event_ends_the_stream() {
    let slow = ScriptedAnswer::says("Rain.").with_first_token_delay(Duration::from_secs(3600));
    let server = OllamaServer::start(slow);
    let stop = CancellationToken::new();
    stop.cancel();

    let mut stream = model(&server).chat(ask("Rain?"), stop).await.unwrap();

    let end = stream.next().await.unwrap().unwrap();
    assert!(end == ChatEvent::Finished(Usage::unknown(FinishReason::Cancelled)), "{end:?}");
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn dropped_stream_closes_the_connection() {
    let server = OllamaServer::start(ScriptedAnswer::stalls_after("It "));
    let mut stream = model(&server).chat(ask("Rain?"), CancellationToken::new()).await.unwrap();
    stream.next().await.unwrap().unwrap();

    drop(stream);

    server.abandoned(1).await;
}

#[tokio::test]
async fn warm_up_sends_the_prompt_and_requests_one_token() {
    let server = OllamaServer::start(ScriptedAnswer::says("x"));

    model(&server).warm_up(&[Message::system("Be brief.")]).await.unwrap();

    let asked = server.asked();
    assert_eq!(asked[0]["messages"], json!([{ "role": "system", "content": "Be brief." }]));
    assert_eq!(asked[0]["options"]["num_predict"], 1);
}

#[tokio::test]
async fn warm_up_begins_like_a_request_with_tools() {
    let server = OllamaServer::start(ScriptedAnswer::says("x"));
    let model = model(&server);
    let request = ask("Rain?").with_tools(vec![weather_tool()]).with_thinking();
    let beginning = llm::ChatRequest { messages: request.messages[..1].to_vec(), ..request.clone() };

    model.warm_up_with(beginning).await.unwrap();
    collect_reply(&model, request).await.unwrap();

    let asked = server.asked();
    let [warm, first] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(warm["options"]["num_predict"], 1);
    assert_eq!(warm["messages"], json!([first["messages"][0]]));
    assert_eq!((&warm["tools"], &warm["think"]), (&first["tools"], &first["think"]));
    assert_eq!(warm["tools"][0]["function"]["name"], "get_weather");
}

#[tokio::test]
async fn errors_do_not_quote_the_user() {
    let body = r#"{"error":"cannot read: my neighbour's name is Ada"}"#;
    let server = OllamaServer::start(ScriptedAnswer::refuses(400, body));

    let error = collect_reply(&model(&server), ask("my neighbour's name is Ada")).await.unwrap_err();

    assert!(!format!("{error} {error:?} {}", error.trouble()).contains("Ada"), "{error}");
}
