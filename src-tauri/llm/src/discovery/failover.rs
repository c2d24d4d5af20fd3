//! Switches to another language model when the current one is unavailable.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::finder::ProviderFinder;
use crate::{ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity, ProviderKind};

/// A chat model that uses the current provider and searches for another one when it is unavailable. It searches at
/// most once per request, so requests succeed again as soon as a provider is available.
pub struct Failover {
    state: Mutex<State>,
}

struct State {
    finder: Arc<ProviderFinder>,
    current: Option<Arc<dyn ChatModel>>,
}

impl Failover {
    /// Creates the model. The first request searches for a provider.
    pub fn new(finder: ProviderFinder) -> Self {
        Self { state: Mutex::new(State { finder: Arc::new(finder), current: None }) }
    }

    /// Replaces the finder from the next request on. Current replies are not affected.
    pub fn set_finder(&self, finder: ProviderFinder) {
        *self.lock() = State { finder: Arc::new(finder), current: None };
    }

    fn finder(&self) -> Arc<ProviderFinder> {
        Arc::clone(&self.lock().finder)
    }

    async fn current_or_found(&self) -> Result<Arc<dyn ChatModel>, LlmError> {
        let current = self.lock().current.clone();
        match current {
            Some(current) => Ok(current),
            None => self.find().await,
        }
    }

    async fn find(&self) -> Result<Arc<dyn ChatModel>, LlmError> {
        let finder = self.finder();
        let found = finder.find().await;
        let mut state = self.lock();
        // If the finder was replaced during the search, its result is outdated.
        if Arc::ptr_eq(&state.finder, &finder) {
            state.current = found.as_ref().ok().cloned();
        }
        found
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, State> {
        self.state.lock()
    }
}

#[async_trait]
impl ChatModel for Failover {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let model = self.current_or_found().await?;
        match model.chat(request.clone(), stop.clone()).await {
            Err(error) if error.is_provider_unavailable() => {
                tracing::warn!(%error, "searching for another language model");
                self.find().await?.chat(request, stop).await
            }
            result => result,
        }
    }

    /// The current model; before the first search, the embedded model, which is the last candidate.
    fn identity(&self) -> ModelIdentity {
        let state = self.lock();
        match &state.current {
            Some(current) => current.identity(),
            None => {
                let file = state.finder.embedded_options().model.file_stem().unwrap_or_default();
                ModelIdentity::new(ProviderKind::Embedded, file.to_string_lossy())
            }
        }
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        let model = self.current_or_found().await?;
        match model.warm_up(messages).await {
            Err(error) if error.is_provider_unavailable() => self.find().await?.warm_up(messages).await,
            done => done,
        }
    }

    async fn warm_up_with(&self, beginning: ChatRequest) -> Result<(), LlmError> {
        let model = self.current_or_found().await?;
        match model.warm_up_with(beginning.clone()).await {
            Err(error) if error.is_provider_unavailable() => self.find().await?.warm_up_with(beginning).await,
            done => done,
        }
    }

    async fn found_identity(&self) -> Result<ModelIdentity, LlmError> {
        Ok(self.current_or_found().await?.identity())
    }

    async fn keep_beginning(&self, beginning: &Message) -> Result<(), LlmError> {
        self.current_or_found().await?.keep_beginning(beginning).await
    }

    fn has_kept(&self, beginning: &Message) -> bool {
        self.lock().current.as_ref().is_some_and(|model| model.has_kept(beginning))
    }
}
