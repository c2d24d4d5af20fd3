//! The entries of a folder.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::glob::Glob;
use super::home_folder::{HomeFolder, Place};
use super::refusal::FileRefusal;

/// Entries that are shown. Source: docs/behaviour/tools.md#files.
const SHOWN: usize = 50;

/// Entries that are looked at: more take seconds, and a pattern that narrows them down helps the user more.
const MAX_VISITED: usize = 20_000;

/// Folders within each other that are looked into.
const MAX_DEPTH: usize = 16;

/// Some entries of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listing {
    /// One line for each of the first entries, in the order of their names.
    pub lines: Vec<String>,
    /// The number of entries that fit and are not shown.
    pub left_out: usize,
    /// There were too many entries to look at all of them.
    pub is_cut: bool,
}

/// Lists a folder, or names a file. Links are named, not followed. Blocks.
pub(super) fn list(
    home: &HomeFolder,
    place: &Place,
    glob: &Glob,
    is_recursive: bool,
    stop: &CancellationToken,
) -> Result<Listing, FileRefusal> {
    let of_place = |error| FileRefusal::new(&place.written, error);
    if !place.path.metadata().map_err(of_place)?.is_dir() {
        let name = Path::new(place.path.file_name().unwrap_or_default());
        return Ok(Listing { lines: vec![line(name, false)], left_out: 0, is_cut: false });
    }
    let is_deep = is_recursive || glob.has_folders();
    let mut found: Vec<(PathBuf, bool)> = Vec::new();
    let (mut waiting, mut visited) = (vec![(place.path.clone(), 0)], 0);
    while let Some((folder, depth)) = waiting.pop() {
        if stop.is_cancelled() {
            return Err(FileRefusal::Stopped);
        }
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(of_place(error)),
            // A folder that vanished or is closed has nothing to show; the others have.
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            visited += 1;
            if visited > MAX_VISITED {
                return Ok(listing(found, true));
            }
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let below = path.strip_prefix(&place.path).unwrap_or(&path);
            if glob.fits(below) {
                found.push((below.to_path_buf(), path.is_dir()));
            }
            if is_deep && is_folder && depth < MAX_DEPTH && !home.is_closed(&path) {
                waiting.push((path, depth + 1));
            }
        }
    }
    Ok(listing(found, false))
}

fn listing(mut found: Vec<(PathBuf, bool)>, is_cut: bool) -> Listing {
    found.sort();
    let lines = found.iter().take(SHOWN).map(|(path, is_folder)| line(path, *is_folder)).collect();
    Listing { lines, left_out: found.len().saturating_sub(SHOWN), is_cut }
}

/// The line of an entry. A name may hold any sign but must not begin another line.
fn line(path: &Path, is_folder: bool) -> String {
    let kind = if is_folder { "DIR" } else { "FILE" };
    let name = path.to_string_lossy().replace(char::is_control, "\u{fffd}");
    format!("{kind}: {name}")
}
