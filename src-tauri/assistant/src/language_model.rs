//! Which language model answers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use llm::embedded::usual_worker;
use llm::{Finder, ModelsProbe};
use models::{Machine, Purpose, Store};
use net::Http;
use secrecy::{ExposeSecret, SecretString};
use settings::{LlmSettings, SecretStore, Settings};

/// The provider and the model that these settings ask for.
pub(crate) struct LanguageModelChoice {
    llm: LlmSettings,
    /// What the embedded engine runs.
    model: PathBuf,
    /// Its file is there.
    is_here: bool,
    idle_unload: Duration,
    api_key: Option<SecretString>,
}

impl LanguageModelChoice {
    /// For the embedded engine it is the named model, else the best one installed, else the one this machine should
    /// fetch: then it says where that is missing, and works as soon as it is there.
    pub fn of(settings: &Settings, store: &Store, api_key: Option<SecretString>) -> Self {
        let machine = Machine::this();
        let named = store.path_of(&settings.llm.chat_model).ok();
        let best = || store.path_of(&store.best_installed(Purpose::LanguageModel, &machine)?.id).ok();
        let wanted =
            || store.path_of(&store.catalogue().default_for(Purpose::LanguageModel, &machine)?.id).ok();
        let model = named.or_else(best).or_else(wanted).unwrap_or_default();
        Self {
            llm: settings.llm.clone(),
            is_here: model.is_file(),
            model,
            idle_unload: Duration::from_secs_f64(settings.models.idle_unload_mins * 60.0),
            api_key,
        }
    }

    /// A finder of what was chosen.
    pub fn finder(&self, http: &Http) -> Finder {
        let probe =
            ModelsProbe { worker: usual_worker(), model: self.model.clone(), idle_unload: self.idle_unload };
        Finder::new(self.llm.clone(), http.clone(), probe, self.api_key.clone())
    }
}

impl PartialEq for LanguageModelChoice {
    fn eq(&self, other: &Self) -> bool {
        self.llm == other.llm
            && self.model == other.model
            && self.is_here == other.is_here
            && self.idle_unload == other.idle_unload
            && is_same(self.api_key.as_ref(), other.api_key.as_ref())
    }
}

/// Are both the same secret, or both none?
pub(crate) fn is_same(one: Option<&SecretString>, other: Option<&SecretString>) -> bool {
    one.map(ExposeSecret::expose_secret) == other.map(ExposeSecret::expose_secret)
}

/// The provider's key as the keychain held it when it was last asked. Clones know the same.
#[derive(Clone)]
pub(crate) struct ProviderKey {
    secrets: Arc<dyn SecretStore>,
    known: Arc<Mutex<Option<SecretString>>>,
}

impl ProviderKey {
    /// Asks the keychain for the first time.
    pub async fn of(secrets: &Arc<dyn SecretStore>, now: &Settings) -> Self {
        let key = Self { secrets: Arc::clone(secrets), known: Arc::default() };
        key.refresh(now).await;
        key
    }

    /// Asks it again, where the settings name a provider that may want a key.
    pub async fn refresh(&self, now: &Settings) {
        let key = api_key(&self.secrets, now).await;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = key;
    }

    /// The key, where there is one.
    pub fn current(&self) -> Option<SecretString> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The provider's key, where the settings name a provider that may want one.
pub(crate) async fn api_key(secrets: &Arc<dyn SecretStore>, now: &Settings) -> Option<SecretString> {
    if now.llm.provider != "openai" {
        return None;
    }
    let secrets = Arc::clone(secrets);
    match tokio::task::spawn_blocking(move || secrets.get("llm.api_key")).await {
        Ok(Ok(key)) => key,
        Ok(Err(error)) => {
            tracing::warn!(%error, "the provider's key could not be read");
            None
        }
        Err(panic) => {
            tracing::error!(%panic, "the keychain did not answer");
            None
        }
    }
}
