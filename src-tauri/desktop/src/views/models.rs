//! Models, who could run them, and places.

use llm::{ProviderKind, ProviderReport, ProviderState};
use places::Place;
use serde::Serialize;
use ts_rs::TS;

/// How much of a model is here.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ModelStatus {
    Absent,
    Downloading { bytes: u64, total: u64, bytes_per_sec: u64 },
    Paused { bytes: u64, total: u64 },
    Checking,
    Ready,
    InUse,
    Failed { what: String, remedy: String },
    TooLarge { why: String },
}

/// A model of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelView {
    pub id: String,
    pub name: String,
    /// `speech`, `voice`, `language`, `embedding`, `voice_activity` or `runtime`.
    pub purpose: String,
    pub summary: String,
    pub languages: Vec<String>,
    pub licence: String,
    pub bytes: u64,
    pub ram_bytes: u64,
    pub is_recommended: bool,
    pub status: ModelStatus,
}

/// Somebody who could run the language model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProviderView {
    /// What the setting `llm.provider` calls it.
    pub provider: String,
    pub label: String,
    /// An address, or the path of a model file.
    pub address: String,
    /// The preferred one first.
    pub models: Vec<String>,
    pub is_ready: bool,
    /// It is the one that answers.
    pub is_chosen: bool,
    /// What it is, or what is wrong and what to do.
    pub detail: String,
}

impl From<ProviderReport> for ProviderView {
    fn from(report: ProviderReport) -> Self {
        let (provider, label) = match report.provider {
            ProviderKind::Ollama => ("ollama", "Ollama"),
            ProviderKind::OpenAi => ("openai", "A server that speaks the OpenAI protocol"),
            ProviderKind::Embedded => ("embedded", "Jarvis itself"),
        };
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
            provider: provider.to_owned(),
            label: label.to_owned(),
            address: report.place,
            models,
            is_ready,
            is_chosen: report.is_chosen,
            detail,
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A town.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlaceView {
    pub name: String,
    /// State or nation; may be empty.
    pub region: String,
    pub country: String,
    /// IANA name.
    pub time_zone: String,
    /// All of it, as it is told to the model.
    pub label: String,
}

impl From<Place> for PlaceView {
    fn from(place: Place) -> Self {
        Self {
            label: place.label(),
            name: place.name.to_owned(),
            region: place.region.to_owned(),
            country: place.country.to_owned(),
            time_zone: place.time_zone.to_owned(),
        }
    }
}

/// The models page.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelsView {
    pub memory_total: u64,
    pub memory_free: u64,
    pub disk_free: u64,
    pub folder: String,
    pub models: Vec<ModelView>,
    /// Everybody who could answer, in the order of preference.
    pub providers: Vec<ProviderView>,
}
