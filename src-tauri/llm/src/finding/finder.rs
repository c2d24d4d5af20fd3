//! Looks at every place and decides who answers.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::join_all;
use net::{Http, Url};
use secrecy::SecretString;
use settings::LlmSettings;

use super::probing::{Found, Place, Server, Silence, names};
use crate::servers::read_address;
use crate::{
    ChatModel, Embedded, EmbeddedConfig, LlmError, Ollama, OpenAi, ProviderKind, ServerConfig, Tried,
};

/// What of the embedded engine is on this machine.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelsProbe {
    /// The worker program, usually [`crate::embedded::usual_worker`].
    pub worker: PathBuf,
    /// The model file to run: the catalogue's entry that the settings name, else its default. It need not exist.
    pub model: PathBuf,
    /// The memory is given back when nobody asked for so long.
    pub idle_unload: Duration,
}

/// Finds who answers, once. To find again when somebody falls silent, use [`super::Failover`].
///
/// # Errors
///
/// As [`Finder::find`].
pub async fn discover(
    settings: &LlmSettings,
    http: &Http,
    probe: &ModelsProbe,
    api_key: Option<SecretString>,
) -> Result<Arc<dyn ChatModel>, LlmError> {
    Finder::new(settings.clone(), http.clone(), probe.clone(), api_key).find().await
}

/// Where to look, and what to take.
pub struct Finder {
    settings: LlmSettings,
    http: Http,
    probe: ModelsProbe,
    api_key: Option<SecretString>,
    /// Made once: finding again must not start a second worker.
    embedded: OnceLock<Arc<Embedded>>,
}

/// What the settings' `provider` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Any,
    Only(ProviderKind),
}

impl Finder {
    /// Looks with these settings. The key is sent to the address of the settings only, never to one we guess.
    pub fn new(settings: LlmSettings, http: Http, probe: ModelsProbe, api_key: Option<SecretString>) -> Self {
        Self { settings, http, probe, api_key, embedded: OnceLock::new() }
    }

    /// Who answers: what the settings name, else an Ollama server, another local server, the embedded engine.
    ///
    /// Takes 0.3 s at most unless the settings name an address.
    ///
    /// # Errors
    ///
    /// [`LlmError::NoProvider`] when there is none, and whatever is wrong with the one that the settings name.
    pub async fn find(&self) -> Result<Arc<dyn ChatModel>, LlmError> {
        let found = ask_all(self.places()?).await?;
        let chosen = match self.choice()? {
            Choice::Only(ProviderKind::Embedded) => self.embedded_or_why()?,
            Choice::Only(_) => self.best_of_named(&found)?,
            Choice::Any => self.best(&found)?,
        };
        tracing::info!(model = %chosen.identity(), "language model found");
        Ok(chosen)
    }

    pub(super) fn probe(&self) -> &ModelsProbe {
        &self.probe
    }

    /// Every server that could answer, in the order of preference.
    pub(super) fn places(&self) -> Result<Vec<Place>, LlmError> {
        let named = self.named_address()?;
        let at = |provider, url: &Url| Place::configured(provider, url.clone(), self.api_key.clone());
        Ok(match (self.choice()?, named) {
            (Choice::Only(ProviderKind::Embedded), _) => Vec::new(),
            (Choice::Only(provider), Some(url)) => vec![at(provider, &url)],
            (Choice::Only(ProviderKind::Ollama), None) => vec![Place::usual_ollama()],
            (Choice::Only(ProviderKind::OpenAi), None) => Place::usual_openai(),
            // Nobody said what listens there, so we ask in both formats.
            (Choice::Any, Some(url)) => vec![at(ProviderKind::Ollama, &url), at(ProviderKind::OpenAi, &url)],
            (Choice::Any, None) => {
                let mut places = vec![Place::usual_ollama()];
                places.extend(Place::usual_openai());
                places
            }
        })
    }

    fn choice(&self) -> Result<Choice, LlmError> {
        match self.settings.provider.trim().to_lowercase().as_str() {
            "" | "auto" => Ok(Choice::Any),
            "ollama" => Ok(Choice::Only(ProviderKind::Ollama)),
            "openai" => Ok(Choice::Only(ProviderKind::OpenAi)),
            "embedded" => Ok(Choice::Only(ProviderKind::Embedded)),
            _ => Err(LlmError::UnknownProvider { name: self.settings.provider.clone() }),
        }
    }

    fn named_address(&self) -> Result<Option<Url>, LlmError> {
        let address = self.settings.base_url.trim();
        if address.is_empty() { Ok(None) } else { read_address(address).map(Some) }
    }

    fn wanted(&self) -> Option<&str> {
        Some(self.settings.chat_model.trim()).filter(|name| !name.is_empty())
    }

    /// The settings allow one kind only: the best of its servers, or what is wrong with the first.
    fn best_of_named(&self, found: &[Found]) -> Result<Arc<dyn ChatModel>, LlmError> {
        if let Some((found, model)) = self.first_with_model(found) {
            return Ok(self.server(found, model));
        }
        let answering = found.iter().find(|found| found.answer.is_ok());
        let Some(worst) = answering.or(found.first()) else { return Err(no_provider(Vec::new())) };
        Err(self.what_is_wrong(worst))
    }

    /// The first that can answer at all.
    fn best(&self, found: &[Found]) -> Result<Arc<dyn ChatModel>, LlmError> {
        if let Some((found, model)) = self.first_with_model(found) {
            return Ok(self.server(found, model));
        }
        let without = match self.embedded_or_why() {
            Ok(embedded) => {
                if let Some(wanted) = self.wanted().filter(|_| found.iter().any(|found| found.answer.is_ok()))
                {
                    tracing::warn!(
                        wanted,
                        "no server has the model of the settings: the embedded one answers"
                    );
                }
                return Ok(embedded);
            }
            Err(error) => error,
        };
        // A server that lacks the model named needs another remedy than no server at all.
        if let Some(found) = found.iter().find(|found| self.wanted().is_some() && found.answer.is_ok()) {
            return Err(self.what_is_wrong(found));
        }
        let mut tried: Vec<Tried> = found.iter().map(|found| self.tried(found)).collect();
        tried.push(self.embedded_tried(&without));
        Err(no_provider(tried))
    }

    /// The first server with the model the settings name, or with any model when they name none.
    fn first_with_model<'a>(&self, found: &'a [Found]) -> Option<(&'a Found, String)> {
        found.iter().find_map(|found| Some((found, self.model_of(found.answer.as_ref().ok()?)?)))
    }

    /// The model to use at a server.
    pub(super) fn model_of(&self, server: &Server) -> Option<String> {
        match self.wanted() {
            None => server.models.first().cloned(),
            // What the user names is meant, even if it runs elsewhere.
            Some(wanted) => {
                let all = server.models.iter().chain(&server.remote_models);
                all.into_iter().find(|listed| names(listed, wanted)).cloned()
            }
        }
    }

    fn server(&self, found: &Found, model: String) -> Arc<dyn ChatModel> {
        let place = &found.place;
        let config =
            ServerConfig::of_settings(&self.settings, place.base_url.clone(), model, place.api_key.clone());
        match place.provider {
            ProviderKind::Ollama => Arc::new(Ollama::new(self.http.clone(), config)),
            ProviderKind::OpenAi | ProviderKind::Embedded => Arc::new(OpenAi::new(self.http.clone(), config)),
        }
    }

    /// The embedded engine, if worker and model are there.
    pub(super) fn embedded_or_why(&self) -> Result<Arc<dyn ChatModel>, LlmError> {
        if !self.probe.model.is_file() {
            let model = self.probe.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            return Err(LlmError::ModelMissing { provider: ProviderKind::Embedded, model });
        }
        if !self.probe.worker.is_file() {
            let source = std::io::ErrorKind::NotFound.into();
            return Err(LlmError::WorkerMissing { path: self.probe.worker.clone(), source });
        }
        let embedded = self.embedded.get_or_init(|| {
            let (worker, model) = (self.probe.worker.clone(), self.probe.model.clone());
            let config = EmbeddedConfig::of_settings(&self.settings, worker, model);
            Arc::new(Embedded::new(EmbeddedConfig { idle_unload: self.probe.idle_unload, ..config }))
        });
        Ok(Arc::clone(embedded) as Arc<dyn ChatModel>)
    }

    /// Why a place that was looked at cannot answer.
    pub(super) fn what_is_wrong(&self, found: &Found) -> LlmError {
        let (provider, address) = (found.place.provider, found.place.address());
        match (&found.answer, self.wanted()) {
            (Ok(_), Some(wanted)) => LlmError::ModelMissing { provider, model: wanted.to_owned() },
            (Ok(_), None) => LlmError::NoChatModel { provider, address },
            (Err(Silence::KeyRefused { code }), _) => LlmError::KeyRefused { code: *code },
            (Err(Silence::NotRunning), _) => LlmError::Unreachable { provider, address, source: None },
            (Err(Silence::NotSuchAServer), _) => {
                LlmError::Garbage { what: format!("what answers at {address} is no {provider} server") }
            }
        }
    }

    fn tried(&self, found: &Found) -> Tried {
        let why = match &found.answer {
            Ok(server) if server.models.is_empty() => "it has no chat model".to_owned(),
            Ok(_) => "it has not the model of the settings".to_owned(),
            Err(Silence::NotRunning) => "not running".to_owned(),
            Err(Silence::KeyRefused { .. }) => "it refuses the key".to_owned(),
            Err(Silence::NotSuchAServer) => "something else answers there".to_owned(),
        };
        Tried { provider: found.place.provider, place: found.place.address(), why }
    }

    fn embedded_tried(&self, error: &LlmError) -> Tried {
        let (place, why) = match error {
            LlmError::WorkerMissing { path, .. } => (path, "the program is not there"),
            _ => (&self.probe.model, "not installed"),
        };
        Tried { provider: ProviderKind::Embedded, place: place.display().to_string(), why: why.into() }
    }
}

/// Asks at every place at once.
///
/// A client of its own does the asking: to ask, an address of this machine must be allowed, and nothing else the
/// product fetches may then go to addresses at which we only guessed.
pub(super) async fn ask_all(places: Vec<Place>) -> Result<Vec<Found>, LlmError> {
    let Some(first) = places.first() else { return Ok(Vec::new()) };
    let (provider, address) = (first.provider, first.address());
    let http = Http::new().map_err(|error| LlmError::Unreachable {
        provider,
        address,
        source: Some(error.into()),
    })?;
    Ok(join_all(places.into_iter().map(|place| place.ask(&http))).await)
}

fn no_provider(tried: Vec<Tried>) -> LlmError {
    LlmError::NoProvider { tried }
}
