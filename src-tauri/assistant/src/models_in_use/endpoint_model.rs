//! Which model hears the end of an utterance.

use std::path::PathBuf;
use std::sync::Arc;

use hearing::EndpointModel;
use models::{CatalogueEntry, Machine, ModelStore, Purpose};
use settings::Settings;

use crate::models_in_use::recogniser::onnx_runtime;

/// The model that the settings ask for; without its files, words and silence decide alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EndpointModelChoice {
    files: Option<EndpointModelFiles>,
}

#[derive(Debug, Clone, PartialEq)]
struct EndpointModelFiles {
    library: PathBuf,
    model: PathBuf,
    /// Both exist.
    are_here: bool,
}

impl EndpointModelChoice {
    /// The named model, or an installed one for `auto`.
    pub fn new(settings: &Settings, store: &ModelStore) -> Self {
        let entry = match settings.hearing.endpoint_model.as_str() {
            "auto" => store.best_installed(Purpose::Endpoint, &Machine::this()),
            id => store.catalogue().entry(id).filter(|entry| entry.purpose == Purpose::Endpoint),
        };
        entry.map_or(Self { files: None }, |entry| Self::from_entry(entry, store))
    }

    /// The choice of this model.
    pub fn from_entry(entry: &CatalogueEntry, store: &ModelStore) -> Self {
        let files = entry.files.first().map(|file| {
            let (library, model) = (onnx_runtime(store), store.path_of_file(file));
            let are_here = library.is_file() && model.is_file();
            EndpointModelFiles { library, model, are_here }
        });
        Self { files }
    }
}

#[cfg(feature = "neural")]
impl EndpointModelChoice {
    /// The model; it is loaded when it is first asked.
    pub fn model(&self) -> Option<Arc<dyn EndpointModel>> {
        let EndpointModelFiles { library, model, .. } = self.files.clone().filter(|files| files.are_here)?;
        Some(Arc::new(hearing::SmartTurn::new(hearing::SmartTurnConfig { library, model })))
    }
}

/// A build without the ONNX Runtime has none.
#[cfg(not(feature = "neural"))]
impl EndpointModelChoice {
    pub fn model(&self) -> Option<Arc<dyn EndpointModel>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::auto_without_a_file("auto", false, false)]
    #[case::auto("auto", true, true)]
    #[case::named("smart-turn-v3.2", true, true)]
    #[case::none("", true, false)]
    #[case::recogniser("whisper-base-q8_0", true, false)]
    fn installed_model_is_used_unless_the_settings_name_none(
        #[case] named: &str,
        #[case] is_installed: bool,
        #[case] is_used: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = ModelStore::new(folder.path());
        for id in ["smart-turn-v3.2", "onnxruntime-1.31.1"].into_iter().filter(|_| is_installed) {
            let file = store.path_of(id).unwrap();
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let size = store.entry(id).unwrap().files[0].variants[0].size_bytes;
            std::fs::File::create(file).unwrap().set_len(size).unwrap();
        }
        let mut settings = Settings::default();
        settings.hearing.endpoint_model = named.to_owned();

        let choice = EndpointModelChoice::new(&settings, &store);

        assert_eq!(choice.files.is_some_and(|files| files.are_here), is_used);
    }
}
