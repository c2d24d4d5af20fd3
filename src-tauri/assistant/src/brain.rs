//! Which language model answers.

use std::sync::Arc;
use std::time::Duration;

use llm::embedded::usual_worker;
use llm::{Finder, ModelsProbe};
use models::{Machine, Purpose, Store};
use net::Http;
use secrecy::SecretString;
use settings::{SecretStore, Settings};

/// A finder of language models for these settings.
pub(crate) fn finder(
    settings: &Settings,
    store: &Store,
    http: &Http,
    api_key: Option<SecretString>,
) -> Finder {
    let machine = Machine::this();
    let named = store.path_of(&settings.llm.chat_model).ok();
    let best = || store.path_of(&store.best_installed(Purpose::LanguageModel, &machine)?.id).ok();
    let wanted = || store.path_of(&store.catalogue().default_for(Purpose::LanguageModel, &machine)?.id).ok();
    let probe = ModelsProbe {
        worker: usual_worker(),
        model: named.or_else(best).or_else(wanted).unwrap_or_default(),
        idle_unload: Duration::from_secs_f64(settings.models.idle_unload_mins * 60.0),
    };
    Finder::new(settings.llm.clone(), http.clone(), probe, api_key)
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
