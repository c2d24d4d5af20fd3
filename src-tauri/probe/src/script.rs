//! A language model with the replies from the request.

use std::collections::VecDeque;

use async_trait::async_trait;
use futures::{StreamExt, stream};
use llm::{
    CancellationToken, ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, LlmError, Message,
    ModelIdentity, ProviderKind, Usage,
};
use parking_lot::Mutex;

/// Gives one reply after the other. `None` is a failing call; calls after the last reply fail too.
pub(super) struct ScriptedModel {
    state: Mutex<State>,
}

struct State {
    replies: VecDeque<Option<String>>,
    calls: usize,
}

impl ScriptedModel {
    pub(super) fn new(replies: impl IntoIterator<Item = Option<String>>) -> Self {
        Self { state: Mutex::new(State { replies: replies.into_iter().collect(), calls: 0 }) }
    }

    /// Number of calls so far.
    pub(super) fn calls(&self) -> usize {
        self.state.lock().calls
    }
}

#[async_trait]
impl ChatModel for ScriptedModel {
    async fn chat(&self, _: ChatRequest, _: CancellationToken) -> Result<ChatStream, LlmError> {
        let mut state = self.state.lock();
        state.calls += 1;
        let Some(reply) = state.replies.pop_front().flatten() else {
            return Err(LlmError::Failed { detail: "the script has no reply here".into() });
        };
        let end = ChatEvent::Finished(Usage::unknown(FinishReason::Stop));
        Ok(stream::iter([Ok(ChatEvent::Text(reply)), Ok(end)]).boxed())
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity::new(ProviderKind::Embedded, "script")
    }

    async fn warm_up(&self, _: &[Message]) -> Result<(), LlmError> {
        Ok(())
    }
}
