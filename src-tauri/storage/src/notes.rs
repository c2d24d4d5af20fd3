//! Small values about the file itself, by name.

use rusqlite::{Connection, OptionalExtension, params};

/// Set while the copies still have to forget something: the time of the request, in microseconds since 1970 UTC.
///
/// Backups leave it out: a copy has no copies of its own.
pub const COPIES_HAVE_TO_FORGET: &str = "backups_have_to_forget";

/// File names of copies that could not be reached when they had to forget: one line per request. Backups leave it out.
pub const COPIES_OUT_OF_REACH: &str = "copies_out_of_reach";

/// The value of a note; `None` when it is not set.
pub fn note(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let mut select = connection.prepare_cached("SELECT value FROM notes WHERE name = ?1")?;
    select.query_row([name], |row| row.get(0)).optional()
}

/// Sets a note, replacing its old value.
pub fn set_note(connection: &Connection, name: &str, value: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO notes (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    connection.prepare_cached(sql)?.execute(params![name, value]).map(|_| ())
}

/// Deletes a note, if it is set.
pub fn delete_note(connection: &Connection, name: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM notes WHERE name = ?1")?.execute([name]).map(|_| ())
}
