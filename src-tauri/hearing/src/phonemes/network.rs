//! The network from sound to phonemes.

use std::path::Path;

use models::onnx::{Arena, OnnxError, session};
use ort::session::{Session, SessionInputValue, SessionInputs};
use ort::value::Tensor;

use super::alignment::SoundPhonemes;
use super::network_error::NetworkError;

/// The output with the log probability of each phoneme, 50 rows a second.
const LOG_PROBS: &str = "log_probs";

/// The least sound that the network takes, in samples. Shorter sound is filled up with silence. Source: its first window
/// has 25 ms, and a tenth of a second holds no name.
const MIN_SAMPLES: usize = 1600;

/// The network in its session.
pub(super) struct Network(Session);

impl Network {
    /// Loads the file. One thread is enough.
    pub fn load(library: &Path, recogniser: &Path) -> Result<Self, OnnxError> {
        // The length of the sound differs from run to run; a kept arena would grow to the longest one.
        Ok(Self(session(library, recogniser, 1, Arena::GivenBack)?))
    }

    /// Computes the log probabilities over mono samples at 16 kHz.
    pub fn run(&mut self, samples: &[f32]) -> Result<SoundPhonemes, NetworkError> {
        let mut sound: Vec<f32> = samples.iter().map(|sample| sample.clamp(-1.0, 1.0)).collect();
        sound.resize(sound.len().max(MIN_SAMPLES), 0.0);
        let length = Tensor::from_array(([1], vec![sound.len() as i64]))?;
        let waveform = Tensor::from_array(([1, sound.len()], sound))?;
        let inputs: Vec<(&str, SessionInputValue<'_>)> =
            vec![("waveform", waveform.into()), ("waveform_lengths", length.into())];
        let outputs = self.0.run(SessionInputs::from(inputs))?;
        let (shape, numbers) = outputs
            .get(LOG_PROBS)
            .ok_or_else(|| format!("the network has no output {LOG_PROBS}"))?
            .try_extract_tensor::<f32>()?;
        let width = shape.last().and_then(|width| usize::try_from(*width).ok()).unwrap_or_default();
        SoundPhonemes::new(numbers.to_vec(), width).ok_or_else(|| "the network wrote no phonemes".into())
    }
}
