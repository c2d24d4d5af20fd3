use std::time::{Duration, Instant};

use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, FinishReason, LlmError, Message, Ollama, ProviderKind, Usage,
};
use serde_json::json;
use testkit::{OllamaServer, ScriptedAnswer, ServerScript};

use crate::support::{Answer, SILENCE, answer, ask, config, http, weather_tool};

fn model(server: &OllamaServer) -> Ollama {
    Ollama::new(http(), config(&server.url()))
}

#[tokio::test]
async fn an_answer_streams_in_and_the_request_says_all_that_ollama_needs() {
    let server = OllamaServer::start(ScriptedAnswer::says("It rains.").after_thinking("hm"));

    let said = answer(&model(&server), ask("Rain?").with_temperature(0.5).with_max_tokens(9)).await.unwrap();

    let expected = Answer {
        text: "It rains.".into(),
        thinking: "hm".into(),
        reason: Some(FinishReason::Stop),
        ..Answer::default()
    };
    assert_eq!(said, expected);
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
async fn a_tool_call_comes_whole_and_its_result_goes_back_by_name() {
    let server = OllamaServer::start(ServerScript::new([
        ScriptedAnswer::calls("get_weather", json!({ "city": "Leeds" })),
        ScriptedAnswer::says("Rain."),
    ]));
    let model = model(&server);
    let request = ask("Rain in Leeds?").with_tools(vec![weather_tool()]);

    let called = answer(&model, request.clone()).await.unwrap();
    let mut messages = request.messages.clone();
    messages.push(Message::assistant_calls("", called.calls.clone()));
    messages.push(Message::tool_result(&called.calls[0], "rain, 11 C"));
    let said = answer(&model, llm::ChatRequest { messages, ..request }).await.unwrap();

    assert_eq!(called.reason, Some(FinishReason::ToolCalls));
    assert_eq!(called.calls[0].arguments, json!({ "city": "Leeds" }));
    assert_eq!(said.text, "Rain.");
    let asked = server.asked();
    assert_eq!(asked[0]["tools"][0]["function"]["name"], "get_weather");
    let expected = json!([
        { "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "get_weather", "arguments": { "city": "Leeds" } } }] },
        { "role": "tool", "content": "rain, 11 C", "tool_name": "get_weather" },
    ]);
    assert_eq!(asked[1]["messages"].as_array().unwrap()[2..], *expected.as_array().unwrap());
}

#[tokio::test]
async fn a_call_written_as_text_is_found_too() {
    let text = r#"{"name": "get_weather", "arguments": {"city": "Leeds"}}"#;
    let server = OllamaServer::start(ScriptedAnswer::says(text));

    let said = answer(&model(&server), ask("Rain?").with_tools(vec![weather_tool()])).await.unwrap();

    assert_eq!((said.text.as_str(), said.calls.len()), ("", 1));
}

#[tokio::test]
async fn fields_that_a_server_refuses_are_left_out_the_second_time() {
    let script = ServerScript::new([ScriptedAnswer::says("{}")])
        .refusing("think", "\"test-model\" does not support thinking")
        .refusing("format", "json: cannot unmarshal object into Go struct field format of type string");
    let server = OllamaServer::start(script);

    let said = answer(&model(&server), ask("Rain?").with_format(json!({ "type": "object" }))).await.unwrap();

    assert_eq!(said.text, "{}");
    let last = server.asked().pop().unwrap();
    assert_eq!((last.get("think"), last.get("format")), (None, None));
}

#[tokio::test]
async fn a_model_without_tools_says_so_and_can_be_asked_without() {
    let script = ServerScript::new([ScriptedAnswer::says("Rain.")])
        .refusing("tools", "registry.ollama.ai/library/test-model does not support tools");
    let server = OllamaServer::start(script);
    let model = model(&server);

    let refused = answer(&model, ask("Rain?").with_tools(vec![weather_tool()])).await.unwrap_err();
    let said = answer(&model, ask("Rain?")).await.unwrap();

    assert!(matches!(refused, LlmError::ToolsRefused { .. }), "{refused:?}");
    assert_eq!(said.text, "Rain.");
}

#[tokio::test]
async fn a_missing_model_names_the_command_that_fetches_it() {
    let server = OllamaServer::start(ServerScript::new([]).with_models(&["other"]));

    let error = answer(&model(&server), ask("Rain?")).await.unwrap_err();

    assert!(matches!(&error, LlmError::ModelMissing { model, .. } if model == "test-model"), "{error:?}");
    assert!(error.remedy().contains("ollama pull test-model"), "{}", error.remedy());
}

#[tokio::test]
async fn every_way_to_fail_has_its_own_error_and_the_next_request_works() {
    let server = OllamaServer::start(ServerScript::new([
        ScriptedAnswer::refuses(500, r#"{"error":"llama runner process has terminated"}"#),
        ScriptedAnswer::refuses(502, "<html>Bad Gateway</html>"),
        ScriptedAnswer::breaks_off_after("It "),
        ScriptedAnswer::babbles_after("It "),
        ScriptedAnswer::fails_after("It "),
        ScriptedAnswer::falls_silent_after("It "),
        ScriptedAnswer::says("It rains."),
    ]));
    let model = model(&server);
    let mut errors = Vec::new();

    for _ in 0..6 {
        errors.push(answer(&model, ask("Rain?")).await.unwrap_err());
    }
    let said = answer(&model, ask("Rain?")).await.unwrap();

    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "the language model server answered with status 500: llama runner process has terminated",
            "the language model server answered with status 502: it gave no reason",
            "the language model's answer broke off",
            "the language model server sent something unreadable: a line that is no JSON",
            "the language model failed: the model runner has ended",
            "the language model sent nothing for 0.4 s",
        ]
    );
    let transient: Vec<bool> = errors.iter().map(LlmError::is_transient).collect();
    assert_eq!(transient, [true, true, true, false, true, true]);
    assert_eq!(said.text, "It rains.");
}

#[tokio::test]
async fn what_came_before_a_failure_is_still_told() {
    let server = OllamaServer::start(ScriptedAnswer::breaks_off_after("It rains "));
    let mut stream = model(&server).chat(ask("Rain?"), CancellationToken::new()).await.unwrap();

    let mut text = String::new();
    let error = loop {
        match stream.next().await.unwrap() {
            Ok(ChatEvent::Text(piece)) => text.push_str(&piece),
            Ok(event) => panic!("unexpected {event:?}"),
            Err(error) => break error,
        }
    };

    assert_eq!(text, "It rains ");
    assert!(matches!(error, LlmError::Cut));
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn nobody_there_says_how_to_start_somebody() {
    let server = OllamaServer::start(ScriptedAnswer::says("Rain."));
    let model = model(&server);
    drop(server);

    let error = answer(&model, ask("Rain?")).await.unwrap_err();

    let is_expected = matches!(&error, LlmError::Unreachable { provider: ProviderKind::Ollama, .. });
    assert!(is_expected, "{error:?}");
    assert!(error.remedy().contains("ollama serve"), "{}", error.remedy());
}

#[tokio::test]
async fn cancelling_ends_the_stream_without_an_error_and_hangs_up() {
    let server = OllamaServer::start(ScriptedAnswer::falls_silent_after("It "));
    let stop = CancellationToken::new();
    let mut stream = model(&server).chat(ask("Rain?"), stop.clone()).await.unwrap();
    let first = stream.next().await.unwrap().unwrap();

    stop.cancel();
    let before = Instant::now();
    let last = stream.next().await.unwrap().unwrap();

    assert!(first == ChatEvent::Text("It ".into()), "{first:?}");
    assert!(last == ChatEvent::Finished(Usage::unknown(FinishReason::Cancelled)), "{last:?}");
    assert!(before.elapsed() < SILENCE / 2, "took {:?}", before.elapsed());
    assert!(stream.next().await.is_none());
    server.abandoned(1).await;
}

#[tokio::test]
async fn cancelling_before_the_first_word_ends_the_stream_too() {
    let slow = ScriptedAnswer::says("Rain.").with_first_token_after(Duration::from_secs(3600));
    let server = OllamaServer::start(slow);
    let stop = CancellationToken::new();
    stop.cancel();

    let mut stream = model(&server).chat(ask("Rain?"), stop).await.unwrap();

    let end = stream.next().await.unwrap().unwrap();
    assert!(end == ChatEvent::Finished(Usage::unknown(FinishReason::Cancelled)), "{end:?}");
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn dropping_an_answer_hangs_up() {
    let server = OllamaServer::start(ScriptedAnswer::falls_silent_after("It "));
    let mut stream = model(&server).chat(ask("Rain?"), CancellationToken::new()).await.unwrap();
    stream.next().await.unwrap().unwrap();

    drop(stream);

    server.abandoned(1).await;
}

#[tokio::test]
async fn warming_up_reads_the_prompt_and_writes_next_to_nothing() {
    let server = OllamaServer::start(ScriptedAnswer::says("x"));

    model(&server).warm_up(&[Message::system("Be brief.")]).await.unwrap();

    let asked = server.asked();
    assert_eq!(asked[0]["messages"], json!([{ "role": "system", "content": "Be brief." }]));
    assert_eq!(asked[0]["options"]["num_predict"], 1);
}

#[tokio::test]
async fn no_error_repeats_what_was_said() {
    let body = r#"{"error":"cannot read: my neighbour's name is Ada"}"#;
    let server = OllamaServer::start(ScriptedAnswer::refuses(400, body));

    let error = answer(&model(&server), ask("my neighbour's name is Ada")).await.unwrap_err();

    assert!(!format!("{error} {error:?} {}", error.trouble()).contains("Ada"), "{error}");
}
