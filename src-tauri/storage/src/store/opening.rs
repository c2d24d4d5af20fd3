//! Opening the file: checks, migration, and what replaces a damaged file.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use vocabulary::{Stage, Trouble};

use super::connection::{BUSY_TIMEOUT, open_reader, unlock};
use crate::copies::{Backup, backup_folder, backups, copies, is_lost, newest_quarantined};
use crate::encryption::header::Header;
use crate::encryption::rewriting::copy_file;
use crate::error::StorageError;
use crate::files::{LOGS, remove_with_logs, sync_folder_of, with_suffix};
use crate::key::Key;
use crate::location::DatabaseLocation;
use crate::quarantine::quarantine;
use crate::{backup, private, schema};

/// Files up to this size are read completely at each opening; larger ones only after a crash.
///
/// Source: `cargo xtask bench memory`; 115 MB take 0.1 to 0.3 s, 1.15 GB took 2 to 5 s.
const CHECKED_BYTES: u64 = 128 << 20;

/// Page cache of each connection: 16 MB instead of 2, because full-text search reads the same pages repeatedly.
pub(super) const PAGE_CACHE: &str = "PRAGMA cache_size = -16000;";

/// Prepares a migrated file for the records before it is used.
pub type Prepare = fn(&mut Connection) -> rusqlite::Result<()>;

/// For files whose records are not read.
pub fn no_preparation(_: &mut Connection) -> rusqlite::Result<()> {
    Ok(())
}

/// The replacement of a damaged file.
pub(super) struct Replacement {
    pub connection: Connection,
    pub key: Option<Key>,
    pub trouble: Trouble,
}

/// Removes the permissions of other users from files that an older version created with too many.
pub(super) fn restrict_all(path: &Path) {
    let logs = LOGS.map(|log| with_suffix(path, log));
    let files = copies(path).into_iter().chain(logs).chain([path.to_path_buf()]);
    files.for_each(|file| private::restrict(&file));
    private::restrict(&backup_folder(path));
}

/// Replaces a damaged or lost file with the newest sound backup, or with an empty database. A damaged file moves into
/// quarantine.
pub(super) fn replace_damaged(
    location: &DatabaseLocation,
    key: Option<Key>,
    prepare: Prepare,
) -> Result<Replacement, StorageError> {
    let path = &location.path;
    let quarantined_before = newest_quarantined(path);
    let has_backups = !backups(path).is_empty();
    // Before anything is moved: with a locked keychain every encrypted backup looks worthless.
    let backup = backup::newest_sound(location)?;
    let is_encryption_unknown = Header::from_file(path) == Header::Other;
    let key = match &backup {
        // What was encrypted stays encrypted. If damage hides that, the file becomes as the backup is.
        Some((_, backup_key)) if is_encryption_unknown => backup_key.clone(),
        None if is_encryption_unknown => location.key_of_copies(),
        _ => key,
    };
    let partial = path.with_extension("db.part");
    if let Some((backup, backup_key)) = &backup {
        copy_file(&backup.path, backup_key.as_ref(), &partial, key.as_ref())?;
    }
    let replaced = put_in_place(backup.is_some().then_some(partial.as_path()), path);
    if replaced.is_err() {
        // The first error is reported.
        let _ = remove_with_logs(&partial);
    }
    let quarantined = replaced?;
    let connection = open_writer(path, key.as_ref(), prepare).map_err(|failure| failure.into_error(path))?;
    let loss = Loss {
        path,
        quarantined,
        quarantined_before,
        has_backups,
        loses_encryption: is_encryption_unknown && key.is_none(),
    };
    let trouble = loss.trouble(backup.map(|(backup, _)| backup));
    Ok(Replacement { connection, key, trouble })
}

/// Clears the place of the database, and moves the new file to it, if there is one. Returns where the old file is in
/// quarantine; `None` if it was lost.
fn put_in_place(new: Option<&Path>, path: &Path) -> Result<Option<PathBuf>, StorageError> {
    let quarantined = if is_lost(path) {
        // A log without its database is useless: SQLite removes it too.
        remove_with_logs(path)?;
        None
    } else {
        Some(quarantine(path, "damaged")?)
    };
    if let Some(new) = new {
        let failed = |source| StorageError::Folder { path: path.to_path_buf(), source };
        std::fs::rename(new, path).and_then(|()| sync_folder_of(path)).map_err(failed)?;
    }
    Ok(quarantined)
}

/// The loss of a database file, as its user is told.
struct Loss<'a> {
    path: &'a Path,
    /// The place of the damaged file; `None` if the file was gone or empty.
    quarantined: Option<PathBuf>,
    quarantined_before: Option<PathBuf>,
    has_backups: bool,
    /// Without a backup, the new file is not encrypted, though the old one may have been.
    loses_encryption: bool,
}

impl Loss<'_> {
    fn trouble(&self, backup: Option<Backup>) -> Trouble {
        let (what, kept) = self.remains();
        let message = match backup {
            Some(backup) => format!(
                "The memory file {what}, so the backup of {} is in its place.",
                backup.made_at.strftime("%Y-%m-%d at %H:%M UTC")
            ),
            None => {
                let note = if self.loses_encryption { " The new one is not encrypted." } else { "" };
                let no_backup = match self.quarantined.is_none() && self.has_backups {
                    true => "its backups are damaged",
                    false => "there is no backup",
                };
                format!("The memory file {what} and {no_backup}, so a new one was begun.{note}")
            }
        };
        Trouble::new(Stage::Memory, message, kept)
    }

    /// The fate of the old file, and the place where it or an earlier one is kept.
    fn remains(&self) -> (&'static str, String) {
        match &self.quarantined {
            Some(quarantined) => {
                ("was damaged", format!("The damaged file is kept at {}.", quarantined.display()))
            }
            None => {
                let moved =
                    format!("If you moved it, quit Jarvis and put it back at {}.", self.path.display());
                // A run that put a file into quarantine may have been killed before it replaced the file.
                let earlier = self.quarantined_before.as_ref();
                let earlier = earlier.map(|file| format!(" An earlier one is kept at {}.", file.display()));
                ("was gone or empty", moved + &earlier.unwrap_or_default())
            }
        }
    }
}

pub(super) fn make_folder_of(path: &Path) -> Result<(), StorageError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    private::make_folder(folder).map_err(|source| StorageError::Folder { path: folder.to_path_buf(), source })
}

/// Why a file could not be opened.
pub(super) enum OpenFailure {
    Damaged,
    Newer,
    Sqlite(rusqlite::Error),
}

impl OpenFailure {
    pub fn into_error(self, path: &Path) -> StorageError {
        match self {
            Self::Newer => StorageError::Newer { path: path.to_path_buf() },
            Self::Sqlite(error) => StorageError::from_sqlite(path, error),
            Self::Damaged => StorageError::Damaged { path: path.to_path_buf() },
        }
    }
}

impl From<rusqlite::Error> for OpenFailure {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, SchemaChanged};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Self::Damaged,
            // `schema::migrate` reports newer files with this code; SQLite handles its own use of it.
            Some(SchemaChanged) => Self::Newer,
            _ => Self::Sqlite(error),
        }
    }
}

pub(super) fn open_writer(
    path: &Path,
    key: Option<&Key>,
    prepare: Prepare,
) -> Result<Connection, OpenFailure> {
    let needs_check = needs_check(path);
    if !path.exists() {
        // If it cannot be created, SQLite reports why.
        let _ = private::create_if_missing(path);
    }
    let mut connection = Connection::open(path)?;
    unlock(&connection, key)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    if needs_check {
        let healthy: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if healthy != "ok" {
            return Err(OpenFailure::Damaged);
        }
    }
    // FULL, not NORMAL: acknowledged writes survive a power cut, not only a crash.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
         PRAGMA secure_delete = ON;",
    )?;
    connection.execute_batch(PAGE_CACHE)?;
    let version = schema::version(&connection)?;
    if (1..schema::NEWEST_VERSION).contains(&version) {
        // SQLite rolls back a migration that fails; this backup is for one that does something wrong.
        let now = jiff::Timestamp::now().as_microsecond();
        backup::copy(&connection, path, key, now)?;
    }
    schema::migrate(&mut connection)?;
    prepare(&mut connection)?;
    Ok(connection)
}

/// Returns `true` if the file is read completely before use. A large file is only read if it was not closed properly,
/// which leaves its log behind; other damage is found by [`check`](super::check), and when the damaged part is read.
fn needs_check(path: &Path) -> bool {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    bytes <= CHECKED_BYTES || with_suffix(path, "-wal").exists()
}

/// Opens a connection of the reader pool.
pub(super) fn open_pooled_reader(path: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
    let connection = open_reader(path, key)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch(PAGE_CACHE)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_file_is_checked_only_after_unclean_shutdown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        std::fs::File::create(&path).unwrap().set_len(CHECKED_BYTES + 1).unwrap();

        assert!(!needs_check(&path));
        std::fs::write(folder.path().join("jarvis.db-wal"), "").unwrap();
        assert!(needs_check(&path));
    }
}
