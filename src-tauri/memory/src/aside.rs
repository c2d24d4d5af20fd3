//! Files that were set aside: damaged ones, and those that a backup took the place of.

use std::path::{Path, PathBuf};

use crate::backup::read_through;
use crate::cipher::{GROWING, UNFINISHED};
use crate::key::{Key, Place};

/// How their names go on after that of the database, before the time at which they were set aside.
const MARKS: [&str; 2] = [".damaged-", ".replaced-"];

/// How the names of files end that belong to a database, or are not whole.
const BELONGING: [&str; 5] = ["-wal", "-shm", "-journal", GROWING, UNFINISHED];

/// A file that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The file.
    pub path: PathBuf,
    /// Can it be read to its end? Forgetting reaches into it then, and deletes it otherwise. One whose key is missing is
    /// not taken for damaged.
    pub is_sound: bool,
}

/// What was set aside of the database at `place`, by name. Reads them through. Blocking.
pub fn asides(place: impl Into<Place>) -> Vec<Quarantined> {
    let place = place.into();
    let is_read =
        |path: &Path, key: Option<&Key>| read_through(path, key).is_ok_and(|is_in_order| is_in_order);
    let is_readable = |path: &Path| place.key_of(path).map_or(true, |key| is_read(path, key.as_ref()));
    let files = set_aside_files(&place.path).into_iter();
    files.map(|path| Quarantined { is_sound: is_readable(&path), path }).collect()
}

/// Those that can be found, by name.
pub(crate) fn set_aside_files(path: &Path) -> Vec<PathBuf> {
    let Some(Ok(files)) = path.parent().map(std::fs::read_dir) else { return Vec::new() };
    let files = files.filter_map(Result::ok).map(|file| file.path());
    let mut asides: Vec<PathBuf> = files.filter(|file| is_set_aside(path, file)).collect();
    asides.sort();
    asides
}

/// The one that was set aside last.
pub(crate) fn newest_set_aside(path: &Path) -> Option<PathBuf> {
    let when = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        MARKS.iter().find_map(|mark| name.rsplit_once(mark).map(|(_, when)| when.to_owned()))
    };
    set_aside_files(path).into_iter().max_by_key(when)
}

/// Does a file beside the database at `path` say by its name that it was set aside?
pub(crate) fn is_set_aside(path: &Path, file: &Path) -> bool {
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let (Some(own), Some(file)) = (name(path), name(file)) else { return false };
    let rest = file.strip_prefix(&own).unwrap_or_default();
    MARKS.iter().any(|mark| rest.starts_with(mark)) && !BELONGING.iter().any(|end| rest.ends_with(end))
}
