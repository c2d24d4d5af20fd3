//! One downloader per file, among all tasks and programs.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::Phase;
use super::progress::Reporter;

/// How often to look whether the other one is done. Nothing waits on it but a progress bar.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Held by whoever downloads a file, and by the threads that still write for one who has given up; given back when the
/// last of them is done, or by the end of the program.
pub(super) type Lock = Arc<File>;

/// Waits until nobody else downloads `name`.
pub(super) async fn of(folder: &Path, name: &str, reporter: &mut Reporter<'_>) -> io::Result<Lock> {
    let locks = folder.join(".locks");
    fs::create_dir_all(&locks)?;
    // The file stays when the lock is gone: deleting it would let two programs lock two files of the same name.
    let lock = File::create(locks.join(format!("{}.lock", name.replace('/', "_"))))?;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Arc::new(lock)),
            Err(TryLockError::WouldBlock) => {
                reporter.phase(Phase::Waiting);
                tokio::time::sleep(LOOK_EVERY).await;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
