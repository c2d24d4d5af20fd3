//! Restoring saved rows among everything that changed since.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde_json::{Map, Value};

use super::undo_records::{NEW, ONLY, Rows, cell_from_json, id_of, kind_of, number};
use crate::graph::structure::Branch;
use crate::item::{ItemId, RecordKind};
use crate::memory::WriteTransaction;
use crate::search::indexed_text::indexed;

/// Restores rows and indexes them. Later changes stay: a row that refers to missing rows is restored without the reference, or
/// not at all if it is meaningless alone. Messages that were added to a restored diary entry meanwhile become pending.
pub(super) fn restore(changing: &mut WriteTransaction<'_>, rows: &Rows) -> rusqlite::Result<Vec<ItemId>> {
    // Facts refer to the facts that replaced them, in any order.
    changing.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    let restored = RestoredRecords::new(changing, rows)?;
    let mut items = Vec::new();
    for (table, row) in &rows.rows {
        if let Some(table) = table.strip_prefix(NEW) {
            delete_row(changing, table, id_of(row).unwrap_or_default())?;
            continue;
        }
        let Some(mut row) = fit_to_now(changing, &restored, table, row.clone())? else { continue };
        let only = row.remove(ONLY);
        let item = kind_of(table).zip(id_of(&row)).map(|(kind, id)| ItemId::new(kind, id));
        let before = item.map(|item| indexed(changing, item)).transpose()?.flatten();
        put(changing, table, &row, only.as_ref().and_then(Value::as_str))?;
        if let Some(item) = item {
            changing.index(item, before.map(|before| before.text).as_deref())?;
            items.push(item);
        }
    }
    if rows.rows.iter().any(|(table, _)| table == "facts" || table == "nodes") {
        changing.note_everything();
    }
    Ok(items)
}

/// Restores a row, or one column of a row that still exists.
fn put(
    changing: &WriteTransaction<'_>,
    table: &str,
    row: &Map<String, Value>,
    only: Option<&str>,
) -> rusqlite::Result<()> {
    if let Some(only) = only {
        let sql = format!("UPDATE {table} SET {only} = coalesce(?2, {only}) WHERE id = ?1");
        let value = row.get(only).map(cell_from_json);
        if changing.prepare_cached(&sql)?.execute(params![id_of(row), value])? > 0 {
            return Ok(());
        }
    }
    let columns: Vec<&str> = row.keys().map(String::as_str).collect();
    let places = vec!["?"; columns.len()].join(", ");
    let updates: Vec<String> = columns
        .iter()
        .filter(|name| **name != "id")
        .map(|name| format!("{name} = excluded.{name}"))
        .collect();
    let conflict = if row.contains_key("id") {
        format!("ON CONFLICT (id) DO UPDATE SET {}", updates.join(", "))
    } else {
        "ON CONFLICT DO NOTHING".to_owned()
    };
    let sql = format!("INSERT INTO {table} ({}) VALUES ({places}) {conflict}", columns.join(", "));
    changing.prepare_cached(&sql)?.execute(params_from_iter(row.values().map(cell_from_json))).map(|_| ())
}

/// The records that are being restored, and those that exist already.
struct RestoredRecords<'a> {
    /// Rows, by their table and id.
    rows: HashSet<(&'a str, i64)>,
    /// Diary entries with their messages.
    links: HashSet<(i64, i64)>,
    /// Messages that were imported again meanwhile, with their new ids.
    again: HashMap<i64, i64>,
}

impl<'a> RestoredRecords<'a> {
    fn new(connection: &Connection, rows: &'a Rows) -> rusqlite::Result<Self> {
        let mut restored = Self { rows: HashSet::new(), links: HashSet::new(), again: HashMap::new() };
        let mut known = connection.prepare_cached(
            "SELECT id FROM messages WHERE conversation = ?1 AND said_at = ?2 AND id <> ?3",
        )?;
        for (table, row) in &rows.rows {
            let Some(id) = id_of(row) else { continue };
            let other: Option<i64> = match table.as_str() {
                "messages" => {
                    let values = ["conversation", "said_at", "id"].map(|column| cell_from_json(&row[column]));
                    known.query_row(params_from_iter(values), |row| row.get(0)).optional()?
                }
                _ => None,
            };
            match other {
                Some(other) => restored.again.insert(id, other).map(|_| ()),
                None => restored.rows.insert((table, id)).then_some(()),
            };
        }
        for (_, row) in rows.rows.iter().filter(|(table, _)| table == "diary_sources") {
            if let (Some(entry), Some(message)) = (number(row, "entry"), number(row, "message")) {
                restored.links.insert((entry, restored.now(message)));
            }
        }
        Ok(restored)
    }

    /// The present id of a message.
    fn now(&self, message: i64) -> i64 {
        self.again.get(&message).copied().unwrap_or(message)
    }

    /// Returns `true` if a row exists or is being restored.
    fn contains(&self, connection: &Connection, table: &str, id: Option<i64>) -> rusqlite::Result<bool> {
        let Some(id) = id else { return Ok(true) };
        Ok(self.rows.contains(&(table, id))
            || connection.prepare_cached(&format!("SELECT 1 FROM {table} WHERE id = ?1"))?.exists([id])?)
    }
}

/// Adapts a row to what exists now; `None` when it cannot be restored.
fn fit_to_now(
    changing: &WriteTransaction<'_>,
    restored: &RestoredRecords<'_>,
    table: &str,
    mut row: Map<String, Value>,
) -> rusqlite::Result<Option<Map<String, Value>>> {
    let is_there = |table: &str, row: &Map<String, Value>, column| {
        restored.contains(changing, table, number(row, column))
    };
    if let Some(message) = number(&row, "message") {
        row.insert("message".to_owned(), restored.now(message).into());
    }
    match table {
        "messages" if id_of(&row).is_some_and(|id| restored.again.contains_key(&id)) => return Ok(None),
        "diary" => make_room(changing, restored, &row)?,
        "diary_sources" if !is_there("messages", &row, "message")? || !is_there("diary", &row, "entry")? => {
            return Ok(None);
        }
        "nodes" if !is_there("nodes", &row, "parent")? => {
            row.insert("parent".to_owned(), Branch::User.node().0.into());
        }
        "facts" => {
            if !is_there("nodes", &row, "node")? {
                row.insert("node".to_owned(), Branch::User.node().0.into());
            }
            if !is_there("facts", &row, "replaced_by")? {
                row.insert("replaced_by".to_owned(), Value::Null);
            }
        }
        "evidence" => {
            if !is_there("facts", &row, "fact")? {
                return Ok(None);
            }
            for (column, table) in [("message", "messages"), ("entry", "diary")] {
                if !is_there(table, &row, column)? {
                    row.insert(column.to_owned(), Value::Null);
                }
            }
        }
        _ => {}
    }
    Ok(Some(row))
}

/// Makes room for a restored diary entry: an entry written for the same day meanwhile is deleted. Messages that only that one, or
/// a newer version of the same entry, contains become pending.
fn make_room(
    changing: &WriteTransaction<'_>,
    restored: &RestoredRecords<'_>,
    row: &Map<String, Value>,
) -> rusqlite::Result<()> {
    let Some(entry) = id_of(row) else { return Ok(()) };
    let other: Option<i64> = changing
        .prepare_cached("SELECT id FROM diary WHERE day = ?1 AND source = ?2 AND id <> ?3")?
        .query_row(
            params_from_iter(["day", "source", "id"].map(|column| cell_from_json(&row[column]))),
            |row| row.get(0),
        )
        .optional()?;
    for written in [Some(entry), other].into_iter().flatten() {
        let sql = "SELECT message FROM diary_sources WHERE entry = ?1";
        let mut select = changing.prepare_cached(sql)?;
        let sources =
            select.query_map([written], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
        for message in sources.into_iter().filter(|message| !restored.links.contains(&(entry, *message))) {
            changing.execute("UPDATE messages SET digested_at = NULL WHERE id = ?1", [message])?;
            let sql = "DELETE FROM diary_sources WHERE entry = ?1 AND message = ?2";
            changing.execute(sql, [written, message])?;
        }
    }
    if let Some(other) = other {
        let item = ItemId::new(RecordKind::Diary, other);
        let before = indexed(changing, item)?.map(|before| before.text);
        changing.unindex(item, before.as_deref())?;
        changing.execute("UPDATE evidence SET entry = ?2 WHERE entry = ?1", params![other, entry])?;
        changing.execute("DELETE FROM diary WHERE id = ?1", [other])?;
    }
    Ok(())
}

fn delete_row(changing: &WriteTransaction<'_>, table: &str, id: i64) -> rusqlite::Result<()> {
    if let Some(kind) = kind_of(table) {
        let item = ItemId::new(kind, id);
        let before = indexed(changing, item)?;
        changing.unindex(item, before.map(|before| before.text).as_deref())?;
    }
    changing.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [id]).map(|_| ())
}
