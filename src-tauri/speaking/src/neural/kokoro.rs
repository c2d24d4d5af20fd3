//! A Kokoro voice: it sounds more natural than Piper and takes about seven times as long.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use super::network::{Network, row, vector};
use super::phonemes::phonemes;
use crate::config::possible_speed;
use crate::normalisation::normalise_english;
use crate::trim::trim_silence;
use crate::{Speech, TextToSpeech, VoiceError};

/// Source: the model card of Kokoro 82M.
const RATE_HZ: u32 = 24_000;
/// The numbers in one row of a voice file. Source: the input `style` of the network.
const STYLE_NUMBERS: usize = 256;
/// The most phonemes of one run, without the pads at the start and the end. Source: the model card; a voice file has one
/// row for each length.
const MAX_PHONEMES: usize = 509;

/// The files of a Kokoro voice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KokoroFiles {
    /// The ONNX Runtime.
    pub library: PathBuf,
    /// The network, the same for all voices.
    pub network: PathBuf,
    /// The vocabulary of the network, `vocab.json`.
    pub vocabulary: PathBuf,
    /// The voice, `….bin`. Voices with a name that starts with `b` speak British English.
    pub voice: PathBuf,
}

/// A loaded Kokoro voice.
pub struct Kokoro {
    name: String,
    network: Network,
    vocabulary: HashMap<char, i64>,
    styles: Vec<f32>,
    espeak_voice: &'static str,
}

impl Kokoro {
    /// Loads the voice, to run with `threads` threads. Blocks for about 0.5 s.
    ///
    /// # Errors
    ///
    /// [`VoiceError::File`] when a file is missing or damaged.
    pub fn load(name: &str, files: &KokoroFiles, threads: usize) -> Result<Self, VoiceError> {
        let is_british = files.voice.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with('b'));
        Ok(Self {
            name: name.to_owned(),
            vocabulary: read_vocabulary(&files.vocabulary)?,
            styles: read_styles(&files.voice)?,
            network: Network::load(&files.library, &files.network, threads)?,
            espeak_voice: if is_british { "en-gb" } else { "en-us" },
        })
    }
}

impl TextToSpeech for Kokoro {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn language(&self) -> Option<Language> {
        Language::new(self.espeak_voice)
    }

    fn synthesise(&self, text: &str, speed: f32, stop: &CancellationToken) -> Result<Speech, VoiceError> {
        let phonemes = phonemes(&normalise_english(text), self.espeak_voice, stop)?;
        let mut speech = Speech { samples: Vec::new(), rate_hz: RATE_HZ };
        for tokens in self.tokens(&phonemes).chunks(MAX_PHONEMES) {
            let style = self.style_for(tokens.len());
            let padded = [&[0], tokens, &[0]].concat();
            let inputs = vec![
                ("tokens", row(padded)?),
                ("style", row(style.to_vec())?),
                ("speed", vector(vec![possible_speed(speed)])?),
            ];
            speech.samples.extend(self.network.run(inputs, stop)?);
        }
        Ok(trim_silence(speech))
    }
}

impl Kokoro {
    /// The ids of `phonemes` for the network. Unknown phonemes are left out. Empty when no sound is left.
    fn tokens(&self, phonemes: &str) -> Vec<i64> {
        if !phonemes.chars().any(|c| c.is_alphabetic() && self.vocabulary.contains_key(&c)) {
            return Vec::new();
        }
        phonemes.chars().filter_map(|c| self.vocabulary.get(&c).copied()).collect()
    }

    /// The style for a text with this number of phonemes.
    fn style_for(&self, phonemes: usize) -> &[f32] {
        let rows = self.styles.len() / STYLE_NUMBERS;
        let row = phonemes.min(rows - 1);
        &self.styles[row * STYLE_NUMBERS..(row + 1) * STYLE_NUMBERS]
    }
}

fn read_vocabulary(path: &Path) -> Result<HashMap<char, i64>, VoiceError> {
    #[derive(Deserialize)]
    struct File {
        vocab: HashMap<String, i64>,
    }
    let failed =
        |source: Box<dyn std::error::Error + Send + Sync>| VoiceError::File { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.into()))?;
    let file: File = serde_json::from_str(&text).map_err(|error| failed(error.into()))?;
    Ok(file.vocab.iter().filter_map(|(symbol, id)| Some((symbol.chars().next()?, *id))).collect())
}

fn read_styles(path: &Path) -> Result<Vec<f32>, VoiceError> {
    let failed =
        |source: Box<dyn std::error::Error + Send + Sync>| VoiceError::File { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(|error| failed(error.into()))?;
    let is_whole = !bytes.is_empty() && bytes.len().is_multiple_of(STYLE_NUMBERS * 4);
    if !is_whole {
        return Err(failed(format!("{} bytes are no rows of {STYLE_NUMBERS} numbers", bytes.len()).into()));
    }
    Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_voice_file_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bm_george.bin");
        std::fs::write(&path, vec![0; 1_000]).unwrap();

        assert!(matches!(read_styles(&path), Err(VoiceError::File { .. })));
    }

    #[test]
    fn vocabulary_with_other_keys_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vocab.json");
        std::fs::write(&path, r#"{"n_token": 178, "vocab": {"a": 43, " ": 16}}"#).unwrap();

        assert_eq!(read_vocabulary(&path).unwrap(), HashMap::from([('a', 43), (' ', 16)]));
    }
}
