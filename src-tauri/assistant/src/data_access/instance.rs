//! The lock that makes one process the owner of a user's data.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use vocabulary::{Stage, Trouble};

/// The right to use the data folder, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Instance {
    _lock: File,
}

/// Why the data folder could not be claimed.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// Another Jarvis of this user runs.
    #[error("Jarvis is already running")]
    AlreadyRunning,
    /// The lock file could not be created.
    #[error("the lock file {path} could not be created")]
    NoLock {
        /// The lock file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl InstanceError {
    /// The same for the user's screen.
    pub fn trouble(&self) -> Trouble {
        let remedy = match self {
            Self::AlreadyRunning => "Use that one: `jarvis ask` speaks to it. To start anew, quit it first.",
            Self::NoLock { .. } => "Check the rights of the folder, or set JARVIS_HOME to another one.",
        };
        Trouble::from_error(Stage::Instance, self, remedy)
    }
}

impl Instance {
    /// Claims `data_folder` for this process.
    ///
    /// # Errors
    ///
    /// [`InstanceError::AlreadyRunning`] when another process holds it.
    pub fn claim(data_folder: &Path) -> Result<Self, InstanceError> {
        let path = data_folder.join("instance.lock");
        let failed = |source| InstanceError::NoLock { path: path.clone(), source };
        std::fs::create_dir_all(data_folder).map_err(failed)?;
        let lock = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(InstanceError::AlreadyRunning),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_claim_fails_until_the_first_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let first = Instance::claim(folder.path()).unwrap();

        let second = Instance::claim(folder.path());
        drop(first);

        assert!(matches!(second, Err(InstanceError::AlreadyRunning)));
        assert!(Instance::claim(folder.path()).is_ok());
    }
}
