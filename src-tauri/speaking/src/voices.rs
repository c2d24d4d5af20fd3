//! The voices of this machine, and the one that a setting names.

use std::sync::Arc;

use models::{CatalogueEntry, Machine, ModelStore, Purpose};
use vocabulary::Language;

use crate::{SystemVoice, TextToSpeech, VoiceError};

/// Loads voices for the speech queue.
pub trait Voices: Send + Sync {
    /// Loads the voice that the setting names: `auto`, `system`, or an id of the catalogue.
    ///
    /// Blocks for about a second: do not call it on an async thread.
    ///
    /// # Errors
    ///
    /// When the voice is unknown, not installed, or damaged.
    fn load(&self, setting: &str) -> Result<Arc<dyn TextToSpeech>, VoiceError>;

    /// Loads the best installed voice of a language; `None` when none is installed.
    ///
    /// Blocks for about a second: do not call it on an async thread.
    ///
    /// # Errors
    ///
    /// When the voice is damaged.
    fn load_for(&self, language: &Language) -> Result<Option<Arc<dyn TextToSpeech>>, VoiceError>;

    /// The voice to use when another one fails. It speaks English if no language is given.
    fn fallback(&self, language: Option<&Language>) -> Arc<dyn TextToSpeech>;
}

/// The neural voices in the models folder, and the voice of the system.
#[derive(Debug, Clone)]
pub struct InstalledVoices {
    store: ModelStore,
    machine: Machine,
    threads: usize,
}

impl InstalledVoices {
    /// The voices of `store`. A neural voice uses `threads` threads; `machine` decides which voice `auto` means.
    ///
    /// One thread is enough for Piper. Kokoro takes 0.21 s for a second of speech with two idle cores and 0.34 s with
    /// one; on busy cores a second thread is not faster. Source: our bench on two cores.
    pub fn new(store: ModelStore, machine: Machine, threads: usize) -> Self {
        Self { store, machine, threads: threads.max(1) }
    }

    /// The installed neural voices. The first one is the voice that `auto` means.
    pub fn installed(&self) -> Vec<&'static CatalogueEntry> {
        let best = self.store.best_installed(Purpose::Voice, &self.machine);
        let others = self.store.catalogue().for_purpose(Purpose::Voice);
        let others = others.filter(|entry| self.store.is_installed(&entry.id));
        let others = others.filter(|entry| best.is_none_or(|best| best.id != entry.id));
        best.into_iter().chain(others).collect()
    }

    fn load_installed(&self, entry: &CatalogueEntry) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
        match self.store.is_installed(&entry.id) {
            true => load_neural(&self.store, entry, self.threads),
            false => Err(VoiceError::NotInstalled { id: entry.id.clone() }),
        }
    }
}

impl Voices for InstalledVoices {
    fn load(&self, setting: &str) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
        match setting.trim() {
            "" | "auto" => match self.installed().first() {
                Some(entry) => self.load_installed(entry),
                None => Ok(self.fallback(None)),
            },
            "system" => Ok(self.fallback(None)),
            id => {
                let known = || self.store.catalogue().for_purpose(Purpose::Voice);
                let entry = known().find(|entry| entry.id == id).ok_or_else(|| VoiceError::Unknown {
                    id: id.to_owned(),
                    known: known().map(|entry| entry.id.clone()).collect(),
                })?;
                self.load_installed(entry)
            }
        }
    }

    fn load_for(&self, language: &Language) -> Result<Option<Arc<dyn TextToSpeech>>, VoiceError> {
        let speaks = |entry: &&CatalogueEntry| {
            entry.languages.iter().any(|code| Language::new(code).as_ref() == Some(language))
        };
        self.installed().into_iter().find(speaks).map(|entry| self.load_installed(entry)).transpose()
    }

    fn fallback(&self, language: Option<&Language>) -> Arc<dyn TextToSpeech> {
        Arc::new(SystemVoice::new(language.map_or("en", Language::code)))
    }
}

/// Always the same voice, for any setting.
#[derive(Clone)]
pub struct FixedVoice(pub Arc<dyn TextToSpeech>);

impl Voices for FixedVoice {
    fn load(&self, _: &str) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
        Ok(self.0.clone())
    }

    fn load_for(&self, _: &Language) -> Result<Option<Arc<dyn TextToSpeech>>, VoiceError> {
        Ok(Some(self.0.clone()))
    }

    fn fallback(&self, _: Option<&Language>) -> Arc<dyn TextToSpeech> {
        self.0.clone()
    }
}

#[cfg(feature = "neural")]
fn load_neural(
    store: &ModelStore,
    entry: &CatalogueEntry,
    threads: usize,
) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
    use models::Engine;

    use crate::neural::{Kokoro, KokoroFiles, Piper, PiperFiles};

    let not_installed = || VoiceError::NotInstalled { id: entry.id.clone() };
    let library = store
        .catalogue()
        .for_purpose(Purpose::Runtime)
        .find(|runtime| runtime.engine == Engine::OnnxRuntime && store.is_installed(&runtime.id))
        .and_then(|runtime| store.path_of(&runtime.id).ok())
        .ok_or_else(|| VoiceError::NotInstalled { id: "onnxruntime".into() })?;
    let mut files = entry.files.iter().map(|file| store.path_of_file(file));
    let mut next = || files.next().ok_or_else(not_installed);
    match entry.engine {
        Engine::Piper => {
            let files = PiperFiles { library, network: next()?, configuration: next()? };
            Ok(Arc::new(Piper::load(&entry.label, &files, threads)?))
        }
        Engine::Kokoro => {
            let files = KokoroFiles { library, network: next()?, vocabulary: next()?, voice: next()? };
            Ok(Arc::new(Kokoro::load(&entry.label, &files, threads)?))
        }
        _ => Err(VoiceError::NotBuiltIn { id: entry.id.clone() }),
    }
}

#[cfg(not(feature = "neural"))]
fn load_neural(
    _: &ModelStore,
    entry: &CatalogueEntry,
    _: usize,
) -> Result<Arc<dyn TextToSpeech>, VoiceError> {
    Err(VoiceError::NotBuiltIn { id: entry.id.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> (tempfile::TempDir, InstalledVoices) {
        let folder = tempfile::tempdir().unwrap();
        let voices = InstalledVoices::new(ModelStore::new(folder.path()), Machine::this(), 1);
        (folder, voices)
    }

    #[test]
    fn auto_without_any_model_means_the_system_voice() {
        let (_folder, voices) = empty();

        assert_eq!(voices.load("auto").unwrap().name(), "the system's voice");
        assert_eq!(voices.load("system").unwrap().name(), "the system's voice");
    }

    #[test]
    fn missing_voice_and_unknown_voice_are_different_errors() {
        let (_folder, voices) = empty();

        assert!(matches!(voices.load("en_US-joe-medium"), Err(VoiceError::NotInstalled { .. })));
        let unknown = voices.load("hal").err().unwrap();
        assert!(unknown.remedy().contains("en_US-joe-medium"), "{}", unknown.remedy());
    }
}
