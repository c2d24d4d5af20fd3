//! Configuration of the embedded engine.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use settings::LlmSettings;

/// Environment variable with the path of the worker program, for tests and for packages with another layout.
const WORKER_VARIABLE: &str = "JARVIS_LLM_WORKER";

/// Configuration of the embedded engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedConfig {
    /// The worker program.
    pub worker: PathBuf,
    /// The GGUF file.
    pub model: PathBuf,
    /// Size of the context in tokens, limited by the model.
    pub context_tokens: u32,
    /// Number of threads; 0: the best number for this machine.
    pub threads: u32,
    /// The worker is ended after this time without a request.
    pub idle_unload: Duration,
    /// Default maximum length of a response in tokens.
    pub max_reply_tokens: u32,
    /// Default sampling temperature, 0.0 to 2.0.
    pub temperature: f32,
    /// The time that the worker may send nothing, including the time to load the model.
    pub silence_timeout: Duration,
    /// The folder for what the model has read of [`ChatModel::keep_beginning`](crate::ChatModel::keep_beginning); `None`: it
    /// reads that again after each start. The files can be deleted at any time.
    pub kept_beginnings: Option<PathBuf>,
}

impl EmbeddedConfig {
    /// The configuration with default settings.
    pub fn new(worker: PathBuf, model: PathBuf) -> Self {
        Self::from_settings(&LlmSettings::default(), worker, model)
    }

    /// The configuration in the settings, with an `idle_unload` of 5 minutes.
    pub fn from_settings(settings: &LlmSettings, worker: PathBuf, model: PathBuf) -> Self {
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
            kept_beginnings: None,
        }
    }

    /// The file for what this model has read, in its folder, which is created and holds no file of another model. `None`
    /// without a folder that can be written.
    pub(crate) fn beginning_file(&self) -> Option<PathBuf> {
        let folder = self.kept_beginnings.as_ref()?;
        let read = std::fs::metadata(&self.model).ok()?;
        let changed = read.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        let version = env!("CARGO_PKG_VERSION");
        let name = format!("{}-{}-{changed:x}-{version}.state", self.model_name(), read.len());
        create_private(folder).ok()?;
        for other in std::fs::read_dir(folder).ok()?.flatten().filter(|other| *other.file_name() != *name) {
            if let Err(error) = std::fs::remove_file(other.path()) {
                tracing::warn!(%error, "a file of another model cannot be removed");
            }
        }
        Some(folder.join(name))
    }

    /// Name of the model: the name of its file without extension.
    pub(crate) fn model_name(&self) -> String {
        self.model.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Creates a folder that nobody else reads.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut folders = std::fs::DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(folder)
}

/// Path of the worker program: from `JARVIS_LLM_WORKER`, else beside the running program. The file need not exist.
pub fn default_worker_path() -> PathBuf {
    if let Some(path) = std::env::var_os(WORKER_VARIABLE).filter(|path| !path.is_empty()) {
        return path.into();
    }
    let name = format!("llm-worker{}", std::env::consts::EXE_SUFFIX);
    let folder = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
    folder.map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name))
}
