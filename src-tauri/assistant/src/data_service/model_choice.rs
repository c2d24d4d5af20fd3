//! The models that a request needs: those of a running assistant, or those that the settings name.

use std::sync::Arc;

use llm::{ChatModel, Embedder, Failover};
use net::Http;
use vocabulary::{Stage, Trouble};

use super::failure::Failure;
use super::model_source::ModelSource;
use super::parts::DataService;
use crate::active_embedder::EmbedderChoice;
use crate::language_model::LanguageModelChoice;
use crate::provider_key::api_key;

impl DataService {
    /// The embedding model; `None` when the settings name none.
    pub(super) async fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        match &self.parts.models {
            ModelSource::Running { embedder, .. } => embedder.current(),
            ModelSource::Settings { embedder: Some(embedder) } => Some(Arc::clone(embedder)),
            ModelSource::Settings { embedder: None } => {
                let settings = self.parts.settings.current();
                let store = models::ModelStore::of_this_user(&settings.models).ok()?;
                let key = api_key(&self.parts.secrets, &settings).await;
                EmbedderChoice::of(&settings, key).embedder(&store, &Http::new().ok()?)
            }
        }
    }

    /// The chat model.
    pub(super) async fn chat_model(&self) -> Result<Arc<dyn ChatModel>, Failure> {
        if let ModelSource::Running { model, .. } = &self.parts.models {
            return Ok(Arc::clone(model));
        }
        let settings = self.parts.settings.current();
        let store = models::ModelStore::of_this_user(&settings.models)
            .map_err(|error| failed(&error, "Set JARVIS_HOME to a folder that Jarvis may write to."))?;
        let key = api_key(&self.parts.secrets, &settings).await;
        let http = Http::new().map_err(|error| failed(&error, "Try again."))?;
        Ok(Arc::new(Failover::new(LanguageModelChoice::of(&settings, &store, key).finder(&http))))
    }
}

fn failed(error: &dyn std::error::Error, remedy: &str) -> Failure {
    Failure::Trouble(Trouble::from_error(Stage::LanguageModel, error, remedy))
}
