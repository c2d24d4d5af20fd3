//! Finding the copies of a database by their names: backups, and files in quarantine.

use std::path::{Path, PathBuf};

use jiff::civil::DateTime;

use crate::files::{LOGS, MIGRATING, UNFINISHED};

/// Backups are named `jarvis-20251122-120000.db`, by the time they were made, UTC.
pub(crate) const BACKUP_PREFIX: &str = "jarvis-";
pub(crate) const BACKUP_SUFFIX: &str = ".db";
pub(crate) const BACKUP_TIME: &str = "%Y%m%d-%H%M%S";

/// Quarantined files are named after the database, one of these marks, and the time.
const QUARANTINE_MARKS: [&str; 2] = [".damaged-", ".replaced-"];

/// A backup that Jarvis made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The file.
    pub path: PathBuf,
    /// When it was made, UTC.
    pub made_at: DateTime,
    /// Size in bytes.
    pub bytes: u64,
}

/// The folder with the backups of the database at `path`.
pub fn backup_folder(path: &Path) -> PathBuf {
    path.with_file_name("backups")
}

/// The backups of the database at `path`, newest first. Other files in the folder are ignored.
pub fn backups(path: &Path) -> Vec<Backup> {
    let Ok(files) = std::fs::read_dir(backup_folder(path)) else { return Vec::new() };
    let mut backups: Vec<Backup> = files
        .filter_map(Result::ok)
        .filter_map(|file| {
            let path = file.path();
            Some(Backup { made_at: made_at(&path)?, path, bytes: file.metadata().ok()?.len() })
        })
        .collect();
    backups.sort_by_key(|backup| std::cmp::Reverse(backup.made_at));
    backups
}

/// When a backup was made, according to its name; `None` for other files.
fn made_at(file: &Path) -> Option<DateTime> {
    let stamp = file.file_name()?.to_str()?.strip_prefix(BACKUP_PREFIX)?.strip_suffix(BACKUP_SUFFIX)?;
    DateTime::strptime(BACKUP_TIME, stamp).ok()
}

/// Every copy of the database at `path` that Jarvis made: backups, and files in quarantine.
pub fn copies(path: &Path) -> Vec<PathBuf> {
    let backups = backups(path).into_iter().map(|backup| backup.path);
    backups.chain(quarantined_files(path)).collect()
}

/// The same for callers that must not miss any: fails when a folder could not be read to its end.
pub(crate) fn every_copy(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let is_backup = |file: &Path| made_at(file).is_some();
    let mut copies = files_in(&backup_folder(path), is_backup)?;
    if let Some(folder) = path.parent() {
        copies.extend(files_in(folder, |file| is_quarantined(path, file))?);
    }
    Ok(copies)
}

/// The matching files of a folder; none when the folder is missing.
fn files_in(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> std::io::Result<Vec<PathBuf>> {
    let files = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files?,
    };
    let mut wanted = Vec::new();
    for file in files {
        let file = file?.path();
        if is_wanted(&file) {
            wanted.push(file);
        }
    }
    Ok(wanted)
}

/// The quarantined files of the database at `path`, by name.
pub(crate) fn quarantined_files(path: &Path) -> Vec<PathBuf> {
    let Some(Ok(files)) = path.parent().map(std::fs::read_dir) else { return Vec::new() };
    let files = files.filter_map(Result::ok).map(|file| file.path());
    let mut quarantined: Vec<PathBuf> = files.filter(|file| is_quarantined(path, file)).collect();
    quarantined.sort();
    quarantined
}

/// The file that was quarantined last.
pub(crate) fn newest_quarantined(path: &Path) -> Option<PathBuf> {
    let when = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        QUARANTINE_MARKS.iter().find_map(|mark| name.rsplit_once(mark).map(|(_, when)| when.to_owned()))
    };
    quarantined_files(path).into_iter().max_by_key(when)
}

/// Returns `true` if the name of `file` says that it is a quarantined version of the database at `path`.
fn is_quarantined(path: &Path, file: &Path) -> bool {
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let (Some(own), Some(file)) = (name(path), name(file)) else { return false };
    let rest = file.strip_prefix(&own).unwrap_or_default();
    let mut not_whole = LOGS.iter().chain([&MIGRATING, &UNFINISHED]);
    QUARANTINE_MARKS.iter().any(|mark| rest.starts_with(mark)) && !not_whole.any(|end| rest.ends_with(end))
}

/// Returns `true` if the database at `path` is missing or empty although backups or quarantined files show that there
/// was one. A user who wants a new memory moves those files too.
pub(crate) fn is_lost(path: &Path) -> bool {
    let is_nothing = match std::fs::metadata(path) {
        Ok(file) => file.is_file() && file.len() == 0,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    is_nothing && (!backups(path).is_empty() || newest_quarantined(path).is_some())
}
