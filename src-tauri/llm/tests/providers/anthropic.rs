use std::sync::Arc;

use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, ChatRequest, EmbedError, EmbedRole, Embedder, FinishReason,
    LlmError, Message, ProviderEmbedder, ProviderFinder, ProviderKind, ProviderState, ServerConfig, Usage,
    chat_model,
};
use rstest::rstest;
use serde_json::json;
use settings::{LlmSettings, Provider};
use testkit::{AnthropicServer, ScriptedAnswer, ServerScript};

use crate::support::{Reply, ask, collect_reply, config, http, not_installed, weather_tool};

fn model(server: &AnthropicServer) -> Arc<dyn ChatModel> {
    chat_model(ProviderKind::Anthropic, http(), config(&server.url()))
}

fn finder(provider: Provider, base_url: &str, chat_model: &str, key: Option<&str>) -> ProviderFinder {
    let (base_url, chat_model) = (base_url.to_owned(), chat_model.to_owned());
    let settings = LlmSettings { provider, base_url, chat_model, ..LlmSettings::default() };
    ProviderFinder::new(settings, http(), not_installed(), key.map(Into::into))
}

fn with_key(answers: impl IntoIterator<Item = ScriptedAnswer>) -> ServerScript {
    ServerScript::new(answers).with_api_key("right")
}

#[tokio::test]
async fn reply_is_streamed_and_the_request_has_all_fields() {
    let server = AnthropicServer::start(ScriptedAnswer::says("It rains.").after_thinking("hm"));

    let request =
        ask("Rain?").with_temperature(1.5).with_max_tokens(9).with_format(json!({ "type": "object" }));
    let reply = collect_reply(&*model(&server), request).await.unwrap();

    let expected = Reply {
        text: "It rains.".into(),
        thinking: "hm".into(),
        reason: Some(FinishReason::Stop),
        ..Reply::default()
    };
    assert_eq!(reply, expected);
    let expected = json!({
        "model": "test-model",
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Rain?" }] }],
        "stream": true,
        "max_tokens": 9,
        "temperature": 1.0,
        "thinking": { "type": "disabled" },
        "system": "Be brief.",
    });
    assert_eq!(server.asked(), [expected]);
}

#[tokio::test]
async fn tool_result_is_sent_back_in_front_of_the_next_question() {
    let server = AnthropicServer::start(ServerScript::new([
        ScriptedAnswer::calls("get_weather", json!({ "city": "Leeds" })),
        ScriptedAnswer::says("Rain."),
    ]));
    let model = model(&server);
    let request = ask("Rain in Leeds?").with_tools(vec![weather_tool()]);

    let called = collect_reply(&*model, request.clone()).await.unwrap();
    let mut messages = request.messages.clone();
    messages.push(Message::assistant_calls("Let me see.", called.calls.clone()));
    messages.push(Message::tool_result(&called.calls[0], "rain, 11 C"));
    messages.push(Message::user("In one word."));
    let reply = collect_reply(&*model, ChatRequest { messages, ..request }).await.unwrap();

    assert_eq!((called.reason, reply.text.as_str()), (Some(FinishReason::ToolCalls), "Rain."));
    assert_eq!(called.calls[0].arguments, json!({ "city": "Leeds" }));
    let expected = json!([
        { "role": "user", "content": [{ "type": "text", "text": "Rain in Leeds?" }] },
        { "role": "assistant", "content": [
            { "type": "text", "text": "Let me see." },
            { "type": "tool_use", "id": "toolu_0", "name": "get_weather", "input": { "city": "Leeds" } },
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "toolu_0", "content": "rain, 11 C" },
            { "type": "text", "text": "In one word." },
        ] },
    ]);
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let tool = json!({ "name": "get_weather", "description": "Tells the weather.", "input_schema": schema });
    assert_eq!(server.asked()[1]["messages"], expected);
    assert_eq!(server.asked()[1]["tools"], json!([tool]));
}

#[tokio::test]
async fn model_is_warmed_up_with_rules_alone() {
    let server = AnthropicServer::start(ScriptedAnswer::says("Rain."));

    model(&server).warm_up(&[Message::system("Be brief.")]).await.unwrap();

    let asked = &server.asked()[0];
    assert_eq!((&asked["system"], &asked["max_tokens"]), (&json!("Be brief."), &json!(1)));
}

#[tokio::test]
async fn api_key_is_sent_and_a_wrong_key_is_reported() {
    let server = AnthropicServer::start(with_key([ScriptedAnswer::says("Rain.")]));
    let with_key = |key: &str| {
        let config = ServerConfig { api_key: Some(key.to_owned().into()), ..config(&server.url()) };
        chat_model(ProviderKind::Anthropic, http(), config)
    };

    let reply = collect_reply(&*with_key("right"), ask("Rain?")).await.unwrap();
    let error = collect_reply(&*with_key("wrong"), ask("Rain?")).await.unwrap_err();

    assert_eq!(reply.text, "Rain.");
    assert!(matches!(error, LlmError::KeyRefused { code: 401 }), "{error:?}");
    assert!(!format!("{error:?}").contains("wrong"));
}

#[tokio::test]
async fn rejected_fields_are_omitted_when_retrying() {
    let script = ServerScript::new([ScriptedAnswer::says("Rain.")])
        .rejecting("thinking", "thinking: this model always thinks")
        .rejecting("temperature", "`temperature` is deprecated for this model");
    let server = AnthropicServer::start(script);

    let reply = collect_reply(&*model(&server), ask("Rain?")).await.unwrap();

    assert_eq!(reply.text, "Rain.");
}

#[tokio::test]
async fn each_failure_has_its_own_error_and_can_be_retried() {
    let server = AnthropicServer::start(ServerScript::new([
        ScriptedAnswer::refuses(
            404,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: test-model"}}"#,
        ),
        ScriptedAnswer::disconnects_after("It "),
        ScriptedAnswer::sends_invalid_data_after("It "),
        ScriptedAnswer::fails_after("It "),
        ScriptedAnswer::stalls_after("It "),
        ScriptedAnswer::says("It rains."),
    ]));
    let model = model(&server);
    let mut errors = Vec::new();

    for _ in 0..5 {
        errors.push(collect_reply(&*model, ask("Rain?")).await.unwrap_err().to_string());
    }
    let reply = collect_reply(&*model, ask("Rain?")).await.unwrap();

    assert_eq!(
        errors,
        [
            "the Anthropic-compatible provider has no model named \"test-model\"",
            "the response of the language model is incomplete",
            "the language model server sent an invalid response: a line is not an event",
            "the language model failed: the model runner has ended",
            "the language model sent nothing for 0.4 s",
        ]
    );
    assert_eq!(reply.text, "It rains.");
}

#[rstest]
#[case::too_many(429, "rate_limit_error", "Number of requests exceeded", "Wait a minute", true)]
#[case::overloaded(529, "overloaded_error", "Overloaded", "Wait a minute", true)]
#[case::too_long(400, "invalid_request_error", "prompt is too long", "shorter question", false)]
#[case::crashed(500, "api_error", "Internal server error", "Ask again", true)]
#[tokio::test]
async fn refusal_has_its_reason_and_a_remedy(
    #[case] code: u16,
    #[case] kind: &str,
    #[case] message: &str,
    #[case] remedy: &str,
    #[case] is_transient: bool,
) {
    let body = json!({ "type": "error", "error": { "type": kind, "message": message } });
    let server = AnthropicServer::start(ScriptedAnswer::refuses(code, body.to_string()));

    let error = collect_reply(&*model(&server), ask("Rain?")).await.unwrap_err();

    assert_eq!(
        error.to_string(),
        format!("the language model server responded with status {code}: {message}")
    );
    assert!(error.remedy().contains(remedy), "{}", error.remedy());
    assert_eq!(error.is_transient(), is_transient);
}

#[tokio::test]
async fn bytes_that_come_singly_make_the_same_reply() {
    let answer = ScriptedAnswer::says("Der Käse kostet 3 €, 東京では 4 €.").byte_by_byte();
    let server = AnthropicServer::start(answer);

    let reply = collect_reply(&*model(&server), ask("Käse?")).await.unwrap();

    assert_eq!(reply.text, "Der Käse kostet 3 €, 東京では 4 €.");
}

#[tokio::test]
async fn cancellation_ends_the_stream_and_the_connection() {
    let server = AnthropicServer::start(ScriptedAnswer::stalls_after("It "));
    let stop = CancellationToken::new();
    let mut stream = model(&server).chat(ask("Rain?"), stop.clone()).await.unwrap();
    stream.next().await.unwrap().unwrap();

    stop.cancel();
    let last = stream.next().await.unwrap().unwrap();

    assert!(last == ChatEvent::Finished(Usage::unknown(FinishReason::Cancelled)), "{last:?}");
    assert!(stream.next().await.is_none());
    server.abandoned(1).await;
}

#[rstest]
#[case::plain("", "")]
#[case::with_the_version("/v1", "")]
#[case::without_the_date("", "test-model")]
#[tokio::test]
async fn server_of_the_settings_is_found_and_reported(#[case] path: &str, #[case] wanted: &str) {
    let script = with_key([ScriptedAnswer::says("Rain.")]).with_models(&["test-model-20250929"]);
    let server = AnthropicServer::start(script);
    let address = format!("{}{path}", server.url());
    let finder = finder(Provider::Anthropic, &address, wanted, Some("right"));

    let model = finder.find().await.unwrap();
    let reply = collect_reply(&*model, ask("Rain?")).await.unwrap();
    let report = finder.report().await.unwrap();

    assert_eq!(reply.text, "Rain.");
    assert_eq!(model.identity().to_string(), "test-model-20250929 (Anthropic-compatible)");
    let expected = ProviderState::Ready { version: None, models: vec!["test-model-20250929".into()] };
    assert_eq!((report[0].is_chosen, &report[0].state), (true, &expected));
}

#[tokio::test]
async fn models_behind_the_first_page_are_found() {
    let names: Vec<String> = (0..30).map(|number| format!("model-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let script = ServerScript::new([ScriptedAnswer::says("Rain.")]).with_models(&names);
    let server = AnthropicServer::start(script);

    let found = finder(Provider::Anthropic, &server.url(), "model-29", None).find().await.unwrap();

    assert_eq!(found.identity().model, "model-29");
}

#[tokio::test]
async fn automatic_choice_never_takes_such_a_server() {
    let server = AnthropicServer::start(ScriptedAnswer::says("Rain."));

    let error = finder(Provider::Auto, &server.url(), "", Some("right")).find().await.err().unwrap();

    let LlmError::NoProvider { tried } = &error else { panic!("{error:?}") };
    assert!(tried.iter().all(|tried| tried.provider != ProviderKind::Anthropic), "{tried:?}");
    assert!(server.asked().is_empty());
}

#[rstest]
#[case::wrong_key("as it is", "wrong", "jarvis settings secret llm.api_key")]
#[case::no_address("", "right", "Set llm.base_url to the address of the server")]
#[tokio::test]
async fn wrong_setting_has_a_remedy(#[case] address: &str, #[case] key: &str, #[case] remedy: &str) {
    let server = AnthropicServer::start(with_key([ScriptedAnswer::says("Rain.")]));
    let address = if address.is_empty() { String::new() } else { server.url() };

    let error = finder(Provider::Anthropic, &address, "", Some(key)).find().await.err().unwrap();

    assert!(error.remedy().contains(remedy), "{error}: {}", error.remedy());
}

#[tokio::test]
async fn server_without_embeddings_is_not_asked_for_them() {
    let server = AnthropicServer::start(ScriptedAnswer::says("Rain."));
    let embedder = ProviderEmbedder::new(finder(Provider::Anthropic, &server.url(), "", None), "minilm");

    let texts = ["rain".to_owned()];
    let error = embedder.embed(&texts, EmbedRole::Query, CancellationToken::new()).await.unwrap_err();

    assert!(matches!(error, EmbedError::NoServer), "{error:?}");
    assert!(server.asked().is_empty());
}
