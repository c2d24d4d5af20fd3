use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, FinishReason, LlmError, Message, OpenAi, ServerConfig, Usage,
};
use serde_json::json;
use testkit::{OpenAiServer, ScriptedAnswer, ServerScript};

use crate::support::{Answer, answer, ask, config, http, weather_tool};

fn model(server: &OpenAiServer) -> OpenAi {
    OpenAi::new(http(), config(&server.url()))
}

#[tokio::test]
async fn an_answer_streams_in_and_the_request_says_all_that_is_needed() {
    let server = OpenAiServer::start(ScriptedAnswer::says("It rains.").after_thinking("hm"));

    let request =
        ask("Rain?").with_temperature(0.5).with_max_tokens(9).with_format(json!({ "type": "object" }));
    let said = answer(&model(&server), request).await.unwrap();

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
        "stream_options": { "include_usage": true },
        "max_tokens": 9,
        "temperature": 0.5,
        "chat_template_kwargs": { "enable_thinking": false },
        "response_format": { "type": "json_schema", "json_schema": { "name": "answer", "strict": true, "schema": { "type": "object" } } },
    });
    assert_eq!(server.asked(), [expected]);
}

#[tokio::test]
async fn a_tool_call_is_put_together_and_its_result_goes_back_by_id() {
    let server = OpenAiServer::start(ServerScript::new([
        ScriptedAnswer::calls("get_weather", json!({ "city": "Leeds" })),
        ScriptedAnswer::says("Rain."),
    ]));
    let model = model(&server);
    let request = ask("Rain in Leeds?").with_tools(vec![weather_tool()]);

    let called = answer(&model, request.clone()).await.unwrap();
    let mut messages = request.messages.clone();
    messages.push(Message::assistant_calls("", called.calls.clone()));
    messages.push(Message::tool_result(&called.calls[0], "rain, 11 C"));
    answer(&model, llm::ChatRequest { messages, ..request }).await.unwrap();

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
async fn the_key_goes_with_every_request_and_a_wrong_one_says_so() {
    let script = ServerScript::new([ScriptedAnswer::says("Rain.")]).with_api_key("right");
    let server = OpenAiServer::start(script);
    let with_key = |key: &str| {
        OpenAi::new(http(), ServerConfig { api_key: Some(key.to_owned().into()), ..config(&server.url()) })
    };

    let said = answer(&with_key("right"), ask("Rain?")).await.unwrap();
    let error = answer(&with_key("wrong"), ask("Rain?")).await.unwrap_err();

    assert_eq!(said.text, "Rain.");
    assert!(matches!(error, LlmError::KeyRefused { code: 401 }), "{error:?}");
}

#[tokio::test]
async fn fields_that_a_server_refuses_are_left_out_the_second_time() {
    let script = ServerScript::new([ScriptedAnswer::says("Rain.")])
        .refusing("chat_template_kwargs", "Unrecognized request argument: chat_template_kwargs")
        .refusing("stream_options", "stream_options is not supported");
    let server = OpenAiServer::start(script);

    let said = answer(&model(&server), ask("Rain?")).await.unwrap();

    assert_eq!(said.text, "Rain.");
}

#[tokio::test]
async fn every_way_to_fail_has_its_own_error_and_the_next_request_works() {
    let server = OpenAiServer::start(ServerScript::new([
        ScriptedAnswer::refuses(503, r#"{"error":{"message":"Loading model","code":503}}"#),
        ScriptedAnswer::refuses(404, r#"{"error":{"message":"The model `test-model` does not exist"}}"#),
        ScriptedAnswer::refuses(404, "not found"),
        ScriptedAnswer::breaks_off_after("It "),
        ScriptedAnswer::babbles_after("It "),
        ScriptedAnswer::fails_after("It "),
        ScriptedAnswer::falls_silent_after("It "),
        ScriptedAnswer::says("It rains."),
    ]));
    let model = model(&server);
    let mut errors = Vec::new();

    for _ in 0..7 {
        errors.push(answer(&model, ask("Rain?")).await.unwrap_err().to_string());
    }
    let said = answer(&model, ask("Rain?")).await.unwrap();

    assert_eq!(
        errors,
        [
            "the language model server answered with status 503: Loading model",
            "the OpenAI-compatible provider has no model named \"test-model\"",
            "the language model server answered with status 404: not found",
            "the language model's answer broke off",
            "the language model server sent something unreadable: a line that is no event",
            "the language model failed: the model runner has ended",
            "the language model sent nothing for 0.4 s",
        ]
    );
    assert_eq!(said.text, "It rains.");
}

#[tokio::test]
async fn cancelling_ends_the_stream_without_an_error_and_hangs_up() {
    let server = OpenAiServer::start(ScriptedAnswer::falls_silent_after("It "));
    let stop = CancellationToken::new();
    let mut stream = model(&server).chat(ask("Rain?"), stop.clone()).await.unwrap();
    stream.next().await.unwrap().unwrap();

    stop.cancel();
    let last = stream.next().await.unwrap().unwrap();

    assert!(last == ChatEvent::Finished(Usage::unknown(FinishReason::Cancelled)), "{last:?}");
    assert!(stream.next().await.is_none());
    server.abandoned(1).await;
}
