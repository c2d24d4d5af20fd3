//! The place where files are kept on this machine.

use std::path::{Path, PathBuf};

/// The folders of one user, native to each system.
///
/// `JARVIS_HOME` puts all of them under one folder instead, for portable installations and tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The files of the user.
    pub home: PathBuf,
    /// `settings.json`.
    pub config: PathBuf,
    /// The database, the lock and the socket.
    pub data: PathBuf,
    /// Model files, unless the settings name another folder.
    pub models: PathBuf,
    /// Log files.
    pub logs: PathBuf,
    /// Files that can be made again.
    pub cache: PathBuf,
    /// The place where files for the user are saved, such as exported lists.
    pub documents: PathBuf,
}

/// The identifier that folders are named after on every system.
const IDENTIFIER: &str = "app.jarvis.desktop";

/// This user has no home folder.
#[derive(Debug, thiserror::Error)]
#[error("this user has no home folder: set JARVIS_HOME to a folder that Jarvis may write to")]
pub struct NoHome;

impl Folders {
    /// The folders of the user who runs this process.
    ///
    /// # Errors
    ///
    /// [`NoHome`] when the system names no home folder and `JARVIS_HOME` is not set.
    pub fn from_environment() -> Result<Self, NoHome> {
        if let Some(root) = std::env::var_os("JARVIS_HOME").filter(|r| !r.is_empty()) {
            return Ok(Self::under(Path::new(&root)));
        }
        let native = directories::ProjectDirs::from("", "", IDENTIFIER).ok_or(NoHome)?;
        let user = directories::UserDirs::new().ok_or(NoHome)?;
        let documents = user.document_dir().unwrap_or_else(|| user.home_dir()).to_path_buf();
        let data = native.data_local_dir().to_path_buf();
        Ok(Self {
            home: user.home_dir().to_path_buf(),
            config: native.config_local_dir().to_path_buf(),
            models: data.join("models"),
            logs: native.state_dir().map_or_else(|| data.join("logs"), |state| state.join("logs")),
            cache: native.cache_dir().to_path_buf(),
            data,
            documents,
        })
    }

    /// All folders under one.
    pub fn under(root: &Path) -> Self {
        Self {
            home: root.join("home"),
            config: root.to_path_buf(),
            data: root.join("data"),
            models: root.join("models"),
            logs: root.join("logs"),
            cache: root.join("cache"),
            documents: root.join("documents"),
        }
    }
}
