//! A Piper voice: fast enough for the smallest machines.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use vocabulary::Language;

use super::network::{Inputs, Network, row, vector};
use super::phonemes::phonemes;
use crate::config::possible_speed;
use crate::normalisation::normalise_english;
use crate::trim::trim_silence;
use crate::{Speech, TextToSpeech, VoiceError};

/// The files of a Piper voice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PiperFiles {
    /// The ONNX Runtime.
    pub library: PathBuf,
    /// The network, `….onnx`.
    pub network: PathBuf,
    /// Its configuration, `….onnx.json`.
    pub configuration: PathBuf,
}

/// A loaded Piper voice.
pub struct Piper {
    name: String,
    network: Network,
    configuration: Configuration,
    has_speaker_input: bool,
}

impl Piper {
    /// Loads the voice, to run with `threads` threads. Blocks for about 0.3 s.
    ///
    /// # Errors
    ///
    /// [`VoiceError::File`] when a file is missing or damaged.
    pub fn load(name: &str, files: &PiperFiles, threads: usize) -> Result<Self, VoiceError> {
        let configuration = Configuration::read(&files.configuration)?;
        let network = Network::load(&files.library, &files.network, threads)?;
        let has_speaker_input = network.has_input("sid");
        Ok(Self { name: name.to_owned(), network, configuration, has_speaker_input })
    }
}

impl TextToSpeech for Piper {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn language(&self) -> Option<Language> {
        let Configuration { language, espeak, .. } = &self.configuration;
        Language::new(language.as_ref().map_or(&espeak.voice, |language| &language.code))
    }

    fn synthesise(&self, text: &str, speed: f32, stop: &CancellationToken) -> Result<Speech, VoiceError> {
        let configuration = &self.configuration;
        let phonemes = phonemes(&configuration.normalised(text), &configuration.espeak.voice, stop)?;
        let ids = configuration.ids(&phonemes);
        let rate_hz = configuration.audio.sample_rate;
        if ids.is_empty() {
            return Ok(Speech { samples: Vec::new(), rate_hz });
        }
        let Inference { noise_scale, length_scale, noise_w } = configuration.inference;
        let length = ids.len() as i64;
        let mut inputs: Inputs = vec![
            ("input", row(ids)?),
            ("input_lengths", vector(vec![length])?),
            ("scales", vector(vec![noise_scale, length_scale / possible_speed(speed), noise_w])?),
        ];
        if self.has_speaker_input {
            inputs.push(("sid", vector(vec![0_i64])?));
        }
        let samples = self.network.run(inputs, stop)?;
        Ok(trim_silence(Speech { samples, rate_hz }))
    }
}

/// The part of the configuration file that we use.
#[derive(Debug, Deserialize)]
struct Configuration {
    audio: Audio,
    espeak: Espeak,
    /// Old configurations have none.
    #[serde(default)]
    language: Option<VoiceLanguage>,
    inference: Inference,
    phoneme_id_map: HashMap<String, Vec<i64>>,
}

#[derive(Debug, Deserialize)]
struct Audio {
    sample_rate: u32,
}

#[derive(Debug, Deserialize)]
struct Espeak {
    voice: String,
}

#[derive(Debug, Deserialize)]
struct VoiceLanguage {
    /// Such as `de_DE`.
    code: String,
}

/// Source of the defaults: the configuration of the official Piper voices.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(default)]
struct Inference {
    noise_scale: f32,
    length_scale: f32,
    noise_w: f32,
}

impl Default for Inference {
    fn default() -> Self {
        Self { noise_scale: 0.667, length_scale: 1.0, noise_w: 0.8 }
    }
}

impl Configuration {
    fn read(path: &Path) -> Result<Self, VoiceError> {
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| VoiceError::File {
            path: path.to_owned(),
            source,
        };
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.into()))?;
        let configuration: Self = serde_json::from_str(&text).map_err(|error| failed(error.into()))?;
        if configuration.audio.sample_rate == 0 {
            return Err(failed("its sample rate is 0".into()));
        }
        Ok(configuration)
    }

    fn normalised(&self, text: &str) -> String {
        if self.espeak.voice.starts_with("en") { normalise_english(text) } else { text.to_owned() }
    }

    /// The ids of `phonemes` for the network: a start mark, each phoneme followed by a pad, an end mark. Unknown phonemes
    /// are left out. Empty when no sound is left.
    fn ids(&self, phonemes: &str) -> Vec<i64> {
        let ids_of = |symbol: &str| self.phoneme_id_map.get(symbol).map(Vec::as_slice).unwrap_or_default();
        let pad = ids_of("_");
        let mut ids = [ids_of("^"), pad].concat();
        let mut has_sound = false;
        let mut symbol = [0; 4];
        for phoneme in phonemes.chars() {
            let found = ids_of(phoneme.encode_utf8(&mut symbol));
            if !found.is_empty() {
                has_sound |= phoneme.is_alphabetic();
                ids.extend(found);
                ids.extend(pad);
            }
        }
        ids.extend(ids_of("$"));
        if has_sound { ids } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration() -> Configuration {
        serde_json::from_str(
            r#"{"audio": {"sample_rate": 22050}, "espeak": {"voice": "en-us"}, "inference": {},
                "phoneme_id_map": {"_": [0], "^": [1], "$": [2], " ": [3], ".": [10], "a": [14], "b": [15]}}"#,
        )
        .unwrap()
    }

    #[test]
    fn phonemes_are_padded_and_unknown_ones_left_out() {
        assert_eq!(configuration().ids("ab☃ a."), [1, 0, 14, 0, 15, 0, 3, 0, 14, 0, 10, 0, 2]);
    }

    #[test]
    fn text_without_known_phonemes_has_no_ids() {
        assert!(configuration().ids("☃ .").is_empty());
    }

    #[test]
    fn error_for_a_damaged_configuration_contains_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("voice.onnx.json");
        std::fs::write(&path, "{").unwrap();

        let refused = Configuration::read(&path).unwrap_err();

        assert!(refused.to_string().contains("voice.onnx.json"));
    }
}
