//! A language model that says what the test wrote down.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use futures::StreamExt;
use llm::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, LlmError, Message, ModelIdentity,
    ProviderKind, Usage,
};
use tokio_util::sync::CancellationToken;

/// What the model does when it is asked.
pub enum Turn {
    /// Says these pieces, one after the other.
    Says(Vec<String>),
    /// Says these pieces and then breaks off.
    BreaksOff(Vec<String>, LlmError),
    /// Does not even begin.
    Refuses(LlmError),
    /// Says these pieces and then nothing more, until it is stopped.
    Hangs(Vec<String>),
}

impl Turn {
    /// Says this text, in pieces of a few characters.
    pub fn says(text: &str) -> Self {
        Self::Says(pieces(text))
    }

    /// Says this text and then nothing more, until it is stopped.
    pub fn hangs_after(text: &str) -> Self {
        Self::Hangs(pieces(text))
    }

    /// Says this text and then breaks off.
    pub fn breaks_off_after(text: &str, error: LlmError) -> Self {
        Self::BreaksOff(pieces(text), error)
    }
}

fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(4).map(|piece| piece.iter().collect()).collect()
}

/// Answers turn by turn, and remembers what it was asked.
pub struct ScriptedModel {
    turns: Mutex<VecDeque<Turn>>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl ScriptedModel {
    /// A model that takes these turns; asked more often, it refuses.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { turns: Mutex::new(turns.into_iter().collect()), asked: Mutex::default() }
    }

    /// What it was asked, in order.
    pub fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl ChatModel for ScriptedModel {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        let turn = self.turns.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let said =
            |pieces: Vec<String>| futures::stream::iter(pieces).map(|piece| Ok(ChatEvent::Text(piece)));
        Ok(match turn {
            Some(Turn::Says(pieces)) => {
                let end = Ok(ChatEvent::Finished(Usage::unknown(FinishReason::Stop)));
                said(pieces).chain(futures::stream::iter([end])).boxed()
            }
            Some(Turn::BreaksOff(pieces, error)) => {
                said(pieces).chain(futures::stream::iter([Err(error)])).boxed()
            }
            Some(Turn::Hangs(pieces)) => {
                let silence = futures::stream::once(async move { stop.cancelled().await })
                    .filter_map(|()| async { None });
                said(pieces).chain(silence).boxed()
            }
            Some(Turn::Refuses(error)) => return Err(error),
            None => return Err(LlmError::Failed { detail: "the script has no more turns".into() }),
        })
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity { provider: ProviderKind::Embedded, model: "scripted".into() }
    }

    async fn warm_up(&self, _: &[Message]) -> Result<(), LlmError> {
        Ok(())
    }
}
