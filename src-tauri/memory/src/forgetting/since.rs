//! Undoing does not bring back what was forgotten later.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::request::UndoId;
use super::undo_records::{FORGET, NEW, Rows, id_of, number};
use crate::error::{Outcome, Refusal};

/// Removes from a record what was forgotten since, and the diary entries and descriptions that may mention it. The other messages
/// of those entries become pending.
pub(super) fn without_forgotten_since(
    connection: &Connection,
    undone: UndoId,
    mut rows: Rows,
) -> Outcome<Rows> {
    let newer = newer(connection, undone)?;
    if newer.is_empty() {
        return Ok(rows);
    }
    let is_newer =
        |table: &str, id: Option<i64>| id.is_some_and(|id| newer.contains(&(table.to_owned(), id)));
    let is_deleted = |table: &str, id: Option<i64>| -> rusqlite::Result<bool> {
        let Some(id) = id.filter(|id| is_newer(table, Some(*id))) else { return Ok(false) };
        Ok(!connection.prepare_cached(&format!("SELECT 1 FROM {table} WHERE id = ?1"))?.exists([id])?)
    };
    let mut entries = HashSet::new();
    for (table, row) in &rows.rows {
        match table.as_str() {
            "diary" if is_newer(table, id_of(row)) => entries.extend(id_of(row)),
            "diary_sources" if is_deleted("messages", number(row, "message"))? => {
                entries.extend(number(row, "entry"));
            }
            _ => {}
        }
    }
    let is_in_entry = |column: Option<i64>| column.is_some_and(|entry| entries.contains(&entry));
    let links =
        rows.rows.iter().filter(|(table, row)| table == "diary_sources" && is_in_entry(number(row, "entry")));
    let waiting: HashSet<i64> = links.filter_map(|(_, row)| number(row, "message")).collect();
    let mut kept = Vec::with_capacity(rows.rows.len());
    for (table, mut row) in rows.rows {
        match table.as_str() {
            "diary" if is_in_entry(id_of(&row)) => continue,
            "diary_sources" if is_in_entry(number(&row, "entry")) => continue,
            "messages" if id_of(&row).is_some_and(|id| waiting.contains(&id)) => {
                // Pending, unless it is in another entry by now.
                row.remove("digested_at");
            }
            "nodes" if is_newer(&table, id_of(&row)) => {
                row.remove("description");
            }
            _ => {}
        }
        if table.starts_with(NEW) || !is_deleted(&table, id_of(&row))? {
            kept.push((table, row));
        }
    }
    rows.rows = kept;
    Ok(rows)
}

/// The rows that were forgotten after a record.
fn newer(connection: &Connection, undone: UndoId) -> Outcome<HashSet<(String, i64)>> {
    let mut select = connection.prepare_cached("SELECT rows FROM undo WHERE id > ?1 AND what = ?2")?;
    let mut records = select.query(params![undone.0, FORGET])?;
    let mut newer = HashSet::new();
    while let Some(record) = records.next()? {
        let rows: Rows = serde_json::from_str(record.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)
            .map_err(|error| Refusal::Unreadable(format!("the undo record is damaged: {error}")))?;
        let named = rows.rows.into_iter().filter(|(table, _)| !table.starts_with(NEW));
        newer.extend(named.filter_map(|(table, row)| id_of(&row).map(|id| (table, id))));
    }
    Ok(newer)
}
