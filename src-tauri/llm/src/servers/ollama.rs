//! An Ollama server, spoken to in its own format: `/api/chat` answers with one JSON object a line.
//!
//! Source: bridge reference, section 6; behaviour reference, section 2.16.

mod wire;

use async_trait::async_trait;
use net::Http;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use self::wire::OllamaLines;
use super::client::ServerClient;
use super::config::{ServerConfig, endpoint};
use super::refusal::RequestContent;
use crate::answer::{cancelled, read};
use crate::{
    ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity, ProviderKind, ToolCall, ToolSpec,
    chat,
};

/// Fields that old servers or plain models refuse, and the word their refusal contains.
const OPTIONAL_FIELDS: [(&str, &str); 2] = [("think", "think"), ("format", "format")];

/// A model on an Ollama server.
pub struct Ollama(ServerClient);

impl Ollama {
    /// Speaks to the server of `config`; the origin of its address is allowed from here on, for the user chose it.
    pub fn new(http: Http, config: ServerConfig) -> Self {
        Self(ServerClient::new(http, config, ProviderKind::Ollama, &OPTIONAL_FIELDS))
    }

    fn body(&self, request: &ChatRequest) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("model".into(), self.0.config.model.clone().into());
        body.insert("messages".into(), request.messages.iter().map(message_json).collect());
        body.insert("stream".into(), true.into());
        body.insert("think".into(), request.thinking.into());
        body.insert("keep_alive".into(), format!("{}s", self.0.config.keep_loaded.as_secs()).into());
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
        let answer = self.0.post(&url, self.body(&request), &RequestContent::from(&request), &stop).await?;
        Ok(answer.map_or_else(cancelled, |answer| read(answer.stream(), OllamaLines::of(&request), stop)))
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity { provider: self.0.provider, model: self.0.config.model.clone() }
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        chat::warm_up_by_asking(self, messages).await
    }
}

/// A message as Ollama reads it: calls without ids, results with the tool's name.
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

/// A tool as Ollama and everybody after OpenAI reads it.
pub(super) fn tool_json(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}
