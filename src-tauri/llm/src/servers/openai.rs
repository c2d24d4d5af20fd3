//! Chat models on servers with the OpenAI API. `/v1/chat/completions` sends server-sent events.

mod response;

use async_trait::async_trait;
use net::{Http, Purpose, Url};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use self::response::OpenAiParser;
use super::client::ServerClient;
use super::config::{ServerConfig, endpoint};
use super::ollama::tool_json;
use super::server_error::RequestContent;
use crate::response::{cancelled_stream, event_stream};
use crate::{
    ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity, ProviderKind, ToolCall, chat,
};

/// Request fields that some servers reject, each with a word that the error message then contains.
const OPTIONAL_FIELDS: [(&str, &str); 3] = [
    ("chat_template_kwargs", "chat_template_kwargs"),
    ("stream_options", "stream_options"),
    ("response_format", "response_format"),
];

/// A chat model on a server with the OpenAI API.
pub struct OpenAi(ServerClient);

impl OpenAi {
    /// Creates the client. Also allows requests to the origin of the address, because the user configured it.
    ///
    /// An address without a path means the default path `/v1`.
    pub fn new(http: Http, config: ServerConfig) -> Self {
        Self(ServerClient::new(
            http.for_purpose(Purpose::LanguageModel),
            config,
            ProviderKind::OpenAi,
            &OPTIONAL_FIELDS,
        ))
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
            // llama.cpp and vLLM pass this to the chat template. There is no standard field for it.
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

/// The base address of all endpoints: `/v1` if the address has no path.
pub(crate) fn api_root(base_url: &Url) -> Url {
    if base_url.path() == "/" { endpoint(base_url, "v1") } else { base_url.clone() }
}

#[async_trait]
impl ChatModel for OpenAi {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let url = endpoint(&api_root(&self.0.config.base_url), "chat/completions");
        let response = self.0.post(&url, self.body(&request), &RequestContent::from(&request), &stop).await?;
        Ok(response.map_or_else(cancelled_stream, |response| {
            event_stream(response.stream(), OpenAiParser::from_request(&request), stop)
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

/// A message in the OpenAI format: arguments are JSON text, results have the id of their call.
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
