//! The model that tells voices apart.

use std::path::PathBuf;

use models::{ModelStore, Purpose};

/// The file of the model, or the place where it is expected.
pub(crate) fn speaker_model(store: &ModelStore) -> PathBuf {
    let mut entries = store.catalogue().for_purpose(Purpose::SpeakerEmbedding);
    entries
        .next()
        .and_then(|entry| entry.files.first())
        .map(|file| store.path_of_file(file))
        .unwrap_or_default()
}
