//! How the embedded engine is run.

use std::path::PathBuf;
use std::time::Duration;

use settings::LlmSettings;

/// Names the worker program for tests and for packages with another layout.
const WORKER_VARIABLE: &str = "JARVIS_LLM_WORKER";

/// What the embedded engine runs on.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedConfig {
    /// The worker program.
    pub worker: PathBuf,
    /// The GGUF file.
    pub model: PathBuf,
    /// Tokens of context; fewer when the model was trained on fewer.
    pub context_tokens: u32,
    /// Threads to compute with; 0 takes what this machine does best with.
    pub threads: u32,
    /// The memory is given back when nobody asked for so long.
    pub idle_unload: Duration,
    /// The longest answer, in tokens, where a request says nothing else.
    pub max_reply_tokens: u32,
    /// Randomness, 0.0 to 2.0, where a request says nothing else.
    pub temperature: f32,
    /// Give up when the worker says nothing for so long, loading included.
    pub silence_timeout: Duration,
}

impl EmbeddedConfig {
    /// Runs `model` in `worker` with the usual settings.
    pub fn new(worker: PathBuf, model: PathBuf) -> Self {
        Self::of_settings(&LlmSettings::default(), worker, model)
    }

    /// What the settings say, for `model` in `worker`. The memory is given back after 5 minutes.
    pub fn of_settings(settings: &LlmSettings, worker: PathBuf, model: PathBuf) -> Self {
        let tokens = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            worker,
            model,
            context_tokens: tokens(settings.context_tokens),
            threads: 0,
            idle_unload: Duration::from_secs(5 * 60),
            max_reply_tokens: tokens(settings.max_reply_tokens),
            temperature: settings.temperature as f32,
            silence_timeout: crate::servers::silence_timeout(settings),
        }
    }

    /// The model's name: its file's.
    pub(crate) fn model_name(&self) -> String {
        self.model.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Where the worker program is: where `JARVIS_LLM_WORKER` says, else beside the running program. It need not exist.
pub fn usual_worker() -> PathBuf {
    if let Some(path) = std::env::var_os(WORKER_VARIABLE).filter(|path| !path.is_empty()) {
        return path.into();
    }
    let name = format!("llm-worker{}", std::env::consts::EXE_SUFFIX);
    let folder = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
    folder.map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name))
}
