//! Quarantine: files that were moved out of the way because they were damaged, or because a backup replaced them.

use std::path::{Path, PathBuf};

use crate::copies::quarantined_files;
use crate::error::StorageError;
use crate::files::with_suffix;
use crate::key::Key;
use crate::location::DatabaseLocation;
use crate::store::connection::read_through;

/// A file in quarantine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The file.
    pub path: PathBuf,
    /// `true` if it can be read to its end. Forgetting edits a sound file and deletes another. A file whose key is
    /// missing counts as sound.
    pub is_sound: bool,
}

/// The quarantined files of a database, by name. Reads each of them completely. Blocking.
pub fn quarantined(location: impl Into<DatabaseLocation>) -> Vec<Quarantined> {
    let location = location.into();
    let is_read =
        |path: &Path, key: Option<&Key>| read_through(path, key).is_ok_and(|is_in_order| is_in_order);
    let is_readable = |path: &Path| location.key_of(path).map_or(true, |key| is_read(path, key.as_ref()));
    let files = quarantined_files(&location.path).into_iter();
    files.map(|path| Quarantined { is_sound: is_readable(&path), path }).collect()
}

/// Moves a database and its logs into quarantine. `reason` becomes part of the name. Returns the new path.
pub(crate) fn quarantine(path: &Path, reason: &str) -> Result<PathBuf, StorageError> {
    let stamp = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    let failed = |source| StorageError::Folder { path: path.to_path_buf(), source };
    let mut mark = format!(".{reason}-{stamp}");
    while with_suffix(path, &mark).exists() {
        mark.push('+');
    }
    let quarantined = with_suffix(path, &mark);
    std::fs::rename(path, &quarantined).map_err(failed)?;
    for log in ["-wal", "-shm"] {
        match std::fs::rename(with_suffix(path, log), with_suffix(path, &format!("{mark}{log}"))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    Ok(quarantined)
}
