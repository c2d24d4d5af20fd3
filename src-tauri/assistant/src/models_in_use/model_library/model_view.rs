//! An entry of the catalogue as doors show it.

use models::{CatalogueEntry, InstallState, Machine, ModelStore, Purpose};
use vocabulary::Language;

use crate::views::{ModelStatus, ModelView};

/// The view of a model. Without a `status`, nothing of it is here. The user speaks `languages`.
pub(super) fn of(
    entry: &CatalogueEntry,
    store: &ModelStore,
    machine: Machine,
    languages: &[Language],
    status: Option<ModelStatus>,
) -> ModelView {
    let recommended = recommended(store, entry.purpose, &machine, languages);
    ModelView {
        id: entry.id.clone(),
        name: entry.label.clone(),
        purpose: purpose_name(entry.purpose).to_owned(),
        summary: entry.description.clone(),
        languages: entry.languages.clone(),
        licence: entry.licence.clone(),
        bytes: entry.download_bytes(),
        ram_bytes: entry.ram_bytes,
        is_recommended: recommended.is_some_and(|best| best.id == entry.id),
        status: status.unwrap_or_else(|| not_here(entry, machine)),
    }
}

/// The model to fetch for a purpose.
pub(super) fn recommended(
    store: &ModelStore,
    purpose: Purpose,
    machine: &Machine,
    languages: &[Language],
) -> Option<&'static CatalogueEntry> {
    match purpose {
        Purpose::Embedding => store.catalogue().default_for_languages(purpose, machine, languages),
        // Its setting is off by default.
        Purpose::KeywordSpotting => None,
        _ => store.catalogue().default_for(purpose, machine),
    }
}

/// The status that files on disk show; `None` when there are none.
pub(super) fn status_of(state: &InstallState, entry: &CatalogueEntry) -> Option<ModelStatus> {
    Some(match state {
        InstallState::Installed => ModelStatus::Ready,
        InstallState::Partial { bytes } => {
            ModelStatus::Paused { bytes: *bytes, total: entry.download_bytes() }
        }
        InstallState::Corrupt => ModelStatus::Failed {
            what: "A file of it is damaged.".to_owned(),
            remedy: "Delete it and download it again.".to_owned(),
        },
        InstallState::Missing => return None,
    })
}

fn not_here(entry: &CatalogueEntry, machine: Machine) -> ModelStatus {
    // Zero if the system does not report its memory.
    let is_too_large = entry.ram_bytes > machine.ram_bytes && machine.ram_bytes > 0;
    match is_too_large {
        true => ModelStatus::TooLarge {
            why: format!(
                "Needs {:.1} GB of memory; this machine has {:.1} GB.",
                entry.ram_bytes as f64 / 1e9,
                machine.ram_bytes as f64 / 1e9
            ),
        },
        false => ModelStatus::Absent,
    }
}

fn purpose_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::SpeechToText => "speech",
        Purpose::VoiceActivity => "voice_activity",
        Purpose::KeywordSpotting => "keyword_spotting",
        Purpose::Endpoint => "endpoint",
        Purpose::Voice => "voice",
        Purpose::LanguageModel => "language",
        Purpose::Embedding => "embedding",
        Purpose::SpeakerEmbedding => "speaker",
        Purpose::Runtime => "runtime",
    }
}
