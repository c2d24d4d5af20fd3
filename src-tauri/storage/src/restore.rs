//! Restoring: a backup replaces the database.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::encryption::header::Header;
use crate::encryption::rewriting::copy_file;
use crate::error::StorageError;
use crate::files::{refuse_dangling_link, remove_with_logs, sync_folder_of};
use crate::key::Key;
use crate::location::DatabaseLocation;
use crate::notes::{COPIES_HAVE_TO_FORGET, COPIES_OUT_OF_REACH, note, set_note};
use crate::quarantine::quarantine;
use crate::schema;
use crate::store::connection::{is_sound, open};

/// Replaces the database with a backup and moves the old file into quarantine, never deletes it. Returns where it is;
/// `None` when there was no old file. An encrypted memory stays encrypted and an unencrypted one unencrypted, whatever
/// the backup is. The caller owns the folder: no other process may use the database meanwhile. Blocking.
///
/// When it fails, nothing was changed.
pub fn restore(
    location: impl Into<DatabaseLocation>,
    backup: &Path,
) -> Result<Option<PathBuf>, StorageError> {
    let location = location.into();
    let path = &location.path;
    refuse_dangling_link(path)?;
    let backup_key = location.key_of(backup)?;
    let key = match Header::from_file(path) {
        Header::None | Header::Other => backup_key.clone(),
        Header::Unencrypted | Header::Encrypted { .. } => location.key_of(path)?,
    };
    if !is_sound(backup, backup_key.as_ref()) {
        return Err(StorageError::Damaged { path: backup.to_path_buf() });
    }
    let version = open(backup, backup_key.as_ref()).and_then(|connection| schema::version(&connection));
    if version.map_err(|error| StorageError::from_sqlite(backup, error))? > schema::NEWEST_VERSION {
        return Err(StorageError::Newer { path: backup.to_path_buf() });
    }
    let partial = path.with_extension("db.part");
    copy_file(backup, backup_key.as_ref(), &partial, key.as_ref())?;
    let replaced = carry_over(path, &partial, key.as_ref())
        .map_err(|error| StorageError::from_sqlite(&partial, error))
        .and_then(|()| replace(path, &partial, key.as_ref()));
    if replaced.is_err() {
        // The first error is reported.
        let _ = remove_with_logs(&partial);
    }
    replaced
}

/// Replaces the memory at `path` with a complete file and moves the old file into quarantine.
fn replace(path: &Path, complete: &Path, key: Option<&Key>) -> Result<Option<PathBuf>, StorageError> {
    let failed = |source| StorageError::Folder { path: path.to_path_buf(), source };
    let quarantined = match path.exists() {
        true => {
            if let Ok(connection) = open(path, key) {
                // Undo records contain what was forgotten. A file that is too old has no such table.
                let _ = connection.execute_batch("PRAGMA secure_delete = ON; DELETE FROM undo;");
                // Voices were taken over. A voice that is removed later must not be left here.
                let _ = connection.execute_batch("DELETE FROM voices;");
                // The log belongs to the file. If this fails, the log moves into quarantine with it.
                let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);");
            }
            Some(quarantine(path, "replaced")?)
        }
        false => None,
    };
    std::fs::rename(complete, path).and_then(|()| sync_folder_of(path)).map_err(|error| {
        if let Some(quarantined) = &quarantined {
            // The first error is reported.
            let _ = std::fs::rename(quarantined, path);
        }
        failed(error)
    })?;
    Ok(quarantined)
}

/// Copies the notes about what the copies still have to forget, and the enrolled voices, which are in no backup, to the file
/// that replaces the memory at `path`. Nothing can be read from a damaged memory.
fn carry_over(path: &Path, partial: &Path, key: Option<&Key>) -> rusqlite::Result<()> {
    const NOTES: [&str; 2] = [COPIES_HAVE_TO_FORGET, COPIES_OUT_OF_REACH];
    if !path.exists() {
        return Ok(());
    }
    let read = || {
        let connection = open(path, key)?;
        let notes = [note(&connection, NOTES[0])?, note(&connection, NOTES[1])?];
        // An older memory has no voices.
        Ok((notes, voices_of(&connection).unwrap_or_default()))
    };
    let (values, voices) = read().unwrap_or_else(|error: rusqlite::Error| {
        tracing::warn!(%error, "could not read what the copies still have to forget");
        ([None, None], Vec::new())
    });
    if values.iter().all(Option::is_none) && voices.is_empty() {
        return Ok(());
    }
    let mut connection = open(partial, key)?;
    connection.execute_batch("PRAGMA journal_mode = DELETE;")?;
    schema::migrate(&mut connection)?;
    for (name, value) in NOTES.into_iter().zip(values) {
        if let Some(value) = value {
            set_note(&connection, name, &value)?;
        }
    }
    for (name, embedding) in voices {
        connection
            .execute("INSERT OR REPLACE INTO voices (name, embedding) VALUES (?1, ?2)", (name, embedding))?;
    }
    connection.close().map_err(|(_, error)| error)
}

/// The enrolled voices, as the file has them.
fn voices_of(connection: &Connection) -> rusqlite::Result<Vec<(String, Vec<u8>)>> {
    let mut select = connection.prepare("SELECT name, embedding FROM voices")?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}
