//! Every place where a language model could be, for `jarvis doctor` and the settings window.

use super::finder::{Finder, probe_all};
use super::probing::{Candidate, ProbeResult};
use crate::{LlmError, ProviderKind};

/// One place where a language model could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderReport {
    /// What could be there.
    pub provider: ProviderKind,
    /// Where: an address, or the path of a model file.
    pub place: String,
    /// What is there.
    pub state: ProviderState,
    /// It is the one that answers.
    pub is_chosen: bool,
}

/// What is at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderState {
    /// It can answer.
    Ready {
        /// The version, where the server tells.
        version: Option<String>,
        /// Its chat models, the preferred one first. The embedded engine has one.
        models: Vec<String>,
    },
    /// It cannot answer.
    NotReady {
        /// Why, as one sentence without a full stop.
        problem: String,
        /// What to do about it, as one sentence.
        remedy: String,
    },
}

impl Finder {
    /// Looks at every place, also those that the settings leave out, in the order of preference.
    ///
    /// # Errors
    ///
    /// [`LlmError::BadAddress`] and [`LlmError::UnknownProvider`] for settings that cannot be read.
    pub async fn report(&self) -> Result<Vec<ProviderReport>, LlmError> {
        let allowed = self.candidates()?;
        let is_named =
            |candidate: &Candidate| allowed.iter().any(|other| other.address() == candidate.address());
        let mut usual = vec![Candidate::usual_ollama()];
        usual.extend(Candidate::usual_openai());
        usual.retain(|place| !is_named(place));
        let named = allowed.len();
        let found = probe_all(allowed.into_iter().chain(usual).collect()).await?;

        let chosen = self.find().await.ok().map(|model| model.identity());
        let mut reports: Vec<ProviderReport> = found.iter().map(|found| self.server_report(found)).collect();
        reports.push(self.embedded_report());
        // The finder looks at the named candidates only, and takes the first that fits.
        let candidates = reports.iter().enumerate().filter(|(at, _)| *at < named || *at == found.len());
        let is_it = |report: &ProviderReport| {
            chosen.as_ref().is_some_and(|chosen| {
                let has_it = matches!(&report.state, ProviderState::Ready { models, .. } if models.contains(&chosen.model));
                report.provider == chosen.provider && has_it
            })
        };
        if let Some(at) = candidates.filter(|(_, report)| is_it(report)).map(|(at, _)| at).next() {
            reports[at].is_chosen = true;
        }
        Ok(reports)
    }

    fn server_report(&self, found: &ProbeResult) -> ProviderReport {
        let state = match &found.answer {
            Ok(server) if self.model_of(server).is_some() => ProviderState::Ready {
                version: server.version.clone(),
                models: server.models.iter().chain(&server.remote_models).cloned().collect(),
            },
            _ => not_ready(&self.error_of_probe(found)),
        };
        ProviderReport {
            provider: found.candidate.provider,
            place: found.candidate.address(),
            state,
            is_chosen: false,
        }
    }

    fn embedded_report(&self) -> ProviderReport {
        let state = match self.embedded_model() {
            Ok(model) => ProviderState::Ready { version: None, models: vec![model.identity().model] },
            Err(error) => not_ready(&error),
        };
        ProviderReport {
            provider: ProviderKind::Embedded,
            place: self.probe().model.display().to_string(),
            state,
            is_chosen: false,
        }
    }
}

fn not_ready(error: &LlmError) -> ProviderState {
    ProviderState::NotReady { problem: error.to_string(), remedy: error.remedy() }
}
