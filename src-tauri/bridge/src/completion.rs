//! One completion request, with what the server accepts of it.
//!
//! Old servers take no schema as format, and models without native tools refuse them: the request is repeated in the next
//! simpler form, which also holds for later requests.
//!
//! Source: docs/behaviour/bridge.md#request.

use std::sync::Arc;
use std::time::Duration;

use llm::{Message, ToolSpec};
use serde_json::Value;

use crate::error::BridgeError;
use crate::payload::{ModelOptions, ReplyFormat, body};
use crate::ports::{ChatFailure, ChatServer};

/// A completion request in its richest form.
pub(crate) struct Request {
    /// The messages, the base system prompt first.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The same as text, for models without native tools.
    pub text_of_tools: Option<String>,
    /// The form of the reply.
    pub format: ReplyFormat,
}

/// Sends requests, and knows what the server refused before.
pub(crate) struct Completion {
    server: Arc<dyn ChatServer>,
    options: ModelOptions,
    /// The formats that are not sent again.
    refused: RefusedFormats,
    /// The model can be given tools.
    has_native_tools: bool,
    /// The largest context so far.
    context: u32,
}

/// Formats that the server refuses. Later ones include the earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RefusedFormats {
    Nothing,
    Schema,
    Json,
}

impl Completion {
    pub fn new(server: Arc<dyn ChatServer>, options: ModelOptions) -> Self {
        Self { server, options, refused: RefusedFormats::Nothing, has_native_tools: true, context: 0 }
    }

    /// Sends a request until the server accepts a form of it; returns the message of the response.
    pub async fn send(&mut self, request: &Request, limit: Duration) -> Result<Value, BridgeError> {
        loop {
            let format = self.accepted(&request.format);
            let has_tools = self.has_native_tools && !request.tools.is_empty();
            let body = self.body(request, &format);
            tracing::debug!(format = format.name(), tools = request.tools.len(), "sending request to Ollama");
            let failure = match self.server.chat(&body, limit).await {
                Ok(message) => return Ok(message),
                Err(failure) => failure,
            };
            match failure {
                ChatFailure::Status { code: 400, detail } if has_tools && names_tools(&detail) => {
                    tracing::debug!("the model takes no native tools; they are described in text");
                    self.has_native_tools = false;
                }
                ChatFailure::Status { code: 400, .. } if format != ReplyFormat::Free => {
                    tracing::debug!(format = format.name(), "the server refuses the format");
                    self.refused = if matches!(format, ReplyFormat::Schema(_)) {
                        RefusedFormats::Schema
                    } else {
                        RefusedFormats::Json
                    };
                }
                other => return Err(self.error(other, limit)),
            }
        }
    }

    fn body(&mut self, request: &Request, format: &ReplyFormat) -> serde_json::Map<String, Value> {
        let mut messages = request.messages.clone();
        let tools = if self.has_native_tools { &request.tools[..] } else { &[] };
        if let Some(text) = request.text_of_tools.as_ref().filter(|_| !self.has_native_tools) {
            messages.insert(1.min(messages.len()), Message::system(text.clone()));
        }
        let body = body(&self.options, &messages, tools, format, self.context);
        let context = body["options"]["num_ctx"].as_u64().and_then(|tokens| u32::try_from(tokens).ok());
        self.context = context.unwrap_or(self.context);
        body
    }

    /// The richest format that the server has not refused.
    fn accepted(&self, wished: &ReplyFormat) -> ReplyFormat {
        match (wished, self.refused) {
            (_, RefusedFormats::Json) => ReplyFormat::Free,
            (ReplyFormat::Schema(_), RefusedFormats::Schema) => ReplyFormat::Json,
            (wished, _) => wished.clone(),
        }
    }

    fn error(&self, failure: ChatFailure, limit: Duration) -> BridgeError {
        match failure {
            ChatFailure::Refused => BridgeError::ConnectionLost,
            ChatFailure::TimedOut => BridgeError::TimedOut { limit },
            ChatFailure::ModelMissing => BridgeError::ModelMissing { model: self.options.model.clone() },
            ChatFailure::Status { code, detail } => BridgeError::Http { code, detail },
            ChatFailure::Invalid => BridgeError::InvalidResponse,
        }
    }
}

/// Returns `true` if the words of a server are about tools: "does not support tools".
fn names_tools(detail: &str) -> bool {
    detail.to_lowercase().contains("tools")
}
