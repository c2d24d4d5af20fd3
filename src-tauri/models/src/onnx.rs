//! The one ONNX Runtime of the process, loaded at run time from a file of the catalogue.
//!
//! The library allows one environment per process. Create all sessions with [`session`].

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

use ort::environment::Environment;
use ort::ep::CPU;
use ort::logging::LogLevel;
use ort::session::{RunOptions, Session, SessionInputValue, SessionOutputs};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

pub use ort;

/// Why a session could not be created.
#[derive(Debug, thiserror::Error)]
pub enum OnnxError {
    /// The library is missing, too old, or built for another platform.
    #[error("the ONNX Runtime at {library} could not be loaded")]
    Library {
        /// Path of the library.
        library: PathBuf,
        /// The error of the dynamic loader.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model file is missing, damaged, or uses features that the library does not support.
    #[error("the model at {model} could not be loaded")]
    Model {
        /// Path of the model file.
        model: PathBuf,
        /// The error of the library.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The environment of this process. The first successful call loads `library`; later calls return the same
/// environment and ignore the path. A failed call can be repeated when the file exists.
///
/// Blocks while the library is loaded; call it off the async threads.
///
/// # Errors
///
/// [`OnnxError::Library`].
pub fn environment(library: &Path) -> Result<Environment, OnnxError> {
    static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

    let mut environment = ENVIRONMENT.lock();
    if let Some(environment) = &*environment {
        return Ok(environment.clone());
    }
    let failed = |source| OnnxError::Library { library: library.to_path_buf(), source };
    // The loader would search a relative path beside the executable and in the system folders.
    let library = std::path::absolute(library).map_err(|error| failed(error.into()))?;
    let created = ort::init_from(&library)
        .map_err(|error| failed(error.into()))?
        .with_logger(Arc::new(log))
        .build()
        .map_err(|error| failed(error.into()))?;
    Ok(environment.insert(created).clone())
}

/// The choice for the working memory of a session after each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arena {
    /// Kept for the next run. Suits long runs in sequence, such as speech synthesis.
    Kept,
    /// Freed. Suits many short texts with a few long ones: the longest text would set the memory use for good. Source:
    /// all-MiniLM-L6-v2, 1,600 short texts after one of 256 tokens: 32 MB less memory, same speed.
    GivenBack,
}

/// Loads `model` into a session that runs on `threads` threads.
///
/// Blocks while the file is loaded; call it off the async threads. The session threads do not spin while they wait,
/// because spinning slows the recogniser and the language model on machines with few cores.
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
            // Without instructions for 8-bit products (VNNI) the library adds them in 16 bits, which overflow: a vote of Smart Turn
            // was 0.26 in place of 0.05. With this it takes more exact and slower ones there, and nothing changes elsewhere.
            .with_config_entry("session.x64quantprecision", "1")?
            .commit_from_file(model)
    };
    load().map_err(|error| OnnxError::Model { model: model.to_path_buf(), source: error.into() })
}

/// Runs `session` and gives what it computed to `read`. When `stop` is cancelled, the run ends after its current layer.
///
/// # Errors
///
/// The error of the library. After `stop` was cancelled, an error says only that the run ended early.
pub fn run_until_stopped<T>(
    session: &mut Session,
    inputs: Vec<(&str, SessionInputValue<'_>)>,
    stop: &CancellationToken,
    read: impl FnOnce(SessionOutputs<'_>) -> T,
) -> ort::Result<T> {
    /// The interval at which to check for a stop: short beside a run that is worth stopping.
    const POLL_INTERVAL: Duration = Duration::from_millis(5);

    let options = RunOptions::new()?;
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                if stop.is_cancelled() {
                    // If this fails, the run only ends later.
                    let _ = options.terminate();
                    return;
                }
                std::thread::park_timeout(POLL_INTERVAL);
            }
        });
        // A panic ends the watcher too: the scope waits for it.
        let _end_of_run = EndOfRun { is_done: &is_done, watcher: watcher.thread() };
        session.run_with_options(inputs, &options).map(read)
    })
}

/// Ends the watcher of a run when dropped.
struct EndOfRun<'a> {
    is_done: &'a AtomicBool,
    watcher: &'a Thread,
}

impl Drop for EndOfRun<'_> {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}

/// Forwards the log of the library. Its "info" lines describe every node of every graph, so they become traces.
fn log(level: LogLevel, category: &str, _id: &str, _place: &str, message: &str) {
    match level {
        LogLevel::Verbose | LogLevel::Info => tracing::trace!(category, "{message}"),
        LogLevel::Warning => tracing::debug!(category, "{message}"),
        LogLevel::Error | LogLevel::Fatal => tracing::warn!(category, "{message}"),
    }
}
