//! The text of an item as the search tables hold it.

use rusqlite::{Connection, OptionalExtension};

use crate::item::{ItemId, RecordKind};

pub(crate) struct IndexedText {
    pub text: String,
    pub at: i64,
}

/// Text and time of an item; `None` for a missing item, or one on a list.
pub(crate) fn indexed(connection: &Connection, item: ItemId) -> rusqlite::Result<Option<IndexedText>> {
    let sql = match item.kind {
        RecordKind::Message => "SELECT text, said_at FROM messages WHERE id = ?1",
        RecordKind::Diary => {
            "SELECT summary || char(10) || topics, (unixepoch(day) + 43200) * 1000000 FROM diary WHERE id = ?1"
        }
        // Facts that no longer hold are kept as history, but not found.
        RecordKind::Fact => "SELECT text, valid_from FROM facts WHERE id = ?1 AND status = 'current'",
        RecordKind::Node => {
            "SELECT name || char(10) || description, updated_at FROM nodes WHERE id = ?1 AND id > 4"
        }
        RecordKind::Meal | RecordKind::Appointment | RecordKind::Todo => return Ok(None),
    };
    let mut select = connection.prepare_cached(sql)?;
    select.query_row([item.row], |row| Ok(IndexedText { text: row.get(0)?, at: row.get(1)? })).optional()
}
