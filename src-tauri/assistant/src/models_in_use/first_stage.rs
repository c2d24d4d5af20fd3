//! The first stage of hearing, which looks for the name in sound: its model, and if it is used.

use std::path::PathBuf;
use std::sync::Arc;

use hearing::{KeywordSpotter, is_pronounceable};
use models::{Machine, ModelStore, Purpose};
use settings::Settings;

/// The files of the first stage that the settings ask for; `None` if everything is decoded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FirstStage(Option<Files>);

#[derive(Debug, Clone, PartialEq)]
struct Files {
    library: PathBuf,
    model: Vec<PathBuf>,
}

impl FirstStage {
    /// The installed model, if the settings ask for the stage and it can look for every name.
    pub fn new(settings: &Settings, store: &ModelStore) -> Self {
        if !settings.hearing.name_in_sound || unpronounceable_name(settings).is_some() {
            return Self(None);
        }
        let installed = |purpose| store.best_installed(purpose, &Machine::this());
        let files = installed(Purpose::KeywordSpotting).zip(installed(Purpose::Runtime));
        let files = files.and_then(|(entry, runtime)| {
            let model = entry.files.iter().map(|file| store.path_of_file(file)).collect();
            Some(Files { library: store.path_of(&runtime.id).ok()?, model })
        });
        if files.is_none() {
            tracing::warn!(
                "the model that looks for the name in sound is not installed; everything is recognised"
            );
        }
        Self(files)
    }

    /// The stage; it loads its model when it is first used.
    pub fn spotter(&self) -> Option<Arc<dyn KeywordSpotter>> {
        self.0.as_ref().and_then(spotter)
    }
}

/// Checks if the stage can look for the names of the settings. Returns `true` if it is asked for.
///
/// # Errors
///
/// Says which name it cannot look for.
pub(crate) fn is_usable(settings: &Settings) -> Result<bool, String> {
    let is_on = settings.hearing.name_in_sound;
    match unpronounceable_name(settings).filter(|_| is_on) {
        Some(name) => Err(format!(
            "hearing.name_in_sound finds names in the letters of English only, and {name} is none: everything is recognised"
        )),
        None => Ok(is_on),
    }
}

fn unpronounceable_name(settings: &Settings) -> Option<&String> {
    let listening = &settings.listening;
    std::iter::once(&listening.wake_word).chain(&listening.wake_aliases).find(|name| !is_pronounceable(name))
}

#[cfg(feature = "neural")]
fn spotter(files: &Files) -> Option<Arc<dyn KeywordSpotter>> {
    let [recogniser, encoder, decoder, vocabulary] = files.model.as_slice() else { return None };
    Some(Arc::new(hearing::PhonemeSpotter::new(hearing::PhonemeSpotterFiles {
        library: files.library.clone(),
        recogniser: recogniser.clone(),
        encoder: encoder.clone(),
        decoder: decoder.clone(),
        vocabulary: vocabulary.clone(),
    })))
}

/// A build without the ONNX Runtime decodes everything.
#[cfg(not(feature = "neural"))]
fn spotter(_: &Files) -> Option<Arc<dyn KeywordSpotter>> {
    None
}

#[cfg(test)]
mod tests {
    use models::Catalogue;
    use rstest::rstest;

    use super::*;

    fn settings(is_on: bool, name: &str) -> Settings {
        let mut settings = Settings::default();
        settings.hearing.name_in_sound = is_on;
        settings.listening.wake_word = name.to_owned();
        settings
    }

    #[rstest]
    #[case::on(true, "friday", Ok(true))]
    #[case::off(false, "friday", Ok(false))]
    #[case::other_script(true, "джарвис", Err("джарвис is none"))]
    #[case::other_script_while_off(false, "джарвис", Ok(false))]
    fn stage_is_refused_for_a_name_in_another_script(
        #[case] is_on: bool,
        #[case] name: &str,
        #[case] expected: Result<bool, &str>,
    ) {
        let usable = is_usable(&settings(is_on, name));

        match (usable, expected) {
            (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
            (usable, expected) => assert_eq!(usable.ok(), expected.ok()),
        }
    }

    #[rstest]
    #[case::installed(true, "jarvis", true, true)]
    #[case::switched_off(false, "jarvis", true, false)]
    #[case::other_script(true, "贾维斯", true, false)]
    #[case::not_installed(true, "jarvis", false, false)]
    fn stage_is_used_where_it_is_asked_for_and_can_work(
        #[case] is_on: bool,
        #[case] name: &str,
        #[case] is_installed: bool,
        #[case] expected: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = ModelStore::with_catalogue(folder.path(), Catalogue::bundled());
        let entries = Catalogue::bundled().entries().iter();
        let is_needed = |purpose| matches!(purpose, Purpose::KeywordSpotting | Purpose::Runtime);
        for file in
            entries.filter(|entry| is_installed && is_needed(entry.purpose)).flat_map(|entry| &entry.files)
        {
            let path = store.path_of_file(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap().set_len(file.variants[0].size_bytes).unwrap();
        }

        assert_eq!(FirstStage::new(&settings(is_on, name), &store).0.is_some(), expected);
    }
}
