//! An Ollama server, spoken to in its own format: `/api/chat` answers with one JSON object a line.
//!
//! Source: bridge reference, section 6; behaviour reference, section 2.16.

mod wire;

use async_trait::async_trait;
use net::Http;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use self::wire::OllamaLines;
use super::asking::Asking;
use super::config::{ServerConfig, endpoint};
use super::failing::{Asked, Sent};
use crate::answer::{cancelled, read};
use crate::{
    ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity, ProviderKind, ToolCall, ToolSpec,
    chat,
};

/// Fields that old servers or plain models refuse, and the word their refusal contains.
const OPTIONAL_FIELDS: [(&str, &str); 2] = [("think", "think"), ("format", "format")];

/// A model on an Ollama server.
pub struct Ollama {
    http: Http,
    config: ServerConfig,
}

impl Ollama {
    /// Speaks to the server of `config`; the origin of its address is allowed from here on, for the user chose it.
    pub fn new(http: Http, config: ServerConfig) -> Self {
        http.allow_origin(&config.base_url);
        Self { http, config }
    }

    fn body(&self, request: &ChatRequest) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("model".into(), self.config.model.clone().into());
        body.insert("messages".into(), request.messages.iter().map(message_json).collect());
        body.insert("stream".into(), true.into());
        body.insert("think".into(), request.thinking.into());
        body.insert("keep_alive".into(), format!("{}s", self.config.keep_loaded.as_secs()).into());
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.iter().map(tool_json).collect());
        }
        if let Some(schema) = &request.format {
            body.insert("format".into(), schema.clone());
        }
        let options = json!({
            "num_ctx": self.config.context_tokens,
            "num_predict": request.max_tokens.unwrap_or(self.config.max_reply_tokens),
            "temperature": request.temperature.unwrap_or(self.config.temperature),
        });
        body.insert("options".into(), options);
        body
    }
}

#[async_trait]
impl ChatModel for Ollama {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let asking = Asking {
            http: &self.http,
            url: endpoint(&self.config.base_url, "api/chat"),
            api_key: self.config.api_key.as_ref(),
            silence_timeout: self.config.silence_timeout,
            optional: &OPTIONAL_FIELDS,
        };
        let asked = Asked {
            provider: ProviderKind::Ollama,
            base_url: self.config.base_url.clone(),
            model: self.config.model.clone(),
        };
        let answer = asking.post(self.body(&request), &asked, &Sent::from(&request), &stop).await?;
        Ok(answer.map_or_else(cancelled, |answer| read(answer.stream(), OllamaLines::of(&request), stop)))
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity { provider: ProviderKind::Ollama, model: self.config.model.clone() }
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
