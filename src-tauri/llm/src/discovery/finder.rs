//! Probes every candidate and chooses the language model.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::join_all;
use net::{Http, Url};
use secrecy::SecretString;
use settings::LlmSettings;

use super::probing::{Candidate, ProbeFailure, ProbeResult, ServerInfo, names};
use crate::servers::read_address;
use crate::{
    ChatModel, Embedded, EmbeddedConfig, LlmError, Ollama, OpenAi, ProviderAttempt, ProviderKind,
    ServerConfig,
};

/// Where the parts of the embedded engine are on this machine.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelsProbe {
    /// The worker program, usually [`crate::embedded::usual_worker`].
    pub worker: PathBuf,
    /// The model file to run: the catalogue's entry that the settings name, else its default. It need not exist.
    pub model: PathBuf,
    /// The model is unloaded after this long without a request.
    pub idle_unload: Duration,
}

/// Chooses a model once. [`super::Failover`] chooses again when a provider fails.
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

/// Finds a language model according to the settings.
pub struct Finder {
    settings: LlmSettings,
    http: Http,
    probe: ModelsProbe,
    api_key: Option<SecretString>,
    /// Created once: a second search must not start a second worker.
    embedded: OnceLock<Arc<Embedded>>,
}

/// What the settings' `provider` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Any,
    Only(ProviderKind),
}

impl Finder {
    /// Searches with these settings. The key is sent to the configured address only, never to a usual one.
    pub fn new(settings: LlmSettings, http: Http, probe: ModelsProbe, api_key: Option<SecretString>) -> Self {
        Self { settings, http, probe, api_key, embedded: OnceLock::new() }
    }

    /// The model to use: the one in the settings, else an Ollama server, another local server, or the embedded engine.
    ///
    /// Takes 0.3 s at most unless the settings name an address.
    ///
    /// # Errors
    ///
    /// [`LlmError::NoProvider`] when there is none, or the error of the provider that the settings name.
    pub async fn find(&self) -> Result<Arc<dyn ChatModel>, LlmError> {
        let found = probe_all(self.candidates()?).await?;
        let chosen = match self.choice()? {
            Choice::Only(ProviderKind::Embedded) => self.embedded_model()?,
            Choice::Only(_) => self.best_configured(&found)?,
            Choice::Any => self.best(&found)?,
        };
        tracing::info!(model = %chosen.identity(), "language model found");
        Ok(chosen)
    }

    pub(super) fn probe(&self) -> &ModelsProbe {
        &self.probe
    }

    /// Every server that could answer, in the order of preference.
    pub(super) fn candidates(&self) -> Result<Vec<Candidate>, LlmError> {
        let named = self.configured_address()?;
        let at = |provider, url: &Url| Candidate::configured(provider, url.clone(), self.api_key.clone());
        Ok(match (self.choice()?, named) {
            (Choice::Only(ProviderKind::Embedded), _) => Vec::new(),
            (Choice::Only(provider), Some(url)) => vec![at(provider, &url)],
            (Choice::Only(ProviderKind::Ollama), None) => vec![Candidate::usual_ollama()],
            (Choice::Only(ProviderKind::OpenAi), None) => Candidate::usual_openai(),
            // The settings do not name a format, so both are tried.
            (Choice::Any, Some(url)) => vec![at(ProviderKind::Ollama, &url), at(ProviderKind::OpenAi, &url)],
            (Choice::Any, None) => {
                let mut candidates = vec![Candidate::usual_ollama()];
                candidates.extend(Candidate::usual_openai());
                candidates
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

    fn configured_address(&self) -> Result<Option<Url>, LlmError> {
        let address = self.settings.base_url.trim();
        if address.is_empty() { Ok(None) } else { read_address(address).map(Some) }
    }

    fn wanted_model(&self) -> Option<&str> {
        Some(self.settings.chat_model.trim()).filter(|name| !name.is_empty())
    }

    /// The best server of the only kind that the settings allow, or the error of the first.
    fn best_configured(&self, found: &[ProbeResult]) -> Result<Arc<dyn ChatModel>, LlmError> {
        if let Some((found, model)) = self.first_with_model(found) {
            return Ok(self.server(found, model));
        }
        let answering = found.iter().find(|found| found.answer.is_ok());
        let Some(worst) = answering.or(found.first()) else { return Err(no_provider(Vec::new())) };
        Err(self.error_of_probe(worst))
    }

    /// The first provider that can answer.
    fn best(&self, found: &[ProbeResult]) -> Result<Arc<dyn ChatModel>, LlmError> {
        if let Some((found, model)) = self.first_with_model(found) {
            return Ok(self.server(found, model));
        }
        let without = match self.embedded_model() {
            Ok(embedded) => {
                if let Some(wanted) =
                    self.wanted_model().filter(|_| found.iter().any(|found| found.answer.is_ok()))
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
        if let Some(found) = found.iter().find(|found| self.wanted_model().is_some() && found.answer.is_ok())
        {
            return Err(self.error_of_probe(found));
        }
        let mut tried: Vec<ProviderAttempt> = found.iter().map(|found| self.attempt(found)).collect();
        tried.push(self.embedded_attempt(&without));
        Err(no_provider(tried))
    }

    /// The first server with the model the settings name, or with any model when they name none.
    fn first_with_model<'a>(&self, found: &'a [ProbeResult]) -> Option<(&'a ProbeResult, String)> {
        found.iter().find_map(|found| Some((found, self.model_of(found.answer.as_ref().ok()?)?)))
    }

    /// The model to use at a server.
    pub(super) fn model_of(&self, server: &ServerInfo) -> Option<String> {
        match self.wanted_model() {
            None => server.models.first().cloned(),
            // What the user names is meant, even if it runs elsewhere.
            Some(wanted) => {
                let all = server.models.iter().chain(&server.remote_models);
                all.into_iter().find(|listed| names(listed, wanted)).cloned()
            }
        }
    }

    fn server(&self, found: &ProbeResult, model: String) -> Arc<dyn ChatModel> {
        let candidate = &found.candidate;
        let config = ServerConfig::of_settings(
            &self.settings,
            candidate.base_url.clone(),
            model,
            candidate.api_key.clone(),
        );
        match candidate.provider {
            ProviderKind::Ollama => Arc::new(Ollama::new(self.http.clone(), config)),
            ProviderKind::OpenAi | ProviderKind::Embedded => Arc::new(OpenAi::new(self.http.clone(), config)),
        }
    }

    /// The embedded engine, if worker and model are there.
    pub(super) fn embedded_model(&self) -> Result<Arc<dyn ChatModel>, LlmError> {
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

    /// Why a candidate that was probed cannot answer.
    pub(super) fn error_of_probe(&self, found: &ProbeResult) -> LlmError {
        let (provider, address) = (found.candidate.provider, found.candidate.address());
        match (&found.answer, self.wanted_model()) {
            (Ok(_), Some(wanted)) => LlmError::ModelMissing { provider, model: wanted.to_owned() },
            (Ok(_), None) => LlmError::NoChatModel { provider, address },
            (Err(ProbeFailure::KeyRefused { code }), _) => LlmError::KeyRefused { code: *code },
            (Err(ProbeFailure::NotRunning), _) => LlmError::Unreachable { provider, address, source: None },
            (Err(ProbeFailure::NotSuchAServer), _) => {
                LlmError::Garbage { what: format!("what answers at {address} is no {provider} server") }
            }
        }
    }

    fn attempt(&self, found: &ProbeResult) -> ProviderAttempt {
        let why = match &found.answer {
            Ok(server) if server.models.is_empty() => "it has no chat model".to_owned(),
            Ok(_) => "it has not the model of the settings".to_owned(),
            Err(ProbeFailure::NotRunning) => "not running".to_owned(),
            Err(ProbeFailure::KeyRefused { .. }) => "it refuses the key".to_owned(),
            Err(ProbeFailure::NotSuchAServer) => "something else answers there".to_owned(),
        };
        ProviderAttempt { provider: found.candidate.provider, place: found.candidate.address(), why }
    }

    fn embedded_attempt(&self, error: &LlmError) -> ProviderAttempt {
        let (place, why) = match error {
            LlmError::WorkerMissing { path, .. } => (path, "the program is not there"),
            _ => (&self.probe.model, "not installed"),
        };
        ProviderAttempt {
            provider: ProviderKind::Embedded,
            place: place.display().to_string(),
            why: why.into(),
        }
    }
}

/// Probes all candidates at once.
///
/// A client of its own does the asking: to ask, an address of this machine must be allowed, and nothing else the
/// product fetches may then go to addresses at which we only guessed.
pub(super) async fn probe_all(candidates: Vec<Candidate>) -> Result<Vec<ProbeResult>, LlmError> {
    let Some(first) = candidates.first() else { return Ok(Vec::new()) };
    let (provider, address) = (first.provider, first.address());
    let http = Http::new().map_err(|error| LlmError::Unreachable {
        provider,
        address,
        source: Some(error.into()),
    })?;
    Ok(join_all(candidates.into_iter().map(|candidate| candidate.probe(&http))).await)
}

fn no_provider(tried: Vec<ProviderAttempt>) -> LlmError {
    LlmError::NoProvider { tried }
}
