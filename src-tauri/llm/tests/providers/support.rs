//! Helpers shared by the tests.

use std::time::Duration;

use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, ChatRequest, EmbeddedOptions, FinishReason, LlmError, Message,
    ServerConfig, ToolCall, ToolSpec,
};
use net::{Http, Url};
use serde_json::json;
use settings::LlmSettings;

/// Short enough for fast tests, and long enough for a busy machine.
pub const SILENCE: Duration = Duration::from_millis(400);

pub fn http() -> Http {
    Http::new().unwrap()
}

pub fn config(url: &str) -> ServerConfig {
    let config = ServerConfig::from_settings(
        &LlmSettings::default(),
        Url::parse(url).unwrap(),
        "test-model".into(),
        None,
    );
    ServerConfig { silence_timeout: SILENCE, ..config }
}

/// Options of an embedded engine that is not installed.
pub fn not_installed() -> EmbeddedOptions {
    let nowhere = std::path::PathBuf::from("nowhere");
    EmbeddedOptions {
        worker: nowhere.join("llm-worker"),
        model: nowhere.join("model.gguf"),
        idle_unload: Duration::from_secs(60),
        kept_beginnings: None,
    }
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

/// A complete reply.
#[derive(Debug, Default, PartialEq)]
pub struct Reply {
    pub text: String,
    pub thinking: String,
    pub calls: Vec<ToolCall>,
    pub reason: Option<FinishReason>,
}

/// Reads a response to its end or to the first error.
pub async fn collect_reply(model: &dyn ChatModel, request: ChatRequest) -> Result<Reply, LlmError> {
    let mut stream = model.chat(request, CancellationToken::new()).await?;
    let mut reply = Reply::default();
    while let Some(event) = stream.next().await {
        assert_eq!(reply.reason, None, "no event follows the end");
        match event? {
            ChatEvent::Text(text) => reply.text.push_str(&text),
            ChatEvent::Thinking(text) => reply.thinking.push_str(&text),
            ChatEvent::ToolCalls(calls) => reply.calls.extend(calls),
            ChatEvent::Finished(usage) => reply.reason = Some(usage.reason),
        }
    }
    assert!(reply.reason.is_some(), "the stream ends with a finish reason");
    Ok(reply)
}
