//! The port for chat models: requests and streamed responses.

use std::pin::Pin;

use async_trait::async_trait;
use futures::{Stream, StreamExt};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{LlmError, Message, ModelIdentity, ToolCall};

/// A language model that chats.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Streams the response. The stream ends with [`ChatEvent::Finished`] or with an error.
    ///
    /// Cancelling `stop` ends the generation and the stream promptly and without an error: the last item is `Finished`
    /// with [`FinishReason::Cancelled`]. Dropping the stream ends the generation too.
    ///
    /// # Errors
    ///
    /// Errors before the first event: the provider is unreachable, the model is missing, or the request was rejected.
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError>;

    /// Provider and name of the model.
    fn identity(&self) -> ModelIdentity;

    /// Loads the model and reads `messages` into its prefix cache, so that the first reply starts quickly.
    ///
    /// # Errors
    ///
    /// As [`ChatModel::chat`]. After an error, the first reply is only slower.
    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError>;

    /// The same with the tools that requests offer, which servers read before the dialogue, and with thinking: of `beginning`,
    /// these and the messages count. By default the messages alone are read, for models that get tools in messages.
    ///
    /// # Errors
    ///
    /// As [`ChatModel::chat`]. After an error, the first reply is only slower.
    async fn warm_up_with(&self, beginning: ChatRequest) -> Result<(), LlmError> {
        self.warm_up(&beginning.messages).await
    }

    /// Provider and name of the model that answers next, which is searched for first if none is known yet.
    ///
    /// # Errors
    ///
    /// No model was found.
    async fn found_identity(&self) -> Result<ModelIdentity, LlmError> {
        Ok(self.identity())
    }

    /// Reads the beginning of many prompts, and keeps what was read beside other prompts and for later starts, if the
    /// provider can do that. By default nothing is read.
    ///
    /// # Errors
    ///
    /// As [`ChatModel::chat`]. After an error, prompts with this beginning only take longer.
    async fn keep_beginning(&self, _beginning: &Message) -> Result<(), LlmError> {
        Ok(())
    }

    /// Returns `true` if a prompt that begins with this message needs no time to read it: [`ChatModel::keep_beginning`] has
    /// read it, and the model is still loaded.
    fn has_kept(&self, _beginning: &Message) -> bool {
        false
    }
}

/// Fills the prefix cache of a server by requesting one token. Servers offer no other way.
///
/// # Errors
///
/// As [`ChatModel::chat`].
pub(crate) async fn warm_up_with_one_token(
    model: &dyn ChatModel,
    beginning: ChatRequest,
) -> Result<(), LlmError> {
    let mut stream = model.chat(beginning.with_max_tokens(1), CancellationToken::new()).await?;
    while let Some(event) = stream.next().await {
        event?;
    }
    Ok(())
}

/// A streamed response.
pub type ChatStream = Pin<Box<dyn Stream<Item = Result<ChatEvent, LlmError>> + Send>>;

/// A request to a chat model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The dialogue, oldest message first, starting with the system message.
    pub messages: Vec<Message>,
    /// Tools the model may call.
    pub tools: Vec<ToolSpec>,
    /// A JSON schema for the response, if the provider can enforce one.
    pub format: Option<Value>,
    /// Maximum length of the response in tokens; `None`: as in the settings.
    pub max_tokens: Option<u32>,
    /// Sampling temperature, 0.0 to 2.0; `None`: as in the settings.
    pub temperature: Option<f32>,
    /// `true` if the model may think before it responds. Thinking takes seconds on small machines.
    pub thinking: bool,
}

impl ChatRequest {
    /// A request without tools and format, with the length and the temperature of the settings.
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            tools: Vec::new(),
            format: None,
            max_tokens: None,
            temperature: None,
            thinking: false,
        }
    }

    /// Sets the tools.
    pub fn with_tools(mut self, tools: Vec<ToolSpec>) -> Self {
        self.tools = tools;
        self
    }

    /// Sets the JSON schema of the response.
    pub fn with_format(mut self, schema: Value) -> Self {
        self.format = Some(schema);
        self
    }

    /// Sets the maximum length of the response in tokens.
    pub fn with_max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// Sets the sampling temperature, 0.0 to 2.0.
    pub fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Lets the model think before it responds.
    pub fn with_thinking(mut self) -> Self {
        self.thinking = true;
        self
    }
}

/// The description of a tool for a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name of letters, digits, `_` and `-`.
    pub name: String,
    /// Purpose of the tool, for the model.
    pub description: String,
    /// JSON schema of the arguments, which are an object.
    pub parameters: Value,
}

/// One event of a streamed response.
#[derive(Clone, PartialEq)]
pub enum ChatEvent {
    /// More text: append it to the previous text.
    Text(String),
    /// More of the model's thinking. Not part of the reply.
    Thinking(String),
    /// All tool calls of the response. Sent at most once, before `Finished`.
    ToolCalls(Vec<ToolCall>),
    /// The response is complete. Always the last event.
    Finished(Usage),
}

impl std::fmt::Debug for ChatEvent {
    /// Hides texts, so that they never appear in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} chars)", text.chars().count()),
            Self::Thinking(text) => write!(f, "Thinking({} chars)", text.chars().count()),
            Self::ToolCalls(calls) => f.debug_tuple("ToolCalls").field(calls).finish(),
            Self::Finished(usage) => f.debug_tuple("Finished").field(usage).finish(),
        }
    }
}

/// Token counts of a response. Unknown counts are 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Number of prompt tokens.
    pub prompt_tokens: u32,
    /// Number of prompt tokens found in the prefix cache, if the provider reports it.
    pub cached_prompt_tokens: Option<u32>,
    /// Number of generated tokens, including thinking.
    pub completion_tokens: u32,
    /// For a response in an enforced format: the natural logarithm of the probability of its first member, which names the
    /// choice if the format is one between objects. `None` if the provider does not tell.
    pub choice_log_probability: Option<f32>,
    /// Why the response ended.
    pub reason: FinishReason,
}

impl Usage {
    /// Usage with unknown counts.
    pub fn unknown(reason: FinishReason) -> Self {
        Self {
            prompt_tokens: 0,
            cached_prompt_tokens: None,
            completion_tokens: 0,
            choice_log_probability: None,
            reason,
        }
    }
}

/// Why a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model ended its response.
    Stop,
    /// The maximum length was reached, or the context was full.
    Length,
    /// The model called tools.
    ToolCalls,
    /// The caller cancelled the response.
    Cancelled,
}
