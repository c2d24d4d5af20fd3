//! Models, the providers that could run them, and choices among them.

use llm::{ProviderReport, ProviderState};
use serde::{Deserialize, Serialize};
use settings::Provider;
use ts_rs::TS;

use super::pulls::PullView;

/// The state of a model on this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ModelStatus {
    /// Nothing of it is here.
    Absent,
    /// It is being downloaded.
    Downloading {
        /// Bytes that are here.
        bytes: u64,
        /// Bytes of the whole download.
        total: u64,
        /// Mean speed since this download was started or continued.
        bytes_per_sec: u64,
    },
    /// A part of it is here.
    Paused {
        /// Bytes that are here.
        bytes: u64,
        /// Bytes of the whole download.
        total: u64,
    },
    /// Its files are compared with their checksums.
    Checking,
    /// It is installed.
    Ready,
    /// It is installed, and chosen to hear, to speak or to answer.
    InUse,
    /// Its download failed, or a file is damaged.
    Failed {
        /// The event, as a sentence.
        what: String,
        /// The remedy, as a sentence.
        remedy: String,
    },
    /// It needs more memory than this machine has.
    TooLarge {
        /// The amount, as a sentence.
        why: String,
    },
}

/// A model of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelView {
    /// Its name in the catalogue and in the settings.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// `speech`, `voice`, `language`, `embedding`, `speaker`, `voice_activity`, `keyword_spotting`, `endpoint` or `runtime`.
    pub purpose: String,
    /// Its use, as a sentence.
    pub summary: String,
    /// ISO 639-1 codes; empty if languages do not matter.
    pub languages: Vec<String>,
    /// SPDX expression, or the licence's name.
    pub licence: String,
    /// Size of its download.
    pub bytes: u64,
    /// Memory that it takes when loaded.
    pub ram_bytes: u64,
    /// `true` if it is the catalogue's default for this machine.
    pub is_recommended: bool,
    /// Its state on this machine.
    pub status: ModelStatus,
}

/// A provider that could run the language model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderView {
    /// Its value of the setting `llm.provider`.
    #[ts(type = "string")]
    pub provider: Provider,
    /// Its name for people.
    pub label: String,
    /// An address, or the path of a model file.
    pub address: String,
    /// Its models, the preferred one first.
    pub models: Vec<String>,
    /// `true` if it could answer now.
    pub is_ready: bool,
    /// `true` if it is the one that answers.
    pub is_chosen: bool,
    /// `true` if it fetches models by their names.
    pub can_pull: bool,
    /// A description, or the trouble with its remedy.
    pub detail: String,
}

impl From<ProviderReport> for ProviderView {
    fn from(report: ProviderReport) -> Self {
        let (models, is_ready, detail) = match report.state {
            ProviderState::Ready { models, version } => {
                let version = version.map(|version| format!("Version {version}. ")).unwrap_or_default();
                let detail = match (report.is_chosen, models.first()) {
                    (true, Some(model)) => format!("{version}It answers with {model}."),
                    (false, _) if models.len() == 1 => format!("{version}It has one model."),
                    (_, _) => format!("{version}It has {} models.", models.len()),
                };
                (models, true, detail)
            }
            ProviderState::NotReady { problem, remedy } => {
                (Vec::new(), false, format!("{}. {remedy}", capitalised(&problem)))
            }
        };
        Self {
            provider: report.provider.into(),
            label: report.provider.label().to_owned(),
            address: report.place,
            models,
            is_ready,
            is_chosen: report.is_chosen,
            can_pull: report.can_pull,
            detail,
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// All models of the catalogue and all providers, with what this machine has room for.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelsView {
    /// Memory of this machine in bytes; zero when unknown.
    pub memory_total: u64,
    /// Memory that is available now, in bytes; zero when unknown.
    pub memory_free: u64,
    /// Free bytes of the disk with the models folder; zero when unknown.
    pub disk_free: u64,
    /// The models folder.
    pub folder: String,
    /// Every model of the catalogue.
    pub models: Vec<ModelView>,
    /// Every provider that could answer, in the order of preference.
    pub providers: Vec<ProviderView>,
    /// Models that servers are fetching, and those that they could not fetch.
    pub pulls: Vec<PullView>,
}

/// A value that a setting may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct ChoiceView {
    /// The value.
    pub id: String,
    /// Its name for people.
    pub label: String,
}
