//! Which speech recognition model is used.

use std::path::PathBuf;
use std::sync::Arc;

use hearing::{CamPlusPlus, EnrolledVoices, SpeechToText, VoiceCheck};
use models::{CatalogueEntry, Engine, Machine, ModelStore, Purpose};
use settings::Settings;
use vocabulary::{Language, Trouble};

use crate::models_in_use::speaker_model::speaker_model;
use crate::user::user_languages::language_of_this_system;

/// The model that the settings ask for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecogniserChoice {
    files: RecogniserFiles,
    /// The files exist.
    is_here: bool,
    /// Decoder threads; 0 means as many as suit this machine.
    threads: u64,
    likely_language: Option<Language>,
    /// The model of voices, if only enrolled ones are answered.
    speaker_model: Option<PathBuf>,
}

/// The files of a recogniser.
#[derive(Debug, Clone, PartialEq)]
enum RecogniserFiles {
    Whisper { model: PathBuf },
    Moonshine { library: PathBuf, files: Vec<PathBuf>, language: Option<Language> },
}

impl RecogniserChoice {
    /// The named model, else the best one installed, else the one this machine should fetch: then recognition reports
    /// which file is missing, and works as soon as it is there.
    pub fn new(settings: &Settings, store: &ModelStore) -> Self {
        let machine = Machine::this();
        let catalogue = store.catalogue();
        let named = catalogue.entry(&settings.hearing.speech_model);
        let named = named.filter(|entry| entry.purpose == Purpose::SpeechToText);
        let entry = named
            .or_else(|| store.best_installed(Purpose::SpeechToText, &machine))
            .or_else(|| catalogue.default_for(Purpose::SpeechToText, &machine));
        let choice = Self::with_files(entry.map_or_else(no_files, |entry| files_of(entry, store)), settings);
        let is_for_some = settings.listening.only_enrolled_voices;
        Self { speaker_model: is_for_some.then(|| speaker_model(store)), ..choice }
    }

    /// The choice of this model.
    pub fn from_entry(entry: &CatalogueEntry, store: &ModelStore, settings: &Settings) -> Self {
        Self::with_files(files_of(entry, store), settings)
    }

    fn with_files(files: RecogniserFiles, settings: &Settings) -> Self {
        let is_here = match &files {
            RecogniserFiles::Whisper { model } => model.is_file(),
            RecogniserFiles::Moonshine { library, files, .. } => {
                files.iter().chain([library]).all(|file| file.is_file())
            }
        };
        Self {
            files,
            is_here,
            threads: settings.hearing.threads,
            likely_language: language_of_this_system(),
            speaker_model: None,
        }
    }

    /// The recogniser, which also compares voices with the enrolled ones if the settings ask for it. `report` is told why
    /// it cannot.
    pub fn engine_beside(
        &self,
        voices: &Arc<EnrolledVoices>,
        report: impl Fn(Option<Trouble>) -> bool + Send + Sync + 'static,
    ) -> Arc<dyn SpeechToText> {
        let Some(model) = &self.speaker_model else { return self.engine() };
        let embedder = Arc::new(CamPlusPlus::new(model.clone()));
        Arc::new(VoiceCheck::new(self.engine(), embedder, Arc::clone(voices), report))
    }

    /// The recogniser; it loads its model when it is first used.
    pub fn engine(&self) -> Arc<dyn SpeechToText> {
        match &self.files {
            RecogniserFiles::Whisper { model } => self.whisper(model),
            RecogniserFiles::Moonshine { library, files, language } => {
                self.moonshine(library, files, language.as_ref())
            }
        }
    }
}

#[cfg(feature = "whisper")]
impl RecogniserChoice {
    fn whisper(&self, model: &std::path::Path) -> Arc<dyn SpeechToText> {
        let threads = match self.threads {
            0 => hearing::threads_for_this_machine(),
            threads => usize::try_from(threads).unwrap_or(1),
        };
        let (model, likely_language) = (model.to_path_buf(), self.likely_language.clone());
        Arc::new(hearing::Whisper::new(hearing::WhisperConfig { model, threads, likely_language }))
    }
}

#[cfg(feature = "neural")]
impl RecogniserChoice {
    fn moonshine(
        &self,
        library: &std::path::Path,
        files: &[PathBuf],
        language: Option<&Language>,
    ) -> Arc<dyn SpeechToText> {
        let [encoder, decoder, vocabulary] = files else { return Arc::new(hearing::NoSpeechToText) };
        Arc::new(hearing::Moonshine::new(hearing::MoonshineConfig {
            library: library.to_path_buf(),
            encoder: encoder.clone(),
            decoder: decoder.clone(),
            vocabulary: vocabulary.clone(),
            threads: usize::try_from(self.threads.max(1)).unwrap_or(1),
            language: language.cloned(),
        }))
    }
}

/// A build without a recogniser reports that when the user speaks.
#[cfg(not(feature = "whisper"))]
impl RecogniserChoice {
    fn whisper(&self, _: &std::path::Path) -> Arc<dyn SpeechToText> {
        Arc::new(hearing::NoSpeechToText)
    }
}

/// The same for a build without the ONNX Runtime.
#[cfg(not(feature = "neural"))]
impl RecogniserChoice {
    fn moonshine(&self, _: &std::path::Path, _: &[PathBuf], _: Option<&Language>) -> Arc<dyn SpeechToText> {
        Arc::new(hearing::NoSpeechToText)
    }
}

fn files_of(entry: &CatalogueEntry, store: &ModelStore) -> RecogniserFiles {
    let mut files: Vec<PathBuf> = entry.files.iter().map(|file| store.path_of_file(file)).collect();
    if entry.engine != Engine::Moonshine {
        return RecogniserFiles::Whisper { model: files.swap_remove(0) };
    }
    RecogniserFiles::Moonshine {
        library: onnx_runtime(store),
        files,
        language: entry.languages.first().and_then(|code| Language::new(code)),
    }
}

/// The library that runs the model, installed or not.
pub(crate) fn onnx_runtime(store: &ModelStore) -> PathBuf {
    let installed = store.best_installed(Purpose::Runtime, &Machine::this());
    let runtime = installed.or_else(|| store.catalogue().for_purpose(Purpose::Runtime).next());
    runtime.and_then(|runtime| store.path_of(&runtime.id).ok()).unwrap_or_default()
}

/// The choice where the catalogue has no recogniser for this system.
fn no_files() -> RecogniserFiles {
    RecogniserFiles::Whisper { model: PathBuf::new() }
}
