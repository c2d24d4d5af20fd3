//! One remembered thing, whatever its kind, as it is shown and searched.

use rusqlite::{Connection, OptionalExtension};
use vocabulary::Private;

use crate::graph;
use crate::item::{ItemId, Kind};

/// One remembered thing.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryItem {
    /// Its name.
    pub id: ItemId,
    /// What is remembered.
    pub text: Private<String>,
    /// When it was said, learned or written; when a meal was eaten, when an appointment is due: microseconds since 1970 UTC.
    pub at_micros: i64,
    /// Who said it, the diary's day and topics, the path of a fact, the list of a to-do, or what an appointment is.
    pub context: Private<String>,
}

/// What the search tables hold of an item.
pub(crate) struct Indexed {
    pub text: String,
    pub at: i64,
}

/// The text of an item as it is searched, and its time; `None` when there is no such item, or it stands on a list.
pub(crate) fn indexed(connection: &Connection, item: ItemId) -> rusqlite::Result<Option<Indexed>> {
    let sql = match item.kind {
        Kind::Message => "SELECT text, said_at FROM messages WHERE id = ?1",
        Kind::Diary => {
            "SELECT summary || char(10) || topics, (unixepoch(day) + 43200) * 1000000 FROM diary WHERE id = ?1"
        }
        // What no longer holds is kept for its history, and not found.
        Kind::Fact => "SELECT text, valid_from FROM facts WHERE id = ?1 AND status = 'current'",
        Kind::Node => {
            "SELECT name || char(10) || description, updated_at FROM nodes WHERE id = ?1 AND id > 4"
        }
        Kind::Meal | Kind::Appointment | Kind::Todo => return Ok(None),
    };
    let mut select = connection.prepare_cached(sql)?;
    select.query_row([item.row], |row| Ok(Indexed { text: row.get(0)?, at: row.get(1)? })).optional()
}

/// An item as it is shown; `None` when there is no such item.
pub(crate) fn remembered(connection: &Connection, id: ItemId) -> rusqlite::Result<Option<MemoryItem>> {
    let sql = match id.kind {
        Kind::Message => "SELECT text, said_at, speaker FROM messages WHERE id = ?1",
        Kind::Diary => {
            "SELECT summary, (unixepoch(day) + 43200) * 1000000, day || CASE topics WHEN '' THEN '' ELSE ' (' || topics || ')' END
             FROM diary WHERE id = ?1"
        }
        Kind::Fact => "SELECT text, valid_from, node FROM facts WHERE id = ?1",
        Kind::Node => {
            "SELECT name || CASE description WHEN '' THEN '' ELSE ': ' || description END, updated_at, id
             FROM nodes WHERE id = ?1"
        }
        Kind::Meal => "SELECT description, eaten_at, 'meal' FROM meals WHERE id = ?1",
        Kind::Appointment => "SELECT label, due_at, kind FROM appointments WHERE id = ?1",
        Kind::Todo => "SELECT text, created_at, list FROM todos WHERE id = ?1",
    };
    let mut select = connection.prepare_cached(sql)?;
    let found = select
        .query_row([id.row], |row| {
            let context = match id.kind {
                Kind::Fact | Kind::Node => graph::path(connection, row.get(2)?)?,
                Kind::Message | Kind::Diary | Kind::Meal | Kind::Appointment | Kind::Todo => row.get(2)?,
            };
            Ok(MemoryItem {
                id,
                text: Private(row.get(0)?),
                at_micros: row.get(1)?,
                context: Private(context),
            })
        })
        .optional()?;
    Ok(found)
}
