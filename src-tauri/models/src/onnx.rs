//! The one ONNX Runtime of the process, loaded at run time from a file of the catalogue.
//!
//! The library allows one environment per process, so nobody else may create one: take sessions from here.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ort::environment::Environment;
use ort::ep::CPU;
use ort::logging::LogLevel;
use ort::session::Session;

pub use ort;

/// Why a model could not be made ready to run.
#[derive(Debug, thiserror::Error)]
pub enum OnnxError {
    /// The library is missing, for another kind of machine, or too old.
    #[error("the ONNX Runtime at {library} could not be loaded")]
    Library {
        /// Where it was looked for.
        library: PathBuf,
        /// What the loader said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model file is missing, damaged, or needs what the library lacks.
    #[error("the model at {model} could not be loaded")]
    Model {
        /// Its file.
        model: PathBuf,
        /// What the library said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The environment of this process; the first call that succeeds loads `library`, later ones get the same
/// environment whatever path they name. A failed call can be repeated once the file is there.
///
/// Blocks while the library is loaded: call it off the async threads.
///
/// # Errors
///
/// [`OnnxError::Library`].
pub fn environment(library: &Path) -> Result<Environment, OnnxError> {
    static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

    let mut environment = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*environment {
        return Ok(environment.clone());
    }
    let failed = |source| OnnxError::Library { library: library.to_path_buf(), source };
    // A relative path would be looked for beside the executable first, then in the system's folders.
    let library = std::path::absolute(library).map_err(|error| failed(error.into()))?;
    let created = ort::init_from(&library)
        .map_err(|error| failed(error.into()))?
        .with_logger(Arc::new(log))
        .build()
        .map_err(|error| failed(error.into()))?;
    Ok(environment.insert(created).clone())
}

/// What becomes of the memory that a run needs besides the weights, when the run is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arena {
    /// Kept for the next run: right where runs are long and follow each other, as those of a voice.
    Kept,
    /// Given back: right where one long text among thousands of short ones would decide what is held for good. Source:
    /// all-MiniLM-L6-v2, 1,600 short texts after one of 256 tokens: 32 MB less, and no slower.
    GivenBack,
}

/// Loads `model`, to be run by `threads` threads, with the environment of [`environment`].
///
/// Blocks for as long as the file takes to load: call it off the async threads. The threads do not spin while they
/// wait: on machines with few cores that starves the recogniser and the language model.
///
/// # Errors
///
/// [`OnnxError::Library`] when the library cannot be loaded, [`OnnxError::Model`] when the file cannot.
pub fn session(library: &Path, model: &Path, threads: usize, arena: Arena) -> Result<Session, OnnxError> {
    let environment = environment(library)?;
    let is_kept = arena == Arena::Kept;
    let load = || -> ort::Result<Session> {
        Session::builder(&environment)?
            .with_execution_providers([CPU::default().with_arena_allocator(is_kept).build()])?
            .with_memory_pattern(is_kept)?
            .with_intra_threads(threads.max(1))?
            .with_inter_threads(1)?
            .with_intra_op_spinning(false)?
            .commit_from_file(model)
    };
    load().map_err(|error| OnnxError::Model { model: model.to_path_buf(), source: error.into() })
}

/// Passes on what the library has to say. Its "info" is about every node of every graph, so it becomes a trace.
fn log(level: LogLevel, category: &str, _id: &str, _place: &str, message: &str) {
    match level {
        LogLevel::Verbose | LogLevel::Info => tracing::trace!(category, "{message}"),
        LogLevel::Warning => tracing::debug!(category, "{message}"),
        LogLevel::Error | LogLevel::Fatal => tracing::warn!(category, "{message}"),
    }
}
