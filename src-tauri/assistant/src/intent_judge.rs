//! The intent judge: the language model for short tasks tells whom an utterance was meant for.

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use listening::judge::{IntentJudge, JudgeError, JudgePrompt};
use llm::{ChatEvent, ChatModel, ChatRequest, LlmError, Message};
use tokio_util::sync::CancellationToken;

/// The most tokens of an answer. Source: behaviour reference, section 1.9.
const MAX_TOKENS: u32 = 200;

/// Asks a language model.
pub(crate) struct ModelJudge(pub Arc<dyn ChatModel>);

impl ModelJudge {
    async fn answer(&self, prompt: JudgePrompt, stop: CancellationToken) -> Result<String, LlmError> {
        let messages = vec![Message::system(prompt.system), Message::user(prompt.user)];
        let mut request = ChatRequest::new(messages).with_max_tokens(MAX_TOKENS).with_temperature(0.0);
        request.format = Some(JudgePrompt::schema());
        let mut stream = self.0.chat(request, stop).await?;
        let mut answer = String::new();
        while let Some(event) = stream.next().await {
            if let ChatEvent::Text(text) = event? {
                answer.push_str(&text);
            }
        }
        Ok(answer)
    }
}

#[async_trait]
impl IntentJudge for ModelJudge {
    async fn ask(&self, prompt: JudgePrompt, stop: CancellationToken) -> Result<String, JudgeError> {
        self.answer(prompt, stop).await.map_err(|error| {
            tracing::warn!(%error, "the intent judge did not answer");
            match error {
                LlmError::Unreachable { .. } => JudgeError::Unreachable,
                LlmError::TimedOut { .. } => JudgeError::TooSlow,
                _ => JudgeError::Failed,
            }
        })
    }
}
