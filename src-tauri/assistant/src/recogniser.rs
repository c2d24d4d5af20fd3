//! Which speech recognition model is used.

use std::path::PathBuf;
use std::sync::Arc;

use hearing::SpeechToText;
use models::{Machine, ModelStore, Purpose};
use settings::Settings;
use vocabulary::Language;

use crate::user_languages::language_of_this_system;

/// The model that the settings ask for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecogniserChoice {
    model: PathBuf,
    /// The file exists.
    is_here: bool,
    /// Decoder threads; 0 means as many as suit this machine.
    threads: u64,
    likely_language: Option<Language>,
}

impl RecogniserChoice {
    /// The named model, else the best one installed, else the one this machine should fetch: then recognition reports
    /// which file is missing, and works as soon as it is there.
    pub fn new(settings: &Settings, store: &ModelStore) -> Self {
        let machine = Machine::this();
        let named = store.path_of(&settings.hearing.speech_model).ok();
        let best = || store.path_of(&store.best_installed(Purpose::SpeechToText, &machine)?.id).ok();
        let wanted =
            || store.path_of(&store.catalogue().default_for(Purpose::SpeechToText, &machine)?.id).ok();
        Self::of_file(named.or_else(best).or_else(wanted).unwrap_or_default(), settings)
    }

    /// The choice of this model file.
    pub fn of_file(model: PathBuf, settings: &Settings) -> Self {
        let is_here = model.is_file();
        Self { model, is_here, threads: settings.hearing.threads, likely_language: language_of_this_system() }
    }

    /// The recogniser; it loads its model when it is first used.
    #[cfg(feature = "whisper")]
    pub fn engine(&self) -> Arc<dyn SpeechToText> {
        let threads = match self.threads {
            0 => hearing::threads_for_this_machine(),
            threads => usize::try_from(threads).unwrap_or(1),
        };
        let (model, likely_language) = (self.model.clone(), self.likely_language.clone());
        Arc::new(hearing::Whisper::new(hearing::WhisperConfig { model, threads, likely_language }))
    }

    /// A build without a recogniser reports that when the user speaks.
    #[cfg(not(feature = "whisper"))]
    pub fn engine(&self) -> Arc<dyn SpeechToText> {
        Arc::new(hearing::NoSpeechToText)
    }
}
