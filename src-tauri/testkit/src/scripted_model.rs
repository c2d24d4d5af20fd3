//! A fake chat model with scripted responses.

use std::collections::VecDeque;

use async_trait::async_trait;
use futures::StreamExt;
use llm::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, LlmError, Message, ModelIdentity,
    ProviderKind, ToolCall, ToolCallId, Usage,
};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// One scripted response.
pub enum Turn {
    /// Sends these chunks, sure of them.
    Says(Vec<String>),
    /// Sends these chunks, of a choice that is as likely as this logarithm says.
    Chooses(Vec<String>, Option<f32>),
    /// Sends these chunks, then these tool calls.
    Calls(Vec<String>, Vec<ToolCall>),
    /// Thinks this, and says nothing.
    Thinks(String),
    /// Sends these chunks, then an error.
    Fails(Vec<String>, LlmError),
    /// Returns an error instead of a stream.
    Refuses(LlmError),
    /// Sends these chunks, then nothing until it is cancelled.
    Hangs(Vec<String>),
}

impl Turn {
    /// Sends this text in chunks of a few characters.
    pub fn says(text: &str) -> Self {
        Self::Says(chunks(text))
    }

    /// Sends this text, a choice in an enforced format that has this probability; `None` if the provider does not tell.
    pub fn chooses(text: &str, probability: Option<f32>) -> Self {
        Self::Chooses(chunks(text), probability.map(f32::ln))
    }

    /// Calls a tool.
    pub fn calls(tool: &str, arguments: Value) -> Self {
        let id = ToolCallId(format!("call-of-{tool}"));
        Self::Calls(Vec::new(), vec![ToolCall { id, name: tool.to_owned(), arguments }])
    }

    /// Sends this text, then nothing until it is cancelled.
    pub fn hangs_after(text: &str) -> Self {
        Self::Hangs(chunks(text))
    }

    /// Sends this text, then an error.
    pub fn fails_after(text: &str, error: LlmError) -> Self {
        Self::Fails(chunks(text), error)
    }
}

fn chunks(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(4).map(|chunk| chunk.iter().collect()).collect()
}

/// A fake chat model with scripted responses. Records the requests.
pub struct ScriptedModel {
    turns: Mutex<VecDeque<Turn>>,
    asked: Mutex<Vec<ChatRequest>>,
    name: String,
    has_kept_beginnings: bool,
}

impl ScriptedModel {
    /// A model with these responses. Further requests return an error.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            turns: Mutex::new(turns.into_iter().collect()),
            asked: Mutex::default(),
            name: "scripted".into(),
            has_kept_beginnings: false,
        }
    }

    /// The same model after it has read every beginning of prompts.
    pub fn with_kept_beginnings(self, has_kept_beginnings: bool) -> Self {
        Self { has_kept_beginnings, ..self }
    }

    /// The same model under this name, which tells its size.
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Forgets the requests, for tests that count memory.
    pub fn forget(&self) {
        *self.asked.lock() = Vec::new();
    }

    /// All requests, in order.
    pub fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().clone()
    }
}

#[async_trait]
impl ChatModel for ScriptedModel {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        self.asked.lock().push(request);
        let turn = self.turns.lock().pop_front();
        let stopped = Usage::unknown(FinishReason::Stop);
        let text_events =
            |chunks: Vec<String>| futures::stream::iter(chunks).map(|chunk| Ok(ChatEvent::Text(chunk)));
        Ok(match turn {
            Some(Turn::Says(chunks)) => {
                let end = Ok(ChatEvent::Finished(Usage { choice_log_probability: Some(0.0), ..stopped }));
                text_events(chunks).chain(futures::stream::iter([end])).boxed()
            }
            Some(Turn::Chooses(chunks, choice_log_probability)) => {
                let end = Ok(ChatEvent::Finished(Usage { choice_log_probability, ..stopped }));
                text_events(chunks).chain(futures::stream::iter([end])).boxed()
            }
            Some(Turn::Calls(chunks, calls)) => {
                let end = [
                    Ok(ChatEvent::ToolCalls(calls)),
                    Ok(ChatEvent::Finished(Usage::unknown(FinishReason::ToolCalls))),
                ];
                text_events(chunks).chain(futures::stream::iter(end)).boxed()
            }
            Some(Turn::Thinks(thought)) => {
                let end = Ok(ChatEvent::Finished(stopped));
                futures::stream::iter([Ok(ChatEvent::Thinking(thought)), end]).boxed()
            }
            Some(Turn::Fails(chunks, error)) => {
                text_events(chunks).chain(futures::stream::iter([Err(error)])).boxed()
            }
            Some(Turn::Hangs(chunks)) => {
                let silence = futures::stream::once(async move { stop.cancelled().await })
                    .filter_map(|()| async { None });
                text_events(chunks).chain(silence).boxed()
            }
            Some(Turn::Refuses(error)) => return Err(error),
            None => return Err(LlmError::Failed { detail: "the script has no more turns".into() }),
        })
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity::new(ProviderKind::Embedded, self.name.clone())
    }

    async fn warm_up(&self, _: &[Message]) -> Result<(), LlmError> {
        Ok(())
    }

    fn has_kept(&self, _: &Message) -> bool {
        self.has_kept_beginnings
    }
}
