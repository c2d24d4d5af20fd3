//! Names and safe handling of database files, their logs and unfinished copies.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::StorageError;

/// Suffix of files that are being encrypted or decrypted.
pub(crate) const MIGRATING: &str = ".migrating";

/// Suffix of backups and restored files that are not complete yet.
pub(crate) const UNFINISHED: &str = ".part";

/// Suffixes of the logs of a database.
pub(crate) const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

pub(crate) fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = file.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

/// Removes a file that may be missing.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a database and its logs; the database last, so that it is found again when removing a log fails.
pub fn remove_with_logs(path: &Path) -> Result<(), StorageError> {
    for suffix in ["-wal", "-shm", "-journal", ""] {
        remove(&with_suffix(path, suffix))
            .map_err(|source| StorageError::Folder { path: path.to_path_buf(), source })?;
    }
    Ok(())
}

/// Flushes a file to the disk. Windows does this only for files that are open for writing.
pub(crate) fn sync(file: &Path) -> io::Result<()> {
    std::fs::OpenOptions::new().write(true).open(file)?.sync_all()
}

/// Makes a rename survive a power cut, if folders can be flushed.
pub(crate) fn sync_folder_of(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(folder) if cfg!(unix) => std::fs::File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Fails for a dangling symlink: the disk it leads to may only be unplugged, so nothing may replace the link.
pub(crate) fn refuse_dangling_link(path: &Path) -> Result<(), StorageError> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|file| file.is_symlink());
    match std::fs::metadata(path) {
        Err(error) if is_link && error.kind() == io::ErrorKind::NotFound => {
            Err(StorageError::LinkToNothing { path: path.to_path_buf() })
        }
        _ => Ok(()),
    }
}

/// Removes what a killed encryption, decryption, backup or restore of the database at `path` left behind. The caller has
/// the folder to itself.
pub(crate) fn drop_unfinished(path: &Path, backup_folder: &Path) {
    drop_with_suffix(path, backup_folder, &[MIGRATING, UNFINISHED]);
}

/// Removes the unfinished backups of the database at `path`: they cannot be searched. A backup that another process is
/// writing at the moment contains the memory before the change, so it has to be made again.
pub fn drop_unfinished_backups(path: &Path, backup_folder: &Path) {
    drop_with_suffix(path, backup_folder, &[UNFINISHED]);
}

fn drop_with_suffix(path: &Path, backup_folder: &Path, suffixes: &[&str]) {
    for file in beside(path).into_iter().chain(files_in(backup_folder)) {
        let name = file.to_string_lossy();
        let name = LOGS.iter().find_map(|log| name.strip_suffix(log)).unwrap_or(&name);
        if suffixes.iter().any(|suffix| name.ends_with(suffix))
            && let Err(error) = std::fs::remove_file(&file)
        {
            tracing::warn!(%error, "could not remove an unfinished file");
        }
    }
}

/// The files in the folder of `path` whose names begin with the name of `path`, without `path` itself.
fn beside(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.file_name() else { return Vec::new() };
    let begin = format!("{}.", name.to_string_lossy());
    let is_beside =
        |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin));
    files_in(path.parent().unwrap_or(Path::new("."))).into_iter().filter(is_beside).collect()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = files.filter_map(Result::ok).map(|file| file.path()).collect();
    files.sort();
    files
}
