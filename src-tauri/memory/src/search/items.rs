//! Items as they are shown, whatever their kind.

use rusqlite::{Connection, OptionalExtension};
use vocabulary::Private;

use crate::MemoryError;
use crate::graph::nodes;
use crate::item::{ItemId, MemoryItem, RecordKind};
use crate::memory::Memory;

impl Memory {
    /// The item with this id.
    pub async fn item(&self, id: ItemId) -> Result<Option<MemoryItem>, MemoryError> {
        self.read(move |connection| memory_item(connection, id)).await
    }
}

pub(crate) fn memory_item(connection: &Connection, id: ItemId) -> rusqlite::Result<Option<MemoryItem>> {
    let sql = match id.kind {
        RecordKind::Message => "SELECT text, said_at, speaker FROM messages WHERE id = ?1",
        RecordKind::Diary => {
            "SELECT summary, (unixepoch(day) + 43200) * 1000000, day || CASE topics WHEN '' THEN '' ELSE ' (' || topics || ')' END
             FROM diary WHERE id = ?1"
        }
        RecordKind::Fact => "SELECT text, valid_from, node FROM facts WHERE id = ?1",
        RecordKind::Node => {
            "SELECT name || CASE description WHEN '' THEN '' ELSE ': ' || description END, updated_at, id
             FROM nodes WHERE id = ?1"
        }
        RecordKind::Meal => "SELECT description, eaten_at, 'meal' FROM meals WHERE id = ?1",
        RecordKind::Appointment => {
            "SELECT label, due_at, kind || iif(paused_at IS NULL, '', ' (paused)') FROM appointments WHERE id = ?1"
        }
        RecordKind::Todo => "SELECT text, created_at, list FROM todos WHERE id = ?1",
    };
    let mut select = connection.prepare_cached(sql)?;
    let found = select
        .query_row([id.row], |row| {
            let context = match id.kind {
                RecordKind::Fact | RecordKind::Node => nodes::path(connection, row.get(2)?)?,
                RecordKind::Message
                | RecordKind::Diary
                | RecordKind::Meal
                | RecordKind::Appointment
                | RecordKind::Todo => row.get(2)?,
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
