//! What was forgotten or rewritten can be brought back for a while.

use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::MemoryError;
use crate::error::Refusal;
use crate::item::{ItemId, Kind};
use crate::memory::{Changing, Memory};
use crate::node::Branch;
use crate::remembered::indexed;

/// For so long it can be undone: ten minutes, in microseconds.
pub const UNDO_MICROS: i64 = 10 * 60 * 1_000_000;

/// Names something that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct UndoId(pub i64);

/// Rows as they were, in the order they have to come back.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rows(Vec<(String, Map<String, Value>)>);

impl Rows {
    /// Saves the rows of `table` whose `column` is `value`.
    pub fn save(
        &mut self,
        connection: &Connection,
        table: &str,
        column: &str,
        value: i64,
    ) -> rusqlite::Result<()> {
        let mut select = connection.prepare_cached(&format!("SELECT * FROM {table} WHERE {column} = ?1"))?;
        let names: Vec<String> = select.column_names().into_iter().map(str::to_owned).collect();
        let mut rows = select.query([value])?;
        while let Some(row) = rows.next()? {
            let mut saved = Map::new();
            for (place, name) in names.iter().enumerate() {
                saved.insert(name.clone(), to_json(row.get_ref(place)?));
            }
            let saved = (table.to_owned(), saved);
            if !self.0.contains(&saved) {
                self.0.push(saved);
            }
        }
        Ok(())
    }

    /// Notes the rows of `table` that came after the row `newest`: undoing takes them away.
    pub fn save_as_new(&mut self, connection: &Connection, table: &str, newest: i64) -> rusqlite::Result<()> {
        let mut select = connection.prepare_cached(&format!("SELECT id FROM {table} WHERE id > ?1"))?;
        let ids = select.query_map([newest], |row| row.get::<_, i64>(0))?;
        for id in ids {
            let row = Map::from_iter([("id".to_owned(), id?.into())]);
            self.0.push((format!("{NEW}{table}"), row));
        }
        Ok(())
    }
}

/// Stands before the table of a row that is new, and goes when it is undone.
const NEW: &str = "new ";

fn to_json(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
    }
}

fn of_json(value: &Value) -> Cell {
    match value {
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Cell::Real(number.as_f64().unwrap_or_default()), Cell::Integer)
        }
        Value::String(text) => Cell::Text(text.clone()),
        _ => Cell::Null,
    }
}

/// The newest row of a table; those that come later are new.
pub(crate) fn newest(connection: &Connection, table: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("SELECT coalesce(max(id), 0) FROM {table}"), [], |row| row.get(0))
}

/// Keeps rows so that they can come back.
pub(crate) fn keep(
    connection: &Connection,
    what: &str,
    rows: &Rows,
    now_micros: i64,
) -> rusqlite::Result<UndoId> {
    let rows =
        serde_json::to_string(rows).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    connection.execute(
        "INSERT INTO undo (done_at, what, rows) VALUES (?1, ?2, ?3)",
        params![now_micros, what, rows],
    )?;
    Ok(UndoId(connection.last_insert_rowid()))
}

/// Drops all that could be undone: it may hold what is to be gone for good.
pub(crate) fn drop_all(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM undo", []).map(|_| ())
}

/// Drops what can no longer be undone. Says whether there was any.
pub(crate) fn expire(connection: &Connection, now_micros: i64) -> rusqlite::Result<bool> {
    // A clock that was set back must not keep it for longer.
    let sql = "DELETE FROM undo WHERE done_at <= ?1 - ?2 OR done_at > ?1 + ?2";
    Ok(connection.execute(sql, params![now_micros, UNDO_MICROS])? > 0)
}

impl Memory {
    /// Undoes what was done last, or what is named, if it is not too long ago. Says what came back.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] when there is nothing to undo.
    pub async fn undo(&self, id: Option<UndoId>, now_micros: i64) -> Result<Vec<ItemId>, MemoryError> {
        self.change(move |changing| {
            expire(changing, now_micros)?;
            let found: Option<(i64, String)> = changing
                .prepare_cached(
                    "SELECT id, rows FROM undo WHERE ?1 IS NULL OR id = ?1 ORDER BY id DESC LIMIT 1",
                )?
                .query_row([id.map(|id| id.0)], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let (id, rows) = found.ok_or(Refusal::NothingToUndo)?;
            let rows: Rows = serde_json::from_str(&rows)
                .map_err(|error| Refusal::Unreadable(format!("the undo record is damaged: {error}")))?;
            let items = restore(changing, &rows)?;
            changing.execute("DELETE FROM undo WHERE id = ?1", [id])?;
            Ok(items)
        })
        .await
    }

    /// Drops what can no longer be undone, for good.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database fails.
    pub async fn expire_undo(&self, now_micros: i64) -> Result<(), MemoryError> {
        let expired = self.change(move |changing| Ok(expire(changing, now_micros)?)).await?;
        if expired {
            self.scrub_log().await?;
        }
        self.finish_scrubbing(now_micros).await
    }
}

/// Brings rows back, and makes them findable again. What else happened meanwhile stays: a row whose company is gone comes
/// back without it, or not at all where it means nothing alone.
fn restore(changing: &mut Changing<'_>, rows: &Rows) -> rusqlite::Result<Vec<ItemId>> {
    // Facts name the facts that replaced them, in any order.
    changing.execute_batch("PRAGMA defer_foreign_keys = ON")?;
    let mut items = Vec::new();
    for (table, row) in &rows.0 {
        if let Some(table) = table.strip_prefix(NEW) {
            take_away(changing, table, row.get("id").and_then(Value::as_i64).unwrap_or_default())?;
            continue;
        }
        let Some(row) = fit_to_now(changing, rows, table, row.clone())? else { continue };
        let item = kind_of(table)
            .and_then(|kind| row.get("id").and_then(Value::as_i64).map(|id| ItemId::new(kind, id)));
        let before = item.map(|item| indexed(changing, item)).transpose()?.flatten();
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
        changing.prepare_cached(&sql)?.execute(params_from_iter(row.values().map(of_json)))?;
        if let Some(item) = item {
            changing.index(item, before.map(|before| before.text).as_deref())?;
            items.push(item);
        }
    }
    if rows.0.iter().any(|(table, _)| table == "facts" || table == "nodes") {
        changing.note_everything();
    }
    Ok(items)
}

/// The row as it can stand among what there is now; `None` when it cannot.
fn fit_to_now(
    changing: &Changing<'_>,
    rows: &Rows,
    table: &str,
    mut row: Map<String, Value>,
) -> rusqlite::Result<Option<Map<String, Value>>> {
    let is_there = |table: &str, value: Option<&Value>| -> rusqlite::Result<bool> {
        let Some(id) = value.and_then(Value::as_i64) else { return Ok(true) };
        let comes_back = |(of, row): &(String, Map<String, Value>)| {
            of == table && row.get("id").and_then(Value::as_i64) == Some(id)
        };
        Ok(rows.0.iter().any(comes_back)
            || changing.prepare_cached(&format!("SELECT 1 FROM {table} WHERE id = ?1"))?.exists([id])?)
    };
    match table {
        "diary" => {
            // The day was written again meanwhile, from what was left of it: this entry holds that as well.
            let other: Option<i64> = changing
                .prepare_cached("SELECT id FROM diary WHERE day = ?1 AND source = ?2 AND id <> ?3")?
                .query_row(params_from_iter([&row["day"], &row["source"], &row["id"]].map(of_json)), |row| {
                    row.get(0)
                })
                .optional()?;
            if let Some(other) = other {
                let item = ItemId::new(Kind::Diary, other);
                let before = indexed(changing, item)?.map(|before| before.text);
                changing.unindex(item, before.as_deref())?;
                changing.execute(
                    "UPDATE evidence SET entry = ?2 WHERE entry = ?1",
                    params![other, of_json(&row["id"])],
                )?;
                changing.execute("DELETE FROM diary WHERE id = ?1", [other])?;
            }
        }
        "diary_sources"
            if !is_there("messages", row.get("message"))? || !is_there("diary", row.get("entry"))? =>
        {
            return Ok(None);
        }
        "nodes" if !is_there("nodes", row.get("parent"))? => {
            row.insert("parent".to_owned(), Branch::User.node().0.into());
        }
        "facts" => {
            if !is_there("nodes", row.get("node"))? {
                row.insert("node".to_owned(), Branch::User.node().0.into());
            }
            if !is_there("facts", row.get("replaced_by"))? {
                row.insert("replaced_by".to_owned(), Value::Null);
            }
        }
        "evidence" => {
            if !is_there("facts", row.get("fact"))? {
                return Ok(None);
            }
            for (column, table) in [("message", "messages"), ("entry", "diary")] {
                if !is_there(table, row.get(column))? {
                    row.insert(column.to_owned(), Value::Null);
                }
            }
        }
        _ => {}
    }
    Ok(Some(row))
}

fn take_away(changing: &Changing<'_>, table: &str, id: i64) -> rusqlite::Result<()> {
    if let Some(kind) = kind_of(table) {
        let item = ItemId::new(kind, id);
        let before = indexed(changing, item)?;
        changing.unindex(item, before.map(|before| before.text).as_deref())?;
    }
    changing.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [id]).map(|_| ())
}

fn kind_of(table: &str) -> Option<Kind> {
    match table {
        "messages" => Some(Kind::Message),
        "diary" => Some(Kind::Diary),
        "facts" => Some(Kind::Fact),
        "nodes" => Some(Kind::Node),
        "meals" => Some(Kind::Meal),
        "appointments" => Some(Kind::Appointment),
        "todos" => Some(Kind::Todo),
        _ => None,
    }
}
