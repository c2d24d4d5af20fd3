//! The models that a request needs: those of a running assistant, or those that the settings name.

use std::sync::Arc;

use llm::{ChatModel, Embedder, Failover};
use vocabulary::{Stage, Trouble};

use super::failure::Failure;
use super::model_source::ModelSource;
use super::parts::DataService;
use crate::models_in_use::active_embedder::EmbedderChoice;
use crate::models_in_use::helper_model::HelperModel;
use crate::models_in_use::language_model::LanguageModelChoice;
use crate::secrets::provider_key::api_key;

impl DataService {
    /// The embedding model; `None` when the settings name none.
    pub(super) async fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        match &self.parts.models {
            ModelSource::Running { embedder, .. } => embedder.current(),
            ModelSource::Settings { embedder: Some(embedder), .. } => Some(Arc::clone(embedder)),
            ModelSource::Settings { embedder: None, http } => {
                let settings = self.parts.settings.current();
                let store = models::ModelStore::from_settings(&settings.models).ok()?;
                let key = api_key(&self.parts.secrets, &settings).await;
                EmbedderChoice::new(&settings, &store, key).embedder(&store, http)
            }
        }
    }

    /// The chat model, and the model for short tasks.
    pub(super) async fn language_models(&self) -> Result<[Arc<dyn ChatModel>; 2], Failure> {
        let http = match &self.parts.models {
            ModelSource::Running { model, helper, .. } => return Ok([Arc::clone(model), Arc::clone(helper)]),
            ModelSource::Settings { http, .. } => http,
        };
        let settings = self.parts.settings.current();
        let store = models::ModelStore::from_settings(&settings.models)
            .map_err(|error| failed(&error, "Set JARVIS_HOME to a folder that Jarvis may write to."))?;
        let key = api_key(&self.parts.secrets, &settings).await;
        let chat = LanguageModelChoice::new(&settings, &store, key.clone()).finder(http);
        let chat: Arc<dyn ChatModel> = Arc::new(Failover::new(chat));
        let helper = LanguageModelChoice::helper(&settings, &store, key).map(|choice| choice.finder(http));
        Ok([Arc::clone(&chat), Arc::new(HelperModel::new(chat, helper))])
    }
}

fn failed(error: &dyn std::error::Error, remedy: &str) -> Failure {
    Failure::Trouble(Trouble::from_error(Stage::LanguageModel, error, remedy))
}
