//! What was forgotten or rewritten can be brought back for a while.

use std::collections::HashSet;

use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::forgetting::request::UndoId;
use crate::item::Kind;
use crate::search::normalise::fold;
use crate::search::words;

/// For so long it can be undone: ten minutes, in microseconds.
pub const UNDO_MICROS: i64 = 10 * 60 * 1_000_000;

/// Rows as they were, in the order they have to come back.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Rows {
    pub rows: Vec<(String, Map<String, Value>)>,
    /// Which rows they are, and which column of them: none is saved twice.
    #[serde(skip)]
    saved: HashSet<(String, Name, Option<&'static str>)>,
}

/// What tells a row from the others of its table: its id, or the two that a link joins.
type Name = (Option<i64>, Option<i64>);

fn name_of(row: &Map<String, Value>) -> Name {
    match id_of(row) {
        Some(id) => (Some(id), None),
        None => (number(row, "entry"), number(row, "message")),
    }
}

impl Rows {
    /// Saves the rows of `table` whose `column` is `value`.
    pub fn save(
        &mut self,
        connection: &Connection,
        table: &str,
        column: &str,
        value: i64,
    ) -> rusqlite::Result<()> {
        self.save_part(connection, table, column, value, None)
    }

    /// The same, of rows that stay, and of which only one column is taken away: what else is changed in them meanwhile is not
    /// undone.
    pub fn save_part(
        &mut self,
        connection: &Connection,
        table: &str,
        column: &str,
        value: i64,
        only: Option<&'static str>,
    ) -> rusqlite::Result<()> {
        let mut select = connection.prepare_cached(&format!("SELECT * FROM {table} WHERE {column} = ?1"))?;
        let names: Vec<String> = select.column_names().into_iter().map(str::to_owned).collect();
        let mut rows = select.query([value])?;
        while let Some(row) = rows.next()? {
            let mut saved = Map::new();
            for (place, name) in names.iter().enumerate() {
                saved.insert(name.clone(), to_json(row.get_ref(place)?));
            }
            let name = name_of(&saved);
            let is_whole = self.saved.contains(&(table.to_owned(), name, None));
            if !is_whole && self.saved.insert((table.to_owned(), name, only)) {
                if let Some(only) = only {
                    saved.insert(ONLY.to_owned(), only.into());
                }
                self.rows.push((table.to_owned(), saved));
            }
        }
        Ok(())
    }

    /// What stands in each of them.
    fn texts(&self) -> Vec<String> {
        let text_of = |(_, row): &(String, Map<String, Value>)| {
            row.values().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
        };
        self.rows.iter().map(text_of).collect()
    }

    /// Notes the rows of `table` that came after the row `newest`: undoing takes them away.
    pub fn save_as_new(&mut self, connection: &Connection, table: &str, newest: i64) -> rusqlite::Result<()> {
        let mut select = connection.prepare_cached(&format!("SELECT id FROM {table} WHERE id > ?1"))?;
        let ids = select.query_map([newest], |row| row.get::<_, i64>(0))?;
        for id in ids {
            let row = Map::from_iter([("id".to_owned(), id?.into())]);
            self.rows.push((format!("{NEW}{table}"), row));
        }
        Ok(())
    }
}

/// What is noted of forgetting, as opposed to rewriting.
pub(crate) const FORGET: &str = "forget";

/// Stands among the columns of a row that stays, and names the one that was taken away.
pub(crate) const ONLY: &str = "only this column";

/// Stands before the table of a row that is new, and goes when it is undone.
pub(crate) const NEW: &str = "new ";

pub(crate) fn number(row: &Map<String, Value>, column: &str) -> Option<i64> {
    row.get(column).and_then(Value::as_i64)
}

pub(crate) fn id_of(row: &Map<String, Value>) -> Option<i64> {
    number(row, "id")
}

fn to_json(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
    }
}

pub(crate) fn of_json(value: &Value) -> Cell {
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

/// Drops what can no longer be undone, and what was done before it. Says whether there was any.
pub(crate) fn expire(connection: &Connection, now_micros: i64) -> rusqlite::Result<bool> {
    // A clock that was set back must not keep it for longer. What was done before knows from what was forgotten since what
    // must not come back with it.
    let sql = "DELETE FROM undo WHERE id <= (SELECT max(id) FROM undo WHERE done_at <= ?1 - ?2 OR done_at > ?1 + ?2)";
    Ok(connection.execute(sql, params![now_micros, UNDO_MICROS])? > 0)
}

/// Drops the older wordings that have all of these words, which are to be forgotten. What was forgotten before stays: to
/// undo that is to want it back.
pub(crate) fn drop_rewritten(connection: &Connection, wanted: &str) -> rusqlite::Result<()> {
    let terms = words::terms(wanted);
    if terms.is_empty() {
        return Ok(());
    }
    let all = terms.iter().map(|term| words::quoted(term)).collect::<Vec<_>>().join(" AND ");
    let phrase = fold(wanted);
    let mut select = connection.prepare("SELECT id, rows FROM undo WHERE what <> ?1")?;
    let rewritten =
        select.query_map([FORGET], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    for rewritten in rewritten {
        let (id, rows) = rewritten?;
        // One that cannot be read may hold anything.
        let texts = serde_json::from_str::<Rows>(&rows).map(|rows| rows.texts());
        let holds = match texts {
            Ok(texts) => {
                texts.iter().any(|text| fold(text).contains(&phrase))
                    || !words::matching(&texts, &all)?.is_empty()
            }
            Err(_) => true,
        };
        if holds {
            connection.execute("DELETE FROM undo WHERE id = ?1", [id])?;
        }
    }
    Ok(())
}

pub(crate) fn kind_of(table: &str) -> Option<Kind> {
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
