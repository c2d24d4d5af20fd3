//! The end of an utterance by its sound, with Smart Turn.
//!
//! A small network of the Whisper family reads the last eight seconds. It takes 0.05 s on one free core, however short the
//! utterance is.

mod log_mel;

use std::path::PathBuf;

use models::onnx::{Arena, OnnxError, session};
use ort::session::Session;
use ort::value::Tensor;

use self::log_mel::{FEATURE_FRAMES, LogMel, MELS};
use crate::endpoint_model::EndpointModel;
use crate::model_slot::ModelSlot;
use crate::speech_to_text::TranscribeError;

/// The input with the spectrogram. The only output is the probability.
const INPUT: &str = "input_features";

/// The files of a [`SmartTurn`].
#[derive(Debug, Clone, PartialEq)]
pub struct SmartTurnConfig {
    /// The ONNX Runtime.
    pub library: PathBuf,
    /// The network.
    pub model: PathBuf,
}

/// A Smart Turn model in the ONNX Runtime. The first call loads the model.
pub struct SmartTurn {
    config: SmartTurnConfig,
    loaded: ModelSlot<LoadedModel>,
}

struct LoadedModel {
    network: Session,
    spectrogram: LogMel,
}

impl SmartTurn {
    /// Loads nothing yet.
    pub fn new(config: SmartTurnConfig) -> Self {
        Self { config, loaded: ModelSlot::empty() }
    }

    fn load(&self) -> Result<LoadedModel, TranscribeError> {
        let SmartTurnConfig { library, model } = &self.config;
        for path in [library, model] {
            std::fs::File::open(path).map_err(|error| TranscribeError::from_file(path.clone(), error))?;
        }
        // One thread: the recogniser needs the other cores at this moment.
        let network = session(library, model, 1, Arena::GivenBack).map_err(|error| match error {
            OnnxError::Library { library: path, .. } | OnnxError::Model { model: path, .. } => {
                TranscribeError::ModelDamaged { path }
            }
        })?;
        Ok(LoadedModel { network, spectrogram: LogMel::new() })
    }
}

impl EndpointModel for SmartTurn {
    fn probability_of_end(&self, samples: &[f32]) -> Result<f32, TranscribeError> {
        self.loaded.run(
            || self.load(),
            |loaded| loaded.probability(samples).map_err(|reason| TranscribeError::Engine { reason }),
        )
    }
}

impl LoadedModel {
    fn probability(&mut self, samples: &[f32]) -> Result<f32, String> {
        let features = self.spectrogram.of_end(samples);
        let input = Tensor::from_array(([1, MELS, FEATURE_FRAMES], features)).map_err(|e| e.to_string())?;
        let outputs = self.network.run(ort::inputs![INPUT => input]).map_err(|e| e.to_string())?;
        let (_, numbers) = outputs[0].try_extract_tensor::<f32>().map_err(|e| e.to_string())?;
        match numbers {
            [probability] if (0.0..=1.0).contains(probability) => Ok(*probability),
            _ => Err(format!("the network answered {} numbers, none of them a probability", numbers.len())),
        }
    }
}
