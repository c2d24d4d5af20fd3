//! The port: what may be asked of a language model, and how its answer comes.

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
    /// Streams the answer. A good stream ends with [`ChatEvent::Finished`], a bad one with an error.
    ///
    /// Cancelling `stop` ends the stream, and the model's work, promptly and without an error item; its last item is
    /// then a `Finished` for [`FinishReason::Cancelled`]. Dropping the stream ends the work too.
    ///
    /// # Errors
    ///
    /// What went wrong before the first word: nobody answers, the model is missing, the request was refused.
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError>;

    /// What answers: provider and model.
    fn identity(&self) -> ModelIdentity;

    /// Loads the model and fills its prefix cache with `messages`, so that the first reply is quick.
    ///
    /// # Errors
    ///
    /// As for [`ChatModel::chat`]; nothing is lost when it fails but the head start.
    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError>;
}

/// Warms a server up by asking for one token: there is no other way to fill its cache.
///
/// # Errors
///
/// As [`ChatModel::chat`].
pub(crate) async fn warm_up_by_asking(model: &dyn ChatModel, messages: &[Message]) -> Result<(), LlmError> {
    let request = ChatRequest::new(messages.to_vec()).with_max_tokens(1);
    let mut answer = model.chat(request, CancellationToken::new()).await?;
    while let Some(event) = answer.next().await {
        event?;
    }
    Ok(())
}

/// An answer as it is written.
pub type ChatStream = Pin<Box<dyn Stream<Item = Result<ChatEvent, LlmError>> + Send>>;

/// What is asked of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The dialogue, oldest first, system message in front.
    pub messages: Vec<Message>,
    /// Tools the model may call; empty offers none.
    pub tools: Vec<ToolSpec>,
    /// A JSON schema that the answer must obey, where the provider can enforce one.
    pub format: Option<Value>,
    /// The longest answer, in tokens; `None` is what the settings say.
    pub max_tokens: Option<u32>,
    /// Randomness, 0.0 to 2.0; `None` is what the settings say.
    pub temperature: Option<f32>,
    /// Let the model think before it answers, where it can. Thinking costs seconds on small machines.
    pub thinking: bool,
}

impl ChatRequest {
    /// Asks for an answer to `messages`: no tools, no format, and the settings' length and temperature.
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

    /// The same with tools on offer.
    pub fn with_tools(mut self, tools: Vec<ToolSpec>) -> Self {
        self.tools = tools;
        self
    }

    /// The same with an answer that must obey a JSON schema.
    pub fn with_format(mut self, schema: Value) -> Self {
        self.format = Some(schema);
        self
    }

    /// The same with at most `tokens` of answer.
    pub fn with_max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// The same with this randomness, 0.0 to 2.0.
    pub fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// The same with leave to think first.
    pub fn with_thinking(mut self) -> Self {
        self.thinking = true;
        self
    }
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it is for, to be read by the model.
    pub description: String,
    /// JSON schema of its arguments: an object.
    pub parameters: Value,
}

/// One step of an answer.
#[derive(Clone, PartialEq)]
pub enum ChatEvent {
    /// More of the answer: append it to what came before.
    Text(String),
    /// More of what the model thinks to itself; not part of the answer.
    Thinking(String),
    /// The model asks for tools. Comes once, complete, before `Finished`.
    ToolCalls(Vec<ToolCall>),
    /// The answer is complete. Nothing follows.
    Finished(Usage),
}

impl std::fmt::Debug for ChatEvent {
    /// Hides the words: what is said never reaches a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} chars)", text.chars().count()),
            Self::Thinking(text) => write!(f, "Thinking({} chars)", text.chars().count()),
            Self::ToolCalls(calls) => f.debug_tuple("ToolCalls").field(calls).finish(),
            Self::Finished(usage) => f.debug_tuple("Finished").field(usage).finish(),
        }
    }
}

/// What an answer cost, as far as the provider says; what it does not say is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// How many of them the prefix cache already held, where the provider tells.
    pub cached_prompt_tokens: Option<u32>,
    /// Tokens of the answer, thinking included.
    pub completion_tokens: u32,
    /// Why it ended.
    pub reason: FinishReason,
}

impl Usage {
    /// The usage of an answer whose costs are unknown.
    pub fn unknown(reason: FinishReason) -> Self {
        Self { prompt_tokens: 0, cached_prompt_tokens: None, completion_tokens: 0, reason }
    }
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model had said what it wanted to say.
    Stop,
    /// The answer reached its longest length, or the context was full.
    Length,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// It was cancelled.
    Cancelled,
}
