//! The operation itself.

use std::collections::BTreeSet;

use rusqlite::Connection;
use storage::notes::{COPIES_HAVE_TO_FORGET, set_note};

use super::deletion::{delete_scope, list_of, sources};
use super::request::{Forget, ForgetOutcome, Undo};
use super::rewording;
use super::scope::{ForgetScope, scope_of};
use super::undo_records::{self as undo, Rows};
use crate::MemoryError;
use crate::error::Outcome;
use crate::graph::facts::{self, FactId};
use crate::graph::nodes;
use crate::item::MemoryItem;
use crate::memory::{Memory, WriteTransaction};
use crate::search::items::memory_item;

impl Memory {
    /// Lists the records that would be forgotten. Changes nothing.
    pub async fn would_forget(&self, what: Forget, now_micros: i64) -> Result<Vec<MemoryItem>, MemoryError> {
        self.read(move |connection| {
            let scope = scope_of(connection, &what, now_micros)?;
            scope.items().filter_map(|item| memory_item(connection, item).transpose()).collect()
        })
        .await
    }

    /// Number of tool calls that would leave the log. Changes nothing.
    pub async fn would_forget_calls(&self, what: Forget, now_micros: i64) -> Result<usize, MemoryError> {
        self.read(move |connection| Ok(scope_of(connection, &what, now_micros)?.calls.len())).await
    }

    /// Forgets in all records, the search tables, the backups and the files in quarantine. A damaged copy is deleted, so that
    /// nothing forgotten remains in a file. [`Undo::Never`] also deletes all earlier undo records.
    pub async fn forget(
        &self,
        what: Forget,
        undo: Undo,
        now_micros: i64,
    ) -> Result<ForgetOutcome, MemoryError> {
        let request = what.clone();
        let mut forgotten =
            self.change(move |changing| forget_in_memory(changing, &request, undo, now_micros)).await?;
        // It is forgotten now: the next maintenance completes what fails below.
        if let Err(error) = self.scrub_log().await {
            tracing::warn!(%error, "could not empty the log of the database");
        }
        match self.forget_in_copies(what, &forgotten, now_micros).await {
            Ok(copies) => {
                forgotten.are_copies_done = true;
                forgotten.copies = copies;
            }
            Err(error) => {
                tracing::warn!(%error, "could not forget in the copies; the next maintenance deletes them");
            }
        }
        Ok(forgotten)
    }
}

/// Forgets in the database, and stores an undo record.
fn forget_in_memory(
    changing: &mut WriteTransaction<'_>,
    request: &Forget,
    undo: Undo,
    now_micros: i64,
) -> Outcome<ForgetOutcome> {
    undo::expire(changing, now_micros)?;
    if let Forget::Words(words) = request {
        undo::drop_rewritten(changing, words)?;
    }
    let scope = scope_of(changing, request, now_micros)?;
    let items = scope.items().filter_map(|item| memory_item(changing, item).transpose());
    let items = items.collect::<rusqlite::Result<Vec<_>>>()?;
    let calls = times_of_calls(changing, &scope)?;
    let mut rows = rows_to_restore(changing, &scope)?;
    let (newest_fact, newest_evidence) =
        (undo::newest(changing, "facts")?, undo::newest(changing, "evidence")?);
    let replacements = delete_scope(changing, &scope, now_micros)?;
    rows.save_as_new(changing, "evidence", newest_evidence)?;
    rows.save_as_new(changing, "facts", newest_fact)?;
    let undo = match undo {
        Undo::Possible if items.is_empty() && calls.is_empty() => None,
        Undo::Possible => Some(undo::keep(changing, undo::FORGET, &rows, now_micros)?),
        Undo::Never => {
            undo::drop_all(changing)?;
            None
        }
    };
    // If the program is killed before the copies are done, a later maintenance deletes them.
    set_note(changing, COPIES_HAVE_TO_FORGET, &now_micros.to_string())?;
    let replacements = replacements.into_iter().filter_map(|item| memory_item(changing, item).transpose());
    let lines = scope.lines.iter().map(|row| FactId(*row).item()).collect();
    let replacements = replacements.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(ForgetOutcome { undo, items, replacements, copies: Vec::new(), are_copies_done: false, lines, calls })
}

/// All rows that undoing restores, parents before the rows that refer to them.
fn rows_to_restore(connection: &Connection, scope: &ForgetScope) -> rusqlite::Result<Rows> {
    let mut rows = Rows::default();
    for message in &scope.messages {
        rows.save(connection, "messages", "id", *message)?;
    }
    for entry in &scope.entries {
        rows.save(connection, "diary", "id", *entry)?;
    }
    for entry in &scope.entries {
        rows.save(connection, "diary_sources", "entry", *entry)?;
        for message in sources(connection, *entry)? {
            rows.save(connection, "messages", "id", message)?;
        }
    }
    for node in &scope.nodes {
        rows.save(connection, "nodes", "id", *node)?;
    }
    // Nodes below a forgotten node move up.
    for node in &scope.nodes {
        rows.save_part(connection, "nodes", "parent", *node, Some("parent"))?;
    }
    save_descriptions(connection, scope, &mut rows)?;
    for fact in &scope.facts {
        rows.save(connection, "facts", "id", *fact)?;
    }
    for fact in &scope.facts {
        rows.save(connection, "evidence", "fact", *fact)?;
    }
    for message in &scope.messages {
        rows.save(connection, "evidence", "message", *message)?;
    }
    for entry in &scope.entries {
        rows.save(connection, "evidence", "entry", *entry)?;
    }
    rewording::save(connection, scope, &mut rows)?;
    for item in &scope.lists {
        rows.save(connection, list_of(item.kind), "id", item.row)?;
    }
    for call in &scope.calls {
        rows.save(connection, "calls", "id", *call)?;
    }
    Ok(rows)
}

/// Saves the descriptions that may mention a forgotten fact: forgetting empties them.
fn save_descriptions(connection: &Connection, scope: &ForgetScope, rows: &mut Rows) -> rusqlite::Result<()> {
    let mut nodes = BTreeSet::new();
    for fact in scope.facts.union(&scope.lines) {
        nodes.extend(facts::fact_of(connection, FactId(*fact))?.map(|fact| fact.node));
    }
    for node in nodes {
        for node in nodes::nodes_that_may_mention(connection, node)? {
            rows.save_part(connection, "nodes", "id", node.0, Some("description"))?;
        }
    }
    Ok(())
}

/// The calls in scope with their times.
fn times_of_calls(connection: &Connection, scope: &ForgetScope) -> rusqlite::Result<Vec<(i64, i64)>> {
    let mut select = connection.prepare_cached("SELECT at FROM calls WHERE id = ?1")?;
    scope.calls.iter().map(|call| Ok((*call, select.query_row([call], |row| row.get(0))?))).collect()
}
