//! Any server that speaks the OpenAI format: `/v1/chat/completions` answers with server-sent events.

mod wire;

use async_trait::async_trait;
use net::{Http, Url};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use self::wire::OpenAiLines;
use super::client::ServerClient;
use super::config::{ServerConfig, endpoint};
use super::ollama::tool_json;
use super::refusal::RequestContent;
use crate::answer::{cancelled, read};
use crate::{
    ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity, ProviderKind, ToolCall, chat,
};

/// Fields that some servers refuse, and the word their refusal contains.
const OPTIONAL_FIELDS: [(&str, &str); 3] = [
    ("chat_template_kwargs", "chat_template_kwargs"),
    ("stream_options", "stream_options"),
    ("response_format", "response_format"),
];

/// A model on a server that speaks the OpenAI format.
pub struct OpenAi(ServerClient);

impl OpenAi {
    /// Speaks to the server of `config`; the origin of its address is allowed from here on, for the user chose it.
    ///
    /// An address without a path means the usual `/v1`.
    pub fn new(http: Http, config: ServerConfig) -> Self {
        Self(ServerClient::new(http, config, ProviderKind::OpenAi, &OPTIONAL_FIELDS))
    }

    fn body(&self, request: &ChatRequest) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("model".into(), self.0.config.model.clone().into());
        body.insert("messages".into(), request.messages.iter().map(message_json).collect());
        body.insert("stream".into(), true.into());
        body.insert("stream_options".into(), json!({ "include_usage": true }));
        body.insert("max_tokens".into(), request.max_tokens.unwrap_or(self.0.config.max_reply_tokens).into());
        body.insert("temperature".into(), request.temperature.unwrap_or(self.0.config.temperature).into());
        if !request.thinking {
            // llama.cpp and vLLM hand this to the model's template; there is no common word for it.
            body.insert("chat_template_kwargs".into(), json!({ "enable_thinking": false }));
        }
        if !request.tools.is_empty() {
            body.insert("tools".into(), request.tools.iter().map(tool_json).collect());
        }
        if let Some(schema) = &request.format {
            let named = json!({ "name": "answer", "strict": true, "schema": schema });
            body.insert("response_format".into(), json!({ "type": "json_schema", "json_schema": named }));
        }
        body
    }
}

/// The address below which the endpoints stand: `/v1` where the user gave no path.
pub(crate) fn api_root(base_url: &Url) -> Url {
    if base_url.path() == "/" { endpoint(base_url, "v1") } else { base_url.clone() }
}

#[async_trait]
impl ChatModel for OpenAi {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let url = endpoint(&api_root(&self.0.config.base_url), "chat/completions");
        let answer = self.0.post(&url, self.body(&request), &RequestContent::from(&request), &stop).await?;
        Ok(answer.map_or_else(cancelled, |answer| read(answer.stream(), OpenAiLines::of(&request), stop)))
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity { provider: self.0.provider, model: self.0.config.model.clone() }
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        chat::warm_up_by_asking(self, messages).await
    }
}

/// A message in the OpenAI format: arguments are text, results name their call.
fn message_json(message: &Message) -> Value {
    let mut json = json!({ "role": message.role.as_str(), "content": message.content });
    if !message.tool_calls.is_empty() {
        json["tool_calls"] = message.tool_calls.iter().map(call_json).collect();
    }
    if let Some(id) = &message.tool_call_id {
        json["tool_call_id"] = id.0.clone().into();
    }
    json
}

fn call_json(call: &ToolCall) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments.to_string() });
    json!({ "id": call.id.0, "type": "function", "function": function })
}
