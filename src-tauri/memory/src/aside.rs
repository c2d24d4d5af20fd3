//! Files that were set aside: damaged ones, and those that a backup took the place of.

use std::path::{Path, PathBuf};

use crate::backup::is_sound;
use crate::cipher::{GROWING, UNFINISHED};
use crate::key::Place;

/// How their names go on after that of the database, before the time at which they were set aside.
const MARKS: [&str; 2] = [".damaged-", ".replaced-"];

/// How the names of files end that belong to a database, or are not whole.
const BELONGING: [&str; 5] = ["-wal", "-shm", "-journal", GROWING, UNFINISHED];

/// A file that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    /// The file.
    pub path: PathBuf,
    /// Can it be read to its end? Forgetting reaches into it then, and deletes it otherwise. One whose key is missing is
    /// not taken for damaged.
    pub is_sound: bool,
}

/// What was set aside of the database at `place`, by name. Reads them through. Blocking.
pub fn asides(place: impl Into<Place>) -> Vec<Aside> {
    let place = place.into();
    let is_readable = |path: &Path| place.key_of(path).map_or(true, |key| is_sound(path, key.as_ref()));
    let files = set_aside_files(&place.path).into_iter();
    files.map(|path| Aside { is_sound: is_readable(&path), path }).collect()
}

pub(crate) fn set_aside_files(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let Some(Ok(files)) = path.parent().map(std::fs::read_dir) else { return Vec::new() };
    let is_one = |file: &str| {
        let rest = file.strip_prefix(name).unwrap_or_default();
        MARKS.iter().any(|mark| rest.starts_with(mark)) && !BELONGING.iter().any(|end| rest.ends_with(end))
    };
    let names = files.filter_map(Result::ok).filter(|file| file.file_name().to_str().is_some_and(is_one));
    let mut asides: Vec<PathBuf> = names.map(|file| file.path()).collect();
    asides.sort();
    asides
}
