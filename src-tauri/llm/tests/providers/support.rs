//! What the tests here have in common.

use std::time::Duration;

use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, ChatRequest, FinishReason, LlmError, Message, ServerConfig,
    ToolCall, ToolSpec,
};
use net::{Http, Url};
use serde_json::json;
use settings::LlmSettings;

/// A stub that falls silent must be noticed soon, yet a busy machine must not look silent.
pub const SILENCE: Duration = Duration::from_millis(400);

pub fn http() -> Http {
    Http::new().unwrap()
}

pub fn config(url: &str) -> ServerConfig {
    let config = ServerConfig::of_settings(
        &LlmSettings::default(),
        Url::parse(url).unwrap(),
        "test-model".into(),
        None,
    );
    ServerConfig { silence_timeout: SILENCE, ..config }
}

pub fn ask(text: &str) -> ChatRequest {
    ChatRequest::new(vec![Message::system("Be brief."), Message::user(text)])
}

pub fn weather_tool() -> ToolSpec {
    ToolSpec {
        name: "get_weather".into(),
        description: "Tells the weather.".into(),
        parameters: json!({ "type": "object", "properties": { "city": { "type": "string" } } }),
    }
}

/// A whole answer.
#[derive(Debug, Default, PartialEq)]
pub struct Answer {
    pub text: String,
    pub thinking: String,
    pub calls: Vec<ToolCall>,
    pub reason: Option<FinishReason>,
}

/// Reads an answer to its end, or to what goes wrong.
pub async fn answer(model: &dyn ChatModel, request: ChatRequest) -> Result<Answer, LlmError> {
    let mut stream = model.chat(request, CancellationToken::new()).await?;
    let mut answer = Answer::default();
    while let Some(event) = stream.next().await {
        assert_eq!(answer.reason, None, "nothing follows the end");
        match event? {
            ChatEvent::Text(text) => answer.text.push_str(&text),
            ChatEvent::Thinking(text) => answer.thinking.push_str(&text),
            ChatEvent::ToolCalls(calls) => answer.calls.extend(calls),
            ChatEvent::Finished(usage) => answer.reason = Some(usage.reason),
        }
    }
    assert!(answer.reason.is_some(), "a good answer says why it ended");
    Ok(answer)
}
