//! Which language model answers.

use std::time::Duration;

use llm::embedded::usual_worker;
use llm::{Finder, ModelsProbe};
use models::{Machine, Purpose, Store};
use net::Http;
use secrecy::SecretString;
use settings::Settings;

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
