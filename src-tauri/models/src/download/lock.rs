//! A lock per file: only one task of all processes downloads a file at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::DownloadPhase;
use super::progress::Reporter;

/// The pause between two checks whether the lock is free. Only a progress bar waits for it.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Held by the task that downloads a file and by its writing threads, which may outlive a cancelled task. Released
/// when the last clone is dropped or the process ends.
pub(super) type Lock = Arc<File>;

/// Waits until no other task downloads `name`, then locks it.
pub(super) async fn acquire(folder: &Path, name: &str, reporter: &mut Reporter<'_>) -> io::Result<Lock> {
    let locks = folder.join(".locks");
    fs::create_dir_all(&locks)?;
    // The lock file is never deleted: otherwise two processes could lock two files of the same name.
    let lock = File::create(locks.join(format!("{}.lock", name.replace('/', "_"))))?;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Arc::new(lock)),
            Err(TryLockError::WouldBlock) => {
                reporter.set_phase(DownloadPhase::Waiting);
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
