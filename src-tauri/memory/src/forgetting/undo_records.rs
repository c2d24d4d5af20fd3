//! Undo records: what was forgotten or rewritten, as long as it can be undone.

use std::collections::HashSet;

use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::forgetting::request::UndoId;
use crate::item::RecordKind;
use crate::search::normalise::normalise;
use crate::search::words;

/// The time for which a change can be undone: ten minutes, in microseconds.
pub const UNDO_MICROS: i64 = 10 * 60 * 1_000_000;

/// Saved rows, in the order in which they are restored.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Rows {
    pub rows: Vec<(String, Map<String, Value>)>,
    /// Table, key and column of the saved rows, so that none is saved twice.
    #[serde(skip)]
    saved: HashSet<(String, Name, Option<&'static str>)>,
}

/// The key of a row: its id, or the two ids of a link.
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

    /// Saves one column of rows that are not deleted: later changes of other columns are not undone.
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

    /// Notes a new row: undoing deletes it.
    pub fn save_new(&mut self, table: &str, id: i64) {
        self.rows.push((format!("{NEW}{table}"), Map::from_iter([("id".to_owned(), id.into())])));
    }

    /// The texts of each row.
    fn texts(&self) -> Vec<String> {
        let text_of = |(_, row): &(String, Map<String, Value>)| {
            row.values().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
        };
        self.rows.iter().map(text_of).collect()
    }

    /// Notes the rows of `table` after the row `newest`: undoing deletes them.
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

/// Marks records of forgetting, as opposed to rewriting.
pub(crate) const FORGET: &str = "forget";

/// Marks records of changes that a request made on lists.
pub(crate) const CHANGE: &str = "change";

/// Key in a saved row that was not deleted: names its saved column.
pub(crate) const ONLY: &str = "only this column";

/// Prefix of the table of a new row, which undoing deletes.
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

pub(crate) fn cell_from_json(value: &Value) -> Cell {
    match value {
        Value::Number(number) => {
            number.as_i64().map_or_else(|| Cell::Real(number.as_f64().unwrap_or_default()), Cell::Integer)
        }
        Value::String(text) => Cell::Text(text.clone()),
        _ => Cell::Null,
    }
}

/// The highest id of a table.
pub(crate) fn newest(connection: &Connection, table: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("SELECT coalesce(max(id), 0) FROM {table}"), [], |row| row.get(0))
}

/// Stores an undo record.
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

/// A request that may change lists.
pub(crate) struct RequestMark {
    pub conversation: String,
    pub asked_at_micros: i64,
}

/// Stores what a request changed on lists.
pub(crate) fn keep_change(
    connection: &Connection,
    request: &RequestMark,
    rows: &Rows,
) -> rusqlite::Result<()> {
    if rows.rows.is_empty() {
        return Ok(());
    }
    let UndoId(id) = keep(connection, CHANGE, rows, request.asked_at_micros)?;
    let sql = "UPDATE undo SET conversation = ?2, asked_at = ?3 WHERE id = ?1";
    connection.execute(sql, params![id, request.conversation, request.asked_at_micros]).map(|_| ())
}

/// Deletes all undo records: they may contain what is to be deleted for good.
pub(crate) fn drop_all(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM undo", []).map(|_| ())
}

/// The newest expired undo record. A clock that was set back must not keep records longer.
const NEWEST_EXPIRED: &str = "SELECT max(id) FROM undo WHERE done_at <= ?1 - ?2 OR done_at > ?1 + ?2";

/// Returns `true` if there are expired undo records.
pub(crate) fn has_expired(connection: &Connection, now_micros: i64) -> rusqlite::Result<bool> {
    let newest: Option<i64> = connection
        .prepare_cached(NEWEST_EXPIRED)?
        .query_row(params![now_micros, UNDO_MICROS], |row| row.get(0))?;
    Ok(newest.is_some())
}

/// Deletes expired undo records and all older ones. Returns whether there were any.
pub(crate) fn expire(connection: &Connection, now_micros: i64) -> rusqlite::Result<bool> {
    // Older records need the newer ones, which say what must not come back.
    let sql = format!("DELETE FROM undo WHERE id <= ({NEWEST_EXPIRED})");
    Ok(connection.execute(&sql, params![now_micros, UNDO_MICROS])? > 0)
}

/// Deletes records of rewriting that contain words which are to be forgotten. Records of forgetting stay: undoing them means that
/// the user wants the words back.
pub(crate) fn drop_rewritten(connection: &Connection, wanted: &str) -> rusqlite::Result<()> {
    let terms = words::terms(wanted);
    if terms.is_empty() {
        return Ok(());
    }
    let all = terms.iter().map(|term| words::quoted(term)).collect::<Vec<_>>().join(" AND ");
    let phrase = normalise(wanted);
    let mut select = connection.prepare("SELECT id, rows FROM undo WHERE what <> ?1")?;
    let rewritten =
        select.query_map([FORGET], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    for rewritten in rewritten {
        let (id, rows) = rewritten?;
        // An unreadable record may contain anything.
        let texts = serde_json::from_str::<Rows>(&rows).map(|rows| rows.texts());
        let holds = match texts {
            Ok(texts) => {
                texts.iter().any(|text| normalise(text).contains(&phrase))
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

pub(crate) fn kind_of(table: &str) -> Option<RecordKind> {
    match table {
        "messages" => Some(RecordKind::Message),
        "diary" => Some(RecordKind::Diary),
        "facts" => Some(RecordKind::Fact),
        "nodes" => Some(RecordKind::Node),
        "meals" => Some(RecordKind::Meal),
        "appointments" => Some(RecordKind::Appointment),
        "todos" => Some(RecordKind::Todo),
        _ => None,
    }
}
