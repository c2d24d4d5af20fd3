//! Files that several processes write: a command runs while Jarvis is started, or beside another command.

use std::fs::File;
use std::io;
use std::path::Path;

use memory::private;

/// Keeps other processes from reading and writing `file` until the lock is dropped. Makes its folder where a command is the first
/// to run. Blocks until they are done.
pub(crate) fn lock(file: &Path) -> io::Result<File> {
    if let Some(folder) = file.parent() {
        private::make_folder(folder)?;
    }
    let lock = private::create(&file.with_extension("lock"))?;
    lock.lock()?;
    Ok(lock)
}
