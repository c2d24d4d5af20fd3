//! Probes all candidates and selects a language model.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::join_all;
use net::{Http, Purpose, Url};
use secrecy::SecretString;
use settings::LlmSettings;

use super::probe::{Candidate, ProbeFailure, ProbeResult, SEARCHED, is_same_model};
use crate::servers::{chat_model, parse_address};
use crate::{
    ChatModel, EmbedError, EmbeddedConfig, EmbeddedModel, LlmError, OllamaPuller, ProviderAttempt,
    ProviderKind, ServerConfig, ServerEmbedder,
};

/// The way the finder creates the embedded model.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedOptions {
    /// The worker program, usually [`crate::embedded::default_worker_path`].
    pub worker: PathBuf,
    /// The model file, which need not exist: the model in the settings, else the default of the catalogue.
    pub model: PathBuf,
    /// The model is unloaded after this time without a request.
    pub idle_unload: Duration,
    /// The folder for what the model has read, as [`EmbeddedConfig::kept_beginnings`].
    pub kept_beginnings: Option<PathBuf>,
}

/// Finds a language model according to the settings.
pub struct ProviderFinder {
    settings: LlmSettings,
    http: Http,
    embedded_options: EmbeddedOptions,
    api_key: Option<SecretString>,
    /// Created at most once, because a second search must not start a second worker.
    embedded: OnceLock<Arc<EmbeddedModel>>,
}

impl ProviderFinder {
    /// Creates a finder. `api_key` is sent to the configured address only, never to a default address.
    pub fn new(
        settings: LlmSettings,
        http: Http,
        embedded_options: EmbeddedOptions,
        api_key: Option<SecretString>,
    ) -> Self {
        Self { settings, http, embedded_options, api_key, embedded: OnceLock::new() }
    }

    /// The model to use: the one in the settings, else an Ollama server, another local server, or the embedded engine.
    ///
    /// Takes at most 0.3 s, or 5 s if the settings name an address.
    ///
    /// # Errors
    ///
    /// [`LlmError::NoProvider`], or the error of the provider in the settings.
    pub async fn find(&self) -> Result<Arc<dyn ChatModel>, LlmError> {
        let probes = self.probe_all(self.candidates()?).await;
        let chosen = match self.choice() {
            Some(ProviderKind::Embedded) => self.embedded_model()?,
            Some(ProviderKind::Ollama | ProviderKind::OpenAi | ProviderKind::Anthropic) => {
                self.best_configured(&probes)?
            }
            None => self.best(&probes)?,
        };
        tracing::info!(model = %chosen.identity(), "language model found");
        Ok(chosen)
    }

    pub(super) fn embedded_options(&self) -> &EmbeddedOptions {
        &self.embedded_options
    }

    /// All servers to probe, in order of preference.
    pub(super) fn candidates(&self) -> Result<Vec<Candidate>, LlmError> {
        let named = self.configured_address()?;
        let at = |provider, url: &Url| Candidate::configured(provider, url.clone(), self.api_key.clone());
        Ok(match (self.choice(), named) {
            (Some(ProviderKind::Embedded), _) => Vec::new(),
            (Some(provider), Some(url)) => vec![at(provider, &url)],
            (Some(provider), None) => {
                let defaults = Candidate::defaults(provider);
                if defaults.is_empty() {
                    return Err(no_address(provider));
                }
                defaults
            }
            // The settings do not name the API, so all are tried.
            (None, Some(url)) => SEARCHED.map(|provider| at(provider, &url)).to_vec(),
            (None, None) => Candidate::searched(),
        })
    }

    fn choice(&self) -> Option<ProviderKind> {
        ProviderKind::from_setting(self.settings.provider)
    }

    fn configured_address(&self) -> Result<Option<Url>, LlmError> {
        let address = self.settings.base_url.trim();
        if address.is_empty() { Ok(None) } else { parse_address(address).map(Some) }
    }

    fn wanted_model(&self) -> Option<&str> {
        Some(self.settings.chat_model.trim()).filter(|name| !name.is_empty())
    }

    /// The first suitable server of the provider in the settings, else the error of a candidate.
    fn best_configured(&self, probes: &[ProbeResult]) -> Result<Arc<dyn ChatModel>, LlmError> {
        if let Some((probe, model)) = self.first_with_model(probes) {
            return Ok(self.server(probe, model));
        }
        let answering = probes.iter().find(|probe| probe.result.is_ok());
        let Some(candidate) = answering.or(probes.first()) else { return Err(no_provider(Vec::new())) };
        Err(self.error_of_probe(candidate))
    }

    /// The first available provider.
    fn best(&self, probes: &[ProbeResult]) -> Result<Arc<dyn ChatModel>, LlmError> {
        if let Some((probe, model)) = self.first_with_model(probes) {
            return Ok(self.server(probe, model));
        }
        let embedded_error = match self.embedded_model() {
            Ok(embedded) => {
                if let Some(wanted) =
                    self.wanted_model().filter(|_| probes.iter().any(|probe| probe.result.is_ok()))
                {
                    tracing::warn!(
                        wanted,
                        "no server has the model in the settings; using the embedded model"
                    );
                }
                return Ok(embedded);
            }
            Err(error) => error,
        };
        // A server without the model in the settings needs another remedy than a missing server.
        if let Some(probe) = probes.iter().find(|probe| self.wanted_model().is_some() && probe.result.is_ok())
        {
            return Err(self.error_of_probe(probe));
        }
        let mut tried: Vec<ProviderAttempt> = probes.iter().map(|probe| self.attempt(probe)).collect();
        tried.push(self.embedded_attempt(&embedded_error));
        Err(no_provider(tried))
    }

    /// The first server with the model in the settings, or with any chat model if the settings name none.
    fn first_with_model<'a>(&self, probes: &'a [ProbeResult]) -> Option<(&'a ProbeResult, String)> {
        probes.iter().find_map(|probe| Some((probe, self.model_of(probe)?)))
    }

    /// The model to use on a server.
    pub(super) fn model_of(&self, probe: &ProbeResult) -> Option<String> {
        let server = probe.result.as_ref().ok()?;
        match self.wanted_model() {
            None => server.models.first().cloned(),
            // A model that the user names may run on a remote machine.
            Some(wanted) => {
                let all = server.models.iter().chain(&server.remote_models);
                all.into_iter()
                    .find(|listed| is_same_model(probe.candidate.provider, listed, wanted))
                    .cloned()
            }
        }
    }

    /// The embedding model named `model` on the server that runs the language model, or on the first one that answers
    /// if none has a language model.
    ///
    /// # Errors
    ///
    /// [`EmbedError::NoServer`] when no server answers that could have embeddings.
    pub(super) async fn find_embedder(&self, model: &str) -> Result<ServerEmbedder, EmbedError> {
        let mut candidates = self.candidates()?;
        candidates.retain(|candidate| candidate.provider.has_embeddings());
        let probes = self.probe_all(candidates).await;
        let answering = || probes.iter().find(|probe| probe.result.is_ok());
        let Some(probe) = self.first_with_model(&probes).map(|(probe, _)| probe).or_else(answering) else {
            return Err(EmbedError::NoServer);
        };
        let config = self.config(probe, model.to_owned());
        tracing::info!(model, address = probe.candidate.address(), "embedding model found");
        Ok(match probe.candidate.provider {
            ProviderKind::Ollama => ServerEmbedder::ollama(self.http.clone(), config),
            // Candidates without embeddings were removed above.
            ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Embedded => {
                ServerEmbedder::openai(self.http.clone(), config)
            }
        })
    }

    /// A client that lets an Ollama server fetch models: the one at `address`, else the one in the settings, else the one at
    /// the usual address.
    ///
    /// # Errors
    ///
    /// [`LlmError::BadAddress`] if the address is none.
    pub fn ollama_puller(&self, address: Option<&str>) -> Result<OllamaPuller, LlmError> {
        let named = match self.choice() {
            None | Some(ProviderKind::Ollama) => self.configured_address()?,
            Some(ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Embedded) => None,
        };
        let base_url = match address {
            Some(address) => parse_address(address)?,
            None => named.clone().unwrap_or_else(|| Candidate::ollama().base_url),
        };
        let api_key = self.api_key.clone().filter(|_| named.as_ref() == Some(&base_url));
        // The name of the model comes with each pull.
        let config = ServerConfig::from_settings(&self.settings, base_url, String::new(), api_key);
        Ok(OllamaPuller::new(&self.http, config))
    }

    /// The same for a user who asks for Ollama by this name: the server in the settings, unless another program answers there; then
    /// the one at the usual address.
    ///
    /// Takes at most 5 s.
    ///
    /// # Errors
    ///
    /// [`LlmError::BadAddress`] if the address in the settings is none.
    pub async fn named_ollama_puller(&self) -> Result<OllamaPuller, LlmError> {
        // Only here the settings do not say whose address it is.
        let unclear = if self.choice().is_none() { self.configured_address()? } else { None };
        let is_of_other = match unclear {
            Some(url) => self.answers_as_other_program(url).await,
            None => false,
        };
        let usual = is_of_other.then(|| Candidate::ollama().address());
        self.ollama_puller(usual.as_deref())
    }

    /// Returns `true` if a program answers at the address in the settings that is no Ollama server.
    async fn answers_as_other_program(&self, url: Url) -> bool {
        let candidate = Candidate::configured(ProviderKind::Ollama, url, self.api_key.clone());
        let probes = self.probe_all(vec![candidate]).await;
        probes.iter().any(|probe| match &probe.result {
            // Other programs list their models at Ollama's path, too, but have no version there.
            Ok(server) => server.version.is_none(),
            Err(ProbeFailure::OtherServer) => true,
            Err(ProbeFailure::NotRunning | ProbeFailure::KeyRefused { .. }) => false,
        })
    }

    fn config(&self, probe: &ProbeResult, model: String) -> ServerConfig {
        let Candidate { base_url, api_key, .. } = &probe.candidate;
        let parameters = probe.result.as_ref().ok().and_then(|server| server.parameters.get(&model).copied());
        let config = ServerConfig::from_settings(&self.settings, base_url.clone(), model, api_key.clone());
        ServerConfig { parameters, ..config }
    }

    fn server(&self, probe: &ProbeResult, model: String) -> Arc<dyn ChatModel> {
        chat_model(probe.candidate.provider, self.http.clone(), self.config(probe, model))
    }

    /// The embedded model, if the worker program and the model file exist.
    pub(super) fn embedded_model(&self) -> Result<Arc<dyn ChatModel>, LlmError> {
        if !self.embedded_options.model.is_file() {
            let model =
                self.embedded_options.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            return Err(LlmError::ModelMissing { provider: ProviderKind::Embedded, model });
        }
        if !self.embedded_options.worker.is_file() {
            let source = std::io::ErrorKind::NotFound.into();
            return Err(LlmError::WorkerMissing { path: self.embedded_options.worker.clone(), source });
        }
        let embedded = self.embedded.get_or_init(|| {
            let (worker, model) = (self.embedded_options.worker.clone(), self.embedded_options.model.clone());
            let config = EmbeddedConfig::from_settings(&self.settings, worker, model);
            Arc::new(EmbeddedModel::new(EmbeddedConfig {
                idle_unload: self.embedded_options.idle_unload,
                kept_beginnings: self.embedded_options.kept_beginnings.clone(),
                ..config
            }))
        });
        Ok(Arc::clone(embedded) as Arc<dyn ChatModel>)
    }

    /// Why a probed candidate cannot be used.
    pub(super) fn error_of_probe(&self, probe: &ProbeResult) -> LlmError {
        let (provider, address) = (probe.candidate.provider, probe.candidate.address());
        match (&probe.result, self.wanted_model()) {
            (Ok(_), Some(wanted)) => LlmError::ModelMissing { provider, model: wanted.to_owned() },
            (Ok(_), None) => LlmError::NoChatModel { provider, address },
            (Err(ProbeFailure::KeyRefused { code }), _) => LlmError::KeyRefused { code: *code },
            (Err(ProbeFailure::NotRunning), _) => LlmError::Unreachable { provider, address, source: None },
            (Err(ProbeFailure::OtherServer), _) => LlmError::InvalidResponse {
                what: format!("the program at {address} is not an {provider} server"),
            },
        }
    }

    fn attempt(&self, probe: &ProbeResult) -> ProviderAttempt {
        let reason = match &probe.result {
            Ok(server) if server.models.is_empty() => "no chat model".to_owned(),
            Ok(_) => "without the model in the settings".to_owned(),
            Err(ProbeFailure::NotRunning) => "not running".to_owned(),
            Err(ProbeFailure::KeyRefused { .. }) => "key rejected".to_owned(),
            Err(ProbeFailure::OtherServer) => "another program uses this address".to_owned(),
        };
        ProviderAttempt { provider: probe.candidate.provider, place: probe.candidate.address(), reason }
    }

    /// Probes all candidates concurrently.
    ///
    /// Probing allows local default addresses. Other requests of the product must not be allowed to contact them.
    pub(super) async fn probe_all(&self, candidates: Vec<Candidate>) -> Vec<ProbeResult> {
        let http = self.http.without_allowed_origins().for_purpose(Purpose::ProviderSearch);
        join_all(candidates.into_iter().map(|candidate| candidate.probe(&http))).await
    }

    fn embedded_attempt(&self, error: &LlmError) -> ProviderAttempt {
        let (place, reason) = match error {
            LlmError::WorkerMissing { path, .. } => (path, "worker program missing"),
            _ => (&self.embedded_options.model, "not installed"),
        };
        ProviderAttempt {
            provider: ProviderKind::Embedded,
            place: place.display().to_string(),
            reason: reason.into(),
        }
    }
}

fn no_address(provider: ProviderKind) -> LlmError {
    let reason = format!("no address is set, and an {provider} server has no usual one");
    LlmError::BadAddress { address: String::new(), reason }
}

fn no_provider(tried: Vec<ProviderAttempt>) -> LlmError {
    LlmError::NoProvider { tried }
}
