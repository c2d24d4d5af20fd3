//! Runs a neural network of a voice on one text at a time.

use std::path::Path;

use models::onnx::{Arena, OnnxError, run_until_stopped, session};
use ort::session::{Session, SessionInputValue};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::VoiceError;

/// A network with one output: the samples.
pub(super) struct Network {
    session: Mutex<Session>,
}

pub(super) type Inputs = Vec<(&'static str, SessionInputValue<'static>)>;

impl Network {
    /// Loads the network at `model` with the ONNX Runtime at `library`, to run with `threads` threads.
    pub(super) fn load(library: &Path, model: &Path, threads: usize) -> Result<Self, VoiceError> {
        let session = session(library, model, threads, Arena::Kept).map_err(|error| {
            let path = match &error {
                OnnxError::Library { library, .. } => library.clone(),
                OnnxError::Model { model, .. } => model.clone(),
            };
            VoiceError::File { path, source: error.into() }
        })?;
        Ok(Self { session: Mutex::new(session) })
    }

    /// Returns `true` if the network has an input with this name.
    pub(super) fn has_input(&self, input: &str) -> bool {
        self.lock().inputs().iter().any(|outlet| outlet.name() == input)
    }

    /// Runs the network and returns its samples.
    pub(super) fn run(&self, inputs: Inputs, stop: &CancellationToken) -> Result<Vec<f32>, VoiceError> {
        if stop.is_cancelled() {
            return Err(VoiceError::Stopped);
        }
        let failed = |error: ort::Error| VoiceError::Engine(error.into());
        let samples = run_until_stopped(&mut self.lock(), inputs, stop, |outputs| {
            outputs[0].try_extract_tensor::<f32>().map(|(_, samples)| samples.to_vec())
        });
        if stop.is_cancelled() {
            return Err(VoiceError::Stopped);
        }
        samples.flatten().map_err(failed)
    }

    /// Ignores a panic of another run: runs do not change the session.
    fn lock(&self) -> parking_lot::MutexGuard<'_, Session> {
        self.session.lock()
    }
}

/// A tensor of shape `[1, n]`.
pub(super) fn row<T>(values: Vec<T>) -> Result<SessionInputValue<'static>, VoiceError>
where
    T: ort::value::PrimitiveTensorElementType + std::fmt::Debug + Clone + 'static,
{
    let shape = [1, values.len()];
    tensor(shape.to_vec(), values)
}

/// A tensor of shape `[n]`.
pub(super) fn vector<T>(values: Vec<T>) -> Result<SessionInputValue<'static>, VoiceError>
where
    T: ort::value::PrimitiveTensorElementType + std::fmt::Debug + Clone + 'static,
{
    tensor(vec![values.len()], values)
}

fn tensor<T>(shape: Vec<usize>, values: Vec<T>) -> Result<SessionInputValue<'static>, VoiceError>
where
    T: ort::value::PrimitiveTensorElementType + std::fmt::Debug + Clone + 'static,
{
    let tensor = ort::value::Tensor::from_array((shape, values)).map_err(|e| VoiceError::Engine(e.into()))?;
    Ok(tensor.into())
}
