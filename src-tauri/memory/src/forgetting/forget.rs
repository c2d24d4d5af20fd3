//! The operation itself.

use std::collections::BTreeSet;

use rusqlite::Connection;
use storage::notes::{COPIES_HAVE_TO_FORGET, set_note};

use super::deletion::{list_of, sources, take_away};
use super::request::{Forget, Forgotten, Undo};
use super::rewording;
use super::scope::{ForgetScope, reach};
use super::undo_records::{self as undo, Rows};
use crate::MemoryError;
use crate::error::Outcome;
use crate::graph::facts::{self, FactId};
use crate::graph::nodes;
use crate::item::MemoryItem;
use crate::memory::{Changing, Memory};
use crate::search::items::remembered;

impl Memory {
    /// What would be forgotten, changing nothing.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn would_forget(&self, what: Forget, now_micros: i64) -> Result<Vec<MemoryItem>, MemoryError> {
        self.read(move |connection| {
            let reach = reach(connection, &what, now_micros)?;
            reach.items().filter_map(|item| remembered(connection, item).transpose()).collect()
        })
        .await
    }

    /// Forgets, in the dialogue, the diary, the graph, the lists, the search tables, the backups and what was set aside.
    /// Finding nothing forgets nothing, and says so.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]; then nothing was forgotten. A damaged copy is deleted: what is forgotten does not wait in
    /// a file. Forgetting for good also drops all that could be undone before.
    pub async fn forget(&self, what: Forget, undo: Undo, now_micros: i64) -> Result<Forgotten, MemoryError> {
        let wish = what.clone();
        let mut forgotten =
            self.change(move |changing| forget_here(changing, &wish, undo, now_micros)).await?;
        // From here on it is forgotten: what goes wrong is mended by the next upkeep.
        if let Err(error) = self.scrub_log().await {
            tracing::warn!(%error, "the log of the database could not be emptied");
        }
        match self.forget_in_copies(what, &forgotten, now_micros).await {
            Ok(copies) => {
                forgotten.are_copies_done = true;
                forgotten.copies = copies;
            }
            Err(error) => {
                tracing::warn!(%error, "the copies could not forget; they are removed at the next upkeep");
            }
        }
        Ok(forgotten)
    }
}

/// Forgets in this database, and notes what brings it back.
fn forget_here(
    changing: &mut Changing<'_>,
    wish: &Forget,
    undo: Undo,
    now_micros: i64,
) -> Outcome<Forgotten> {
    undo::expire(changing, now_micros)?;
    if let Forget::Words(words) = wish {
        undo::drop_rewritten(changing, words)?;
    }
    let reach = reach(changing, wish, now_micros)?;
    let items = reach.items().filter_map(|item| remembered(changing, item).transpose());
    let items = items.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut rows = saved(changing, &reach)?;
    let (newest_fact, newest_evidence) =
        (undo::newest(changing, "facts")?, undo::newest(changing, "evidence")?);
    let instead = take_away(changing, &reach, now_micros)?;
    rows.save_as_new(changing, "evidence", newest_evidence)?;
    rows.save_as_new(changing, "facts", newest_fact)?;
    let undo = match undo {
        Undo::Possible if items.is_empty() => None,
        Undo::Possible => Some(undo::keep(changing, undo::FORGET, &rows, now_micros)?),
        Undo::Never => {
            undo::drop_all(changing)?;
            None
        }
    };
    // Should we be killed before the copies are through, they go with a later upkeep.
    set_note(changing, COPIES_HAVE_TO_FORGET, &now_micros.to_string())?;
    let instead = instead.into_iter().filter_map(|item| remembered(changing, item).transpose());
    let lines = reach.lines.iter().map(|row| FactId(*row).item()).collect();
    let instead = instead.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(Forgotten { undo, items, instead, copies: Vec::new(), are_copies_done: false, lines })
}

/// All that has to come back when it is undone, parents before what leans on them.
fn saved(connection: &Connection, reach: &ForgetScope) -> rusqlite::Result<Rows> {
    let mut rows = Rows::default();
    for message in &reach.messages {
        rows.save(connection, "messages", "id", *message)?;
    }
    for entry in &reach.entries {
        rows.save(connection, "diary", "id", *entry)?;
    }
    for entry in &reach.entries {
        rows.save(connection, "diary_sources", "entry", *entry)?;
        for message in sources(connection, *entry)? {
            rows.save(connection, "messages", "id", message)?;
        }
    }
    for node in &reach.nodes {
        rows.save(connection, "nodes", "id", *node)?;
    }
    // What stands below a node moves up while it is forgotten.
    for node in &reach.nodes {
        rows.save_part(connection, "nodes", "parent", *node, Some("parent"))?;
    }
    // The descriptions of nodes go with their facts.
    let mut told_of = BTreeSet::new();
    for fact in reach.facts.union(&reach.lines) {
        told_of.extend(facts::fact_of(connection, FactId(*fact))?.map(|fact| fact.node));
    }
    for node in told_of {
        for node in nodes::told_of_in(connection, node)? {
            rows.save_part(connection, "nodes", "id", node.0, Some("description"))?;
        }
    }
    for fact in &reach.facts {
        rows.save(connection, "facts", "id", *fact)?;
    }
    for fact in &reach.facts {
        rows.save(connection, "evidence", "fact", *fact)?;
    }
    for message in &reach.messages {
        rows.save(connection, "evidence", "message", *message)?;
    }
    for entry in &reach.entries {
        rows.save(connection, "evidence", "entry", *entry)?;
    }
    rewording::save(connection, reach, &mut rows)?;
    for item in &reach.lists {
        rows.save(connection, list_of(item.kind), "id", item.row)?;
    }
    Ok(rows)
}
