//! Which language model answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use llm::embedded::default_worker_path;
use llm::{EmbeddedOptions, ProviderFinder, ProviderReport};
use models::{Machine, ModelStore, Purpose};
use net::Http;
use secrecy::SecretString;
use settings::{LlmSettings, SecretStore, Settings};
use vocabulary::Trouble;

use crate::secrets::provider_key::{api_key, is_same};

/// The provider and the model that the settings ask for.
pub(crate) struct LanguageModelChoice {
    llm: LlmSettings,
    /// The model file that the embedded engine runs.
    model: PathBuf,
    /// The file exists.
    is_here: bool,
    idle_unload: Duration,
    api_key: Option<SecretString>,
}

impl LanguageModelChoice {
    /// The embedded engine runs the named model, else the best one installed, else the one this machine should fetch:
    /// then it reports which file is missing, and works as soon as that is there.
    pub fn new(settings: &Settings, store: &ModelStore, api_key: Option<SecretString>) -> Self {
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

    /// The same for the helper model; `None` when the settings name none, or the chat model.
    pub fn helper(settings: &Settings, store: &ModelStore, api_key: Option<SecretString>) -> Option<Self> {
        let helper = settings.llm.fast_model.trim();
        if helper.is_empty() || helper == settings.llm.chat_model.trim() {
            return None;
        }
        let mut settings = settings.clone();
        settings.llm.chat_model = helper.to_owned();
        Some(Self::new(&settings, store, api_key))
    }

    /// A finder that looks for this provider and model.
    pub fn finder(&self, http: &Http) -> ProviderFinder {
        self.finder_with(http, None)
    }

    /// The same. The embedded model keeps what it has read of the beginnings of prompts, in a folder.
    pub fn keeping_finder(&self, http: &Http, kept_beginnings: &Path) -> ProviderFinder {
        self.finder_with(http, Some(kept_beginnings.to_owned()))
    }

    fn finder_with(&self, http: &Http, kept_beginnings: Option<PathBuf>) -> ProviderFinder {
        let options = EmbeddedOptions {
            worker: default_worker_path(),
            model: self.model.clone(),
            idle_unload: self.idle_unload,
            kept_beginnings,
        };
        ProviderFinder::new(self.llm.clone(), http.clone(), options, self.api_key.clone())
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

/// Every provider that could run the language model, in the order of preference.
///
/// # Errors
///
/// Settings that cannot be used.
pub(crate) async fn provider_reports(
    settings: &Settings,
    store: &ModelStore,
    secrets: &Arc<dyn SecretStore>,
    http: &Http,
) -> Result<Vec<ProviderReport>, Trouble> {
    let key = api_key(secrets, settings).await;
    LanguageModelChoice::new(settings, store, key)
        .finder(http)
        .report()
        .await
        .map_err(|error| error.trouble())
}
