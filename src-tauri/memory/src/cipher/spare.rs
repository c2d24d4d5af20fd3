//! Keys that the keychain may keep though nothing needs them: those of an encryption or a decryption under way.
//!
//! They are noted beside the memory before the keychain takes one and before the last file that needs one goes, so that
//! whoever comes after a kill, or after a keychain that would not forget, knows what is left to be forgotten.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{CAN_ENCRYPT, remove, with_ending};
use crate::backup::every_copy;
use crate::key::{Fingerprint, Header, Place};
use crate::{MemoryError, private};

/// How the note is called that stands beside a memory: a fingerprint a line.
const ENDING: &str = ".keys";

/// Notes that these keys may be left over.
pub(super) fn note(path: &Path, keys: impl IntoIterator<Item = Fingerprint>) -> Result<(), MemoryError> {
    let mut noted = noted(path);
    noted.extend(keys);
    write(path, &noted).map_err(|source| MemoryError::Folder { path: file(path), source })
}

/// Lets the keychain forget what is noted and nothing needs any more. What it does not forget now stays noted, and so does
/// what only a copy needs.
pub(crate) fn forget(place: &Place) {
    let path = &place.path;
    let noted = noted(path);
    // A memory that is gone, or so damaged that nobody can tell, may need any of them.
    if noted.is_empty() || !CAN_ENCRYPT || matches!(Header::of(path), Header::None | Header::Other) {
        return;
    }
    let own = Header::of(path).fingerprint();
    let Some(of_copies) = needed_by_copies(path) else { return };
    let is_left = |key: &Fingerprint| {
        own != Some(*key)
            && (of_copies.contains(key)
                || place.keys.delete(*key).is_err_and(|error| {
                    tracing::warn!(error, "the keychain could not forget a key that nothing needs");
                    true
                }))
    };
    let left = noted.into_iter().filter(is_left).collect();
    if let Err(error) = write(path, &left) {
        tracing::warn!(%error, "which keys are left over could not be noted");
    }
}

/// The keys that the copies of a memory need; `None` when nobody can tell, for they cannot all be found, or one cannot be
/// read or does not say: that may need any key.
pub(super) fn needed_by_copies(path: &Path) -> Option<BTreeSet<Fingerprint>> {
    let copies = every_copy(path)
        .inspect_err(|error| tracing::warn!(%error, "the copies could not be listed, so every key is kept"))
        .ok()?;
    let mut needed = BTreeSet::new();
    for copy in copies {
        match Header::of(&copy) {
            Header::Plain => {}
            Header::Encrypted { fingerprint } => _ = needed.insert(fingerprint),
            Header::None if std::fs::metadata(&copy).is_ok_and(|copy| copy.len() == 0) => {}
            Header::None | Header::Other => {
                tracing::warn!("a copy does not say which key it needs, so every key is kept");
                return None;
            }
        }
    }
    Some(needed)
}

fn file(path: &Path) -> PathBuf {
    with_ending(path, ENDING)
}

fn noted(path: &Path) -> BTreeSet<Fingerprint> {
    let lines = std::fs::read_to_string(file(path)).unwrap_or_default();
    lines.lines().filter_map(Fingerprint::of_hex).collect()
}

fn write(path: &Path, keys: &BTreeSet<Fingerprint>) -> io::Result<()> {
    let file = file(path);
    if keys.is_empty() {
        return remove(&file);
    }
    let lines: String = keys.iter().map(|key| format!("{key}\n")).collect();
    let mut file = private::create(&file)?;
    file.write_all(lines.as_bytes())?;
    file.sync_all()
}
