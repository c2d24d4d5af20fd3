//! Keys that may remain in the keychain after an interrupted encryption or decryption, although they are no longer needed.
//!
//! They are listed in a file beside the memory before the keychain stores a key, and before the last file that needs a key
//! is replaced. So after a kill, or when the keychain failed to delete a key, the next run knows which keys to delete.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::header::Header;
use crate::copies::every_copy;
use crate::error::StorageError;
use crate::files::{remove, with_suffix};
use crate::key::Fingerprint;
use crate::location::DatabaseLocation;
use crate::private;

/// Suffix of the list: one fingerprint per line.
const SUFFIX: &str = ".keys";

/// Adds keys to the list.
pub(crate) fn note(path: &Path, keys: impl IntoIterator<Item = Fingerprint>) -> Result<(), StorageError> {
    let mut noted = noted(path);
    noted.extend(keys);
    write(path, &noted).map_err(|source| StorageError::Folder { path: list(path), source })
}

/// Deletes listed keys that nothing needs from the keychain. Keys that could not be deleted stay on the list, and so do
/// keys that only a copy needs.
pub(crate) fn delete_unneeded(location: &DatabaseLocation) {
    let path = &location.path;
    let noted = noted(path);
    // A memory that is missing, or too damaged to tell, may need any of them.
    if noted.is_empty()
        || !cfg!(feature = "encryption")
        || matches!(Header::from_file(path), Header::None | Header::Other)
    {
        return;
    }
    let own = Header::from_file(path).fingerprint();
    let Some(of_copies) = needed_by_copies(path) else { return };
    let is_left = |key: &Fingerprint| {
        own != Some(*key)
            && (of_copies.contains(key)
                || location.keys.delete(*key).is_err_and(|error| {
                    tracing::warn!(error, "the keychain could not delete a key that is no longer needed");
                    true
                }))
    };
    let left = noted.into_iter().filter(is_left).collect();
    if let Err(error) = write(path, &left) {
        tracing::warn!(%error, "could not write the list of leftover keys");
    }
}

/// The keys that the copies of a memory need. `None` is unknown: the copies cannot be listed, or the header of one cannot be
/// read, so any key may be needed.
pub(crate) fn needed_by_copies(path: &Path) -> Option<BTreeSet<Fingerprint>> {
    let copies = every_copy(path)
        .inspect_err(|error| tracing::warn!(%error, "could not list the copies, so every key is kept"))
        .ok()?;
    let mut needed = BTreeSet::new();
    for copy in copies {
        match Header::from_file(&copy) {
            Header::Unencrypted => {}
            Header::Encrypted { fingerprint } => _ = needed.insert(fingerprint),
            Header::None if std::fs::metadata(&copy).is_ok_and(|copy| copy.len() == 0) => {}
            Header::None | Header::Other => {
                tracing::warn!("the key of a copy is unknown, so every key is kept");
                return None;
            }
        }
    }
    Some(needed)
}

fn list(path: &Path) -> PathBuf {
    with_suffix(path, SUFFIX)
}

fn noted(path: &Path) -> BTreeSet<Fingerprint> {
    let lines = std::fs::read_to_string(list(path)).unwrap_or_default();
    lines.lines().filter_map(Fingerprint::from_hex).collect()
}

fn write(path: &Path, keys: &BTreeSet<Fingerprint>) -> io::Result<()> {
    let list = list(path);
    if keys.is_empty() {
        return remove(&list);
    }
    let lines: String = keys.iter().map(|key| format!("{key}\n")).collect();
    let mut file = private::create(&list)?;
    file.write_all(lines.as_bytes())?;
    file.sync_all()
}
