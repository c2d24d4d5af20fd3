//! One network, run for one text at a time.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use models::onnx::{Arena, OnnxError, session};
use ort::session::{RunOptions, Session, SessionInputValue};
use tokio_util::sync::CancellationToken;

use crate::VoiceError;

/// How often a running network is checked on: a stop takes effect within it, and at the end of a layer.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A network whose only output is sound.
pub(super) struct Network {
    session: Mutex<Session>,
}

pub(super) type Inputs = Vec<(&'static str, SessionInputValue<'static>)>;

impl Network {
    /// Loads the network at `model` with the ONNX Runtime at `library`, to be run by so many threads.
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

    /// Does it take an input of that name?
    pub(super) fn takes(&self, input: &str) -> bool {
        self.lock().inputs().iter().any(|outlet| outlet.name() == input)
    }

    /// The samples it makes of `inputs`.
    pub(super) fn run(&self, inputs: Inputs, stop: &CancellationToken) -> Result<Vec<f32>, VoiceError> {
        if stop.is_cancelled() {
            return Err(VoiceError::Stopped);
        }
        let failed = |error: ort::Error| VoiceError::Engine(error.into());
        let options = Arc::new(RunOptions::new().map_err(failed)?);
        let mut session = self.lock();
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (watched, is_done) = (options.clone(), &is_done);
            let watch = scope.spawn(move || {
                while !is_done.load(Ordering::Relaxed) {
                    if stop.is_cancelled() {
                        // It cannot fail on options that exist, and if it did the run would only end later.
                        let _ = watched.terminate();
                        return;
                    }
                    std::thread::park_timeout(LOOK_EVERY);
                }
            });
            let samples = session.run_with_options(inputs, &*options).and_then(|outputs| {
                outputs[0].try_extract_tensor::<f32>().map(|(_, samples)| samples.to_vec())
            });
            is_done.store(true, Ordering::Relaxed);
            watch.thread().unpark();
            match samples {
                _ if stop.is_cancelled() => Err(VoiceError::Stopped),
                samples => samples.map_err(failed),
            }
        })
    }

    /// A panic in another run leaves the session as it was: runs keep nothing in it.
    fn lock(&self) -> std::sync::MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A tensor of one row.
pub(super) fn row<T>(values: Vec<T>) -> Result<SessionInputValue<'static>, VoiceError>
where
    T: ort::value::PrimitiveTensorElementType + std::fmt::Debug + Clone + 'static,
{
    let shape = [1, values.len()];
    tensor(shape.to_vec(), values)
}

/// A tensor without rows.
pub(super) fn list<T>(values: Vec<T>) -> Result<SessionInputValue<'static>, VoiceError>
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
