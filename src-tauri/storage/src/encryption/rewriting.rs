//! Copying a database into a new file, with another key or none.

use std::path::Path;

use rusqlite::{Connection, params};
use secrecy::ExposeSecret;

use super::header::Header;
use crate::error::StorageError;
use crate::files::{remove, sync};
use crate::key::Key;
use crate::private;
use crate::store::connection::{is_sound, open};

/// Copies a database while no process writes to it. `from_key` opens the original, `to_key` will open the copy. When it fails, there
/// is no copy.
pub(crate) fn copy_file(
    from: &Path,
    from_key: Option<&Key>,
    to: &Path,
    to_key: Option<&Key>,
) -> Result<(), StorageError> {
    let is_same_key = match (from_key, to_key) {
        (None, None) => true,
        (Some(_), Some(key)) => Header::from_file(from).is_encrypted_with(key),
        _ => false,
    };
    if is_same_key {
        let copied = private::create(to).and_then(|_| std::fs::copy(from, to)).and_then(|_| sync(to));
        private::restrict(to);
        return copied.map_err(|source| {
            // The first error is reported.
            let _ = remove(to);
            StorageError::Folder { path: to.to_path_buf(), source }
        });
    }
    let source = open(from, from_key).map_err(|error| StorageError::from_sqlite(from, error))?;
    rewrite(&source, from, to, to_key)
}

/// Writes everything in `source`, which is the database of `from`, to a new file and checks it.
pub(crate) fn rewrite(
    source: &Connection,
    from: &Path,
    to: &Path,
    key: Option<&Key>,
) -> Result<(), StorageError> {
    let failed = |source| StorageError::Folder { path: to.to_path_buf(), source };
    remove(to).and_then(|()| private::create_if_missing(to)).map_err(failed)?;
    let written = export(source, to, key)
        .map_err(|error| StorageError::from_sqlite(to, error))
        .and_then(|()| sync(to).map_err(failed))
        .and_then(|()| match is_sound(to, key) {
            true => Ok(()),
            // The cause is the original, or the disk.
            false => Err(StorageError::Damaged { path: from.to_path_buf() }),
        });
    if written.is_err() {
        // The first error is reported.
        let _ = remove(to);
    }
    written
}

fn export(source: &Connection, to: &Path, key: Option<&Key>) -> rusqlite::Result<()> {
    let spec = key.map(Key::sqlcipher_spec);
    let spec = spec.as_ref().map_or("", |spec| spec.expose_secret());
    source.execute("ATTACH ?1 AS copy KEY ?2", params![to.to_string_lossy(), spec])?;
    let exported = export_attached(source);
    let detached = source.execute_batch("DETACH copy");
    exported.and(detached)
}

fn export_attached(source: &Connection) -> rusqlite::Result<()> {
    let version: i64 = source.query_row("PRAGMA main.user_version", [], |row| row.get(0))?;
    // Without a log: an incomplete copy is thrown away.
    source.execute_batch("PRAGMA copy.journal_mode = OFF;")?;
    source.query_row("SELECT sqlcipher_export('copy')", [], |_| Ok(()))?;
    source.pragma_update(Some("copy"), "user_version", version)?;
    let mut tables =
        source.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0")?;
    let tables = tables.query_map([], |row| row.get::<_, String>(0))?;
    for table in tables {
        let table = table?.replace('"', "\"\"");
        let rows = |schema: &str| {
            let sql = format!("SELECT count(*) FROM {schema}.\"{table}\"");
            source.query_row(&sql, [], |row| row.get::<_, i64>(0))
        };
        if rows("main")? != rows("copy")? {
            let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            return Err(rusqlite::Error::SqliteFailure(code, None));
        }
    }
    Ok(())
}
