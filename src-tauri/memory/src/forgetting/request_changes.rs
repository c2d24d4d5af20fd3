//! Changes of meals, appointments, to-dos and facts that requests made, and undoing those of the newest request.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;
use vocabulary::ConversationId;

use super::restoring::restore;
use super::since::without_forgotten_since;
use super::undo_records::{NEW, RequestMark, Rows, expire, id_of, kind_of};
use crate::MemoryError;
use crate::error::Refusal;
use crate::forgetting::request::UndoId;
use crate::item::RecordKind;
use crate::memory::Memory;

/// Something that undoing removed or gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneItem {
    /// The kind of the changed record.
    pub kind: RecordKind,
    /// Its name: the label of an appointment, the text of a to-do, the description of a meal, the words of
    /// the user that a fact was taken from. Empty if it has none.
    pub name: String,
    /// The request had added it, so it is gone; else it is as it was before.
    pub was_added: bool,
}

impl Memory {
    /// The same memory, for the changes of a request: those of lists and facts can be undone for ten
    /// minutes.
    pub fn in_request(&self, conversation: &ConversationId, asked_at_micros: i64) -> Self {
        let mark = RequestMark { conversation: conversation.0.clone(), asked_at_micros };
        Self { request: Some(mark.into()), ..self.clone() }
    }

    /// The time of the newest request of a conversation with changes that can be undone.
    pub async fn newest_change(
        &self,
        conversation: &ConversationId,
        now_micros: i64,
    ) -> Result<Option<i64>, MemoryError> {
        let name = conversation.0.clone();
        self.change(move |changing| {
            expire(changing, now_micros)?;
            Ok(newest(changing, &name)?)
        })
        .await
    }

    /// Undoes all changes of the request of this time. What is over, such as a timer that has rung, stays as it is. Returns
    /// what was undone.
    pub async fn undo_changes(
        &self,
        conversation: &ConversationId,
        asked_at_micros: i64,
    ) -> Result<Vec<UndoneItem>, MemoryError> {
        let name = conversation.0.clone();
        self.change(move |changing| {
            let mut undone = Vec::new();
            for (id, rows) in records(changing, &name, asked_at_micros)? {
                let rows: Rows = serde_json::from_str(&rows)
                    .map_err(|error| Refusal::Unreadable(format!("the undo record is damaged: {error}")))?;
                let mut rows = without_forgotten_since(changing, UndoId(id), rows)?;
                let mut left = Vec::new();
                for (table, row) in rows.rows {
                    if let Some(item) = undone_item(changing, &table, &row)? {
                        undone.push(item);
                        left.push((table, row));
                    }
                }
                rows.rows = left;
                restore(changing, &rows)?;
                changing.execute("DELETE FROM undo WHERE id = ?1", [id])?;
            }
            Ok(undone)
        })
        .await
    }
}

fn newest(connection: &Connection, conversation: &str) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT max(asked_at) FROM undo WHERE conversation = ?1";
    connection.prepare_cached(sql)?.query_row([conversation], |row| row.get(0))
}

/// The records of a request, the newest first.
fn records(
    connection: &Connection,
    conversation: &str,
    asked_at: i64,
) -> rusqlite::Result<Vec<(i64, String)>> {
    let sql = "SELECT id, rows FROM undo WHERE conversation = ?1 AND asked_at = ?2 ORDER BY id DESC";
    let mut select = connection.prepare_cached(sql)?;
    select.query_map(params![conversation, asked_at], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The user's words behind a fact, the newest ones.
const QUOTE: &str = "coalesce((SELECT quote FROM evidence WHERE fact = facts.id ORDER BY observed_at DESC, id DESC LIMIT 1), '')";

/// A row of a record, if undoing it changes anything.
fn undone_item(
    connection: &Connection,
    table: &str,
    row: &serde_json::Map<String, Value>,
) -> rusqlite::Result<Option<UndoneItem>> {
    let was_added = table.starts_with(NEW);
    let table = table.trim_start_matches(NEW);
    let (Some(kind), Some(id)) = (kind_of(table), id_of(row)) else { return Ok(None) };
    let (name, is_there) = match kind {
        RecordKind::Meal => ("description", "1"),
        RecordKind::Appointment => ("label", "status IN ('waiting', 'rung')"),
        RecordKind::Fact => (QUOTE, "status = 'current'"),
        _ => ("text", "1"),
    };
    // A fact keeps its evidence when a newer one takes its place.
    if !was_added && kind != RecordKind::Fact {
        let name = row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        return Ok(Some(UndoneItem { kind, name, was_added }));
    }
    let is_there = if was_added { is_there } else { "1" };
    let sql = format!("SELECT {name} FROM {table} WHERE id = ?1 AND {is_there}");
    let name: Option<String> =
        connection.prepare_cached(&sql)?.query_row([id], |row| row.get(0)).optional()?;
    Ok(name.map(|name| UndoneItem { kind, name, was_added }))
}
