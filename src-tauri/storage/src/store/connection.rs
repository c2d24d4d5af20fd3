//! Connections to a database file, and whether its pages are in order.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use secrecy::ExposeSecret;

use crate::key::Key;
use crate::schema;

/// The time that SQLite waits for another program to release the database.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// Sets the key of a connection. This has to be the first statement.
pub(crate) fn unlock(connection: &Connection, key: Option<&Key>) -> rusqlite::Result<()> {
    let Some(key) = key else { return Ok(()) };
    let spec = key.sqlcipher_spec();
    // SQLCipher would print every damaged page to standard error, besides returning the error.
    connection.pragma_update(None, "cipher_log_level", "NONE")?;
    connection.pragma_update(None, "key", spec.expose_secret()).map_err(|_| {
        // The text of SQLite's error might contain the key.
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ERROR), None)
    })
}

/// Opens an existing file while no other process writes to it.
pub(crate) fn open(file: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_with_flags(file, OpenFlags::default() & !OpenFlags::SQLITE_OPEN_CREATE)?;
    unlock(&connection, key)?;
    Ok(connection)
}

/// Opens a connection that only reads.
pub(crate) fn open_reader(file: &Path, key: Option<&Key>) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    unlock(&connection, key)?;
    Ok(connection)
}

/// Returns `true` if a file is a memory with every page in order.
pub(crate) fn is_sound(file: &Path, key: Option<&Key>) -> bool {
    let is_sound = || {
        let connection = open_reader(file, key)?;
        Ok::<_, rusqlite::Error>(
            is_in_order(&connection)? && schema::version(&connection)? >= schema::OLDEST_VERSION,
        )
    };
    is_sound().is_ok_and(|is_sound| is_sound)
}

/// Checks that every page of a database is in order; the error says why it cannot be read.
pub(crate) fn read_through(file: &Path, key: Option<&Key>) -> rusqlite::Result<bool> {
    is_in_order(&open_reader(file, key)?)
}

fn is_in_order(connection: &Connection) -> rusqlite::Result<bool> {
    let result: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    Ok(result == "ok")
}
