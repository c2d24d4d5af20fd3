//! A model that records its answers.

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use llm::{
    CancellationToken, ChatEvent, ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity,
};
use parking_lot::Mutex;

/// A model with its answers so far.
pub struct Recorder {
    model: Arc<dyn ChatModel>,
    answers: Arc<Mutex<Vec<Answer>>>,
}

struct Answer {
    text: String,
    is_extraction: bool,
}

impl Recorder {
    /// Records the answers of `model`.
    pub fn from_model(model: &Arc<dyn ChatModel>) -> Self {
        Self { model: Arc::clone(model), answers: Arc::default() }
    }

    /// The answers, in the order of the questions.
    pub fn answers(&self) -> Vec<String> {
        self.answers.lock().iter().map(|answer| answer.text.clone()).collect()
    }

    /// The answers to questions that extract facts, without those that place or merge facts.
    pub fn extractions(&self) -> Vec<String> {
        let answers = self.answers.lock();
        answers.iter().filter(|answer| answer.is_extraction).map(|answer| answer.text.clone()).collect()
    }
}

#[async_trait]
impl ChatModel for Recorder {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let quotes = "/properties/facts/items/properties/quote";
        let is_extraction = request.format.as_ref().is_some_and(|format| format.pointer(quotes).is_some());
        let answer = self.model.chat(request, stop).await?;
        let answers = Arc::clone(&self.answers);
        let index = {
            let mut answers = answers.lock();
            answers.push(Answer { text: String::new(), is_extraction });
            answers.len() - 1
        };
        Ok(answer
            .inspect(move |event| {
                if let Ok(ChatEvent::Text(piece)) = event {
                    answers.lock()[index].text.push_str(piece);
                }
            })
            .boxed())
    }

    fn identity(&self) -> ModelIdentity {
        self.model.identity()
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        self.model.warm_up(messages).await
    }
}
