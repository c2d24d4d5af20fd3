//! Chat models on an Ollama server. `/api/chat` sends one JSON object per line.
//!
//! Source: docs/behaviour/bridge.md#request; docs/behaviour/replying.md#model-servers.

mod response;
mod pull; // fetching models

use async_trait::async_trait;
use net::{Http, Purpose};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

pub use self::pull::{OllamaPuller, PullError, PullEvent, PullLimits, PullProgress, PullStream};

use self::response::OllamaParser;
use super::client::ServerClient;
use super::config::{ServerConfig, endpoint};
use super::server_error::RequestContent;
use crate::response::{cancelled_stream, event_stream};
use crate::{
    ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity, ProviderKind, ToolCall, ToolSpec,
    chat,
};

/// Request fields that old servers or simple models reject, each with a word that the error message then contains.
const OPTIONAL_FIELDS: [(&str, &str); 2] = [("think", "think"), ("format", "format")];

/// A chat model on an Ollama server.
pub struct Ollama(ServerClient);

impl Ollama {
    /// Creates the client. Also allows requests to the origin of the address, because the user configured it.
    pub fn new(http: Http, config: ServerConfig) -> Self {
        Self(ServerClient::new(
            http.for_purpose(Purpose::LanguageModel),
            config,
            ProviderKind::Ollama,
            &OPTIONAL_FIELDS,
        ))
    }

    fn body(&self, request: &ChatRequest) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("model".into(), self.0.config.model.clone().into());
        body.insert("messages".into(), request.messages.iter().map(message_json).collect());
        body.insert("stream".into(), true.into());
        body.insert("think".into(), request.thinking.into());
        body.insert("keep_alive".into(), format!("{}s", self.0.config.keep_alive.as_secs()).into());
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.iter().map(tool_json).collect());
        }
        if let Some(schema) = &request.format {
            body.insert("format".into(), schema.clone());
        }
        let options = json!({
            "num_ctx": self.0.config.context_tokens,
            "num_predict": request.max_tokens.unwrap_or(self.0.config.max_reply_tokens),
            "temperature": request.temperature.unwrap_or(self.0.config.temperature),
        });
        body.insert("options".into(), options);
        body
    }
}

#[async_trait]
impl ChatModel for Ollama {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let url = endpoint(&self.0.config.base_url, "api/chat");
        let response = self.0.post(&url, self.body(&request), &RequestContent::from(&request), &stop).await?;
        Ok(response.map_or_else(cancelled_stream, |response| {
            event_stream(response.stream(), OllamaParser::from_request(&request), stop)
        }))
    }

    fn identity(&self) -> ModelIdentity {
        self.0.identity()
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        self.warm_up_with(ChatRequest::new(messages.to_vec())).await
    }

    async fn warm_up_with(&self, beginning: ChatRequest) -> Result<(), LlmError> {
        chat::warm_up_with_one_token(self, beginning).await
    }
}

/// A message in the Ollama format: calls have no ids, results have the name of the tool.
fn message_json(message: &Message) -> Value {
    let mut json = json!({ "role": message.role.as_str(), "content": message.content });
    if let Some(thinking) = &message.thinking {
        json["thinking"] = thinking.clone().into();
    }
    if !message.tool_calls.is_empty() {
        json["tool_calls"] = message.tool_calls.iter().map(call_json).collect();
    }
    if let Some(name) = &message.tool_name {
        json["tool_name"] = name.clone().into();
    }
    json
}

fn call_json(call: &ToolCall) -> Value {
    json!({ "function": { "name": call.name, "arguments": call.arguments } })
}

/// A tool in the format of Ollama and OpenAI.
pub(super) fn tool_json(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}
