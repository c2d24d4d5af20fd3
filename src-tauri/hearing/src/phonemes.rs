//! The name in sound, by a network that writes sound as phonemes.
//!
//! A second of sound takes 4 ms of one thread, a hundredth of what Whisper needs. The phonemes of a name come from a pair of
//! networks that read letters, so every name works that is written in Latin letters; no training is needed.

mod alignment; // the fit of phonemes to sound, pure
mod network; // from sound to the log probabilities of phonemes
mod network_error;
mod pronunciation; // from a name to phonemes

use std::path::PathBuf;

use models::onnx::OnnxError;

use self::alignment::best_score;
use self::network::Network;
use self::network_error::engine_error;
use self::pronunciation::{Phoneme, Pronouncer};
use crate::keyword_spotter::KeywordSpotter;
use crate::model_slot::ModelSlot;
use crate::pronounceable::is_pronounceable;
use crate::speech_to_text::TranscribeError;

/// The files of a [`PhonemeSpotter`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhonemeSpotterFiles {
    /// The ONNX Runtime.
    pub library: PathBuf,
    /// The network from sound to phonemes.
    pub recogniser: PathBuf,
    /// The network that reads the letters of a name.
    pub encoder: PathBuf,
    /// The network that writes its phonemes.
    pub decoder: PathBuf,
    /// The letters and the phonemes, as JSON.
    pub vocabulary: PathBuf,
}

/// The least score of a spotted name: the log probability of its phonemes less that of the likeliest ones, per phoneme.
const MIN_SCORE: f32 = -2.0;

/// Looks for names with a network for phonemes. The first call loads the model.
pub struct PhonemeSpotter {
    files: PhonemeSpotterFiles,
    loaded: ModelSlot<LoadedModel>,
}

struct LoadedModel {
    network: Network,
    pronouncer: Pronouncer,
    /// The names that were looked for last.
    names: Vec<String>,
    /// Their phonemes; `None` for a name that cannot be looked for.
    phonemes: Vec<Option<Vec<Phoneme>>>,
}

impl PhonemeSpotter {
    /// Loads nothing yet.
    pub fn new(files: PhonemeSpotterFiles) -> Self {
        Self { files, loaded: ModelSlot::empty() }
    }

    fn load(&self) -> Result<LoadedModel, TranscribeError> {
        let PhonemeSpotterFiles { library, recogniser, encoder, decoder, vocabulary } = &self.files;
        for path in [library, recogniser, encoder, decoder] {
            std::fs::File::open(path).map_err(|error| TranscribeError::from_file(path.clone(), error))?;
        }
        let texts = std::fs::read(vocabulary)
            .map_err(|error| TranscribeError::from_file(vocabulary.clone(), error))?;
        let damaged = |path: PathBuf| TranscribeError::ModelDamaged { path };
        let unusable = |error| match error {
            OnnxError::Library { library: path, .. } | OnnxError::Model { model: path, .. } => damaged(path),
        };
        Ok(LoadedModel {
            network: Network::load(library, recogniser).map_err(unusable)?,
            pronouncer: Pronouncer::load(library, encoder, decoder, &texts)
                .map_err(unusable)?
                .ok_or_else(|| damaged(vocabulary.clone()))?,
            names: Vec::new(),
            phonemes: Vec::new(),
        })
    }

    /// The score of the name that fits the sound best: at most 0.0, and -2.0 or more when it is spotted. `None` when
    /// the sound is shorter than a name; a name that cannot be looked for fits any sound.
    ///
    /// # Errors
    ///
    /// The same as [`KeywordSpotter::spot`].
    pub fn score(&self, samples: &[f32], names: &[String]) -> Result<Option<f32>, TranscribeError> {
        self.loaded.run(|| self.load(), |loaded| loaded.score(samples, names))
    }
}

impl KeywordSpotter for PhonemeSpotter {
    fn spot(&self, samples: &[f32], names: &[String]) -> Result<bool, TranscribeError> {
        Ok(self.score(samples, names)?.is_some_and(|score| score >= MIN_SCORE))
    }
}

impl LoadedModel {
    fn score(&mut self, samples: &[f32], names: &[String]) -> Result<Option<f32>, TranscribeError> {
        self.prepare_names(names)?;
        let sound = self.network.run(samples).map_err(engine_error)?;
        let score_of = |phonemes: &Option<Vec<Phoneme>>| match phonemes {
            Some(phonemes) => best_score(&sound, phonemes),
            None => Some(0.0),
        };
        Ok(self.phonemes.iter().filter_map(score_of).max_by(f32::total_cmp))
    }

    /// Finds the phonemes of these names, unless they are those of the last call.
    fn prepare_names(&mut self, names: &[String]) -> Result<(), TranscribeError> {
        if self.names == names {
            return Ok(());
        }
        let pronouncer = &mut self.pronouncer;
        let mut phonemes_of =
            |name: &String| if is_pronounceable(name) { pronouncer.phonemes(name) } else { Ok(None) };
        self.phonemes = names.iter().map(&mut phonemes_of).collect::<Result<_, _>>().map_err(engine_error)?;
        self.names = names.to_vec();
        Ok(())
    }
}
