//! Goes on answering when the one who answered is gone.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::finder::Finder;
use crate::{ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity, ProviderKind};

/// A chat model that looks for another one when the current one cannot be reached. It looks once for each request,
/// so the reply after the cause has gone works again.
pub struct Failover {
    state: Mutex<State>,
}

struct State {
    finder: Arc<Finder>,
    current: Option<Arc<dyn ChatModel>>,
}

impl Failover {
    /// Looks for somebody to answer with the first request.
    pub fn new(finder: Finder) -> Self {
        Self { state: Mutex::new(State { finder: Arc::new(finder), current: None }) }
    }

    /// Looks now, so that the first reply need not wait for it.
    ///
    /// # Errors
    ///
    /// As [`Finder::find`]; the next request looks again.
    pub async fn look(&self) -> Result<ModelIdentity, LlmError> {
        Ok(self.find().await?.identity())
    }

    /// Looks with other settings from the next request on. Replies under way end as they began.
    pub fn look_with(&self, finder: Finder) {
        *self.lock() = State { finder: Arc::new(finder), current: None };
    }

    /// What it looks with, for a report.
    pub fn finder(&self) -> Arc<Finder> {
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
        // Settings that changed meanwhile want another answer.
        if Arc::ptr_eq(&state.finder, &finder) {
            state.current = found.as_ref().ok().cloned();
        }
        found
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ChatModel for Failover {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        let model = self.current_or_found().await?;
        match model.chat(request.clone(), stop.clone()).await {
            Err(error) if error.is_of_the_provider() => {
                tracing::warn!(%error, "looking for another language model");
                self.find().await?.chat(request, stop).await
            }
            answer => answer,
        }
    }

    /// The one that answers now; before anybody was found, the embedded model that would be the last resort.
    fn identity(&self) -> ModelIdentity {
        let state = self.lock();
        match &state.current {
            Some(current) => current.identity(),
            None => ModelIdentity {
                provider: ProviderKind::Embedded,
                model: state
                    .finder
                    .probe()
                    .model
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
            },
        }
    }

    async fn warm_up(&self, messages: &[Message]) -> Result<(), LlmError> {
        let model = self.current_or_found().await?;
        match model.warm_up(messages).await {
            Err(error) if error.is_of_the_provider() => self.find().await?.warm_up(messages).await,
            done => done,
        }
    }
}
