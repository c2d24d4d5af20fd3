//! A report about all possible providers, for `jarvis doctor` and the settings window.

use super::finder::ProviderFinder;
use super::probe::{Candidate, ProbeResult};
use crate::{LlmError, ProviderKind};

/// The state of one possible provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderReport {
    /// The kind of provider.
    pub provider: ProviderKind,
    /// The address of the server, or the path of the model file.
    pub place: String,
    /// Ready, or the reason why not.
    pub state: ProviderState,
    /// `true` if it is the selected provider.
    pub is_chosen: bool,
    /// `true` if it fetches models by their names: an Ollama server that answers, with or without a model.
    pub can_pull: bool,
}

/// The state of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderState {
    /// The provider can be used.
    Ready {
        /// The version, if the server reports it.
        version: Option<String>,
        /// The chat models, the preferred one first. The embedded engine has one.
        models: Vec<String>,
    },
    /// The provider cannot be used.
    NotReady {
        /// The cause, as one sentence without a full stop.
        problem: String,
        /// The remedy, as one sentence.
        remedy: String,
    },
}

impl ProviderFinder {
    /// Probes all providers in order of preference, including those that the settings exclude.
    ///
    /// # Errors
    ///
    /// [`LlmError::BadAddress`] for an invalid setting.
    pub async fn report(&self) -> Result<Vec<ProviderReport>, LlmError> {
        let candidates = self.candidates()?;
        let is_candidate =
            |candidate: &Candidate| candidates.iter().any(|other| other.address() == candidate.address());
        let mut default_candidates = Candidate::searched();
        default_candidates.retain(|place| !is_candidate(place));
        let candidate_count = candidates.len();
        let probes = self.probe_all(candidates.into_iter().chain(default_candidates).collect()).await;

        let chosen = self.find().await.ok().map(|model| model.identity());
        let mut reports: Vec<ProviderReport> = probes.iter().map(|probe| self.server_report(probe)).collect();
        reports.push(self.embedded_report());
        // The finder selects the first suitable provider among the candidates of the settings.
        let selectable =
            reports.iter().enumerate().filter(|(at, _)| *at < candidate_count || *at == probes.len());
        let is_selected = |report: &ProviderReport| {
            chosen.as_ref().is_some_and(|chosen| {
                let has_model = matches!(&report.state, ProviderState::Ready { models, .. } if models.contains(&chosen.model));
                report.provider == chosen.provider && has_model
            })
        };
        if let Some(at) = selectable.filter(|(_, report)| is_selected(report)).map(|(at, _)| at).next() {
            reports[at].is_chosen = true;
        }
        Ok(reports)
    }

    fn server_report(&self, probe: &ProbeResult) -> ProviderReport {
        let state = match &probe.result {
            Ok(server) if self.model_of(probe).is_some() => ProviderState::Ready {
                version: server.version.clone(),
                models: server.models.iter().chain(&server.remote_models).cloned().collect(),
            },
            _ => not_ready(&self.error_of_probe(probe)),
        };
        ProviderReport {
            provider: probe.candidate.provider,
            place: probe.candidate.address(),
            state,
            is_chosen: false,
            can_pull: probe.candidate.provider == ProviderKind::Ollama && probe.result.is_ok(),
        }
    }

    fn embedded_report(&self) -> ProviderReport {
        let state = match self.embedded_model() {
            Ok(model) => ProviderState::Ready { version: None, models: vec![model.identity().model] },
            Err(error) => not_ready(&error),
        };
        ProviderReport {
            provider: ProviderKind::Embedded,
            place: self.embedded_options().model.display().to_string(),
            state,
            is_chosen: false,
            can_pull: false,
        }
    }
}

fn not_ready(error: &LlmError) -> ProviderState {
    ProviderState::NotReady { problem: error.to_string(), remedy: error.remedy() }
}
