//! Forgetting: one operation that reaches everything that was made of what is forgotten.
//!
//! A message takes with it the diary entries that it is in, and the facts that only it or they bear witness to. What
//! else was in those entries waits for the diary again, so that it is written anew, without what was forgotten. A fact
//! that was worded from several witnesses gives way to what the others say by themselves. Meals, appointments and to-dos
//! are found by their words, and by when they were entered: nothing says which words they were made of.
//!
//! Backups forget as well, and so does what was set aside when a file was damaged or a backup took its place; a copy that
//! cannot be searched is deleted, for what is forgotten does not wait in a file. One whose key is missing, that is in use
//! or of a newer version, or that the disk does not give, is left until it can be reached.

pub(crate) mod copies; // backups, and files that were set aside
mod reach; // what is reached: start here
mod rewording;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use rusqlite::Connection;
use vocabulary::Private;

use crate::MemoryError;
use crate::error::{Outcome, Refusal};
use crate::facts::{self, FactId};
use crate::graph;
use crate::item::{ItemId, Kind};
use crate::memory::{Changing, Memory};
use crate::node::{Below, NodeId};
use crate::remembered::{MemoryItem, indexed, remembered};
use crate::undo::{self, Rows, UndoId};

pub(crate) use reach::ForgetScope;
use reach::reach;

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// These things.
    Items(Vec<ItemId>),
    /// Everything in which these words stand one after the other; where nothing has them so, everything that has all.
    Words(Private<String>),
    /// What the user said last, the answer, and what was entered on the lists since.
    LastThing,
    /// Everything said, written, learned and entered in this time: microseconds since 1970 UTC.
    Span(Range<i64>),
    /// Everything said in a conversation. What it put on the lists stays: they know of no conversation.
    Conversation(String),
}

/// Can it be undone?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// For ten minutes.
    Possible,
    /// It is gone at once.
    Never,
}

/// What was forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct Forgotten {
    /// To undo it; `None` when it cannot be.
    pub undo: Option<UndoId>,
    /// What was forgotten, and what was made of it.
    pub items: Vec<MemoryItem>,
    /// What stands in the place of facts that were worded from what was forgotten and from other things.
    pub instead: Vec<MemoryItem>,
    /// Backups and files set aside that held some of it, are gone, or could not be reached.
    pub copies: Vec<Copied>,
    /// `false`: the copies are still to be searched. They are removed at the next upkeep.
    pub are_copies_done: bool,
    /// Those of the items that others still bear witness to.
    pub(crate) lines: BTreeSet<ItemId>,
}

/// A copy of the memory: a backup, or a file that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    pub outcome: CopyOutcome,
}

/// What became of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyOutcome {
    /// It forgot so many things.
    Forgot(usize),
    /// It could not be searched, so it was deleted.
    Deleted,
    /// It could not be reached, so it may hold it still; it is tried again.
    OutOfReach {
        /// Nobody gives its key. Otherwise it is in use, cannot be read or written, or is of a newer version.
        lacks_key: bool,
    },
}

impl Memory {
    /// What would be forgotten, changing nothing.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn would_forget(&self, what: Forget) -> Result<Vec<MemoryItem>, MemoryError> {
        self.store
            .read(move |connection| {
                let reach = reach(connection, &what, jiff::Timestamp::now().as_microsecond())?;
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

    /// Empties the log of the database, which holds what was deleted.
    pub(crate) async fn scrub_log(&self) -> Result<(), MemoryError> {
        self.store
            .with_writer(|connection| {
                // Readers that are at it keep the log for now: the next checkpoint empties it.
                Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
            })
            .await
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
    copies::note_scrubbing(changing, now_micros)?;
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
        for node in graph::told_of_in(connection, node)? {
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

fn sources(connection: &Connection, entry: i64) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached("SELECT message FROM diary_sources WHERE entry = ?1")?;
    select.query_map([entry], |row| row.get(0))?.collect()
}

/// The table of what stands on a list.
fn list_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Meal => "meals",
        Kind::Appointment => "appointments",
        _ => "todos",
    }
}

/// Takes away what is reached. Says what stands in the place of lines that were merged from it and from other things.
pub(crate) fn take_away(
    changing: &mut Changing<'_>,
    reach: &ForgetScope,
    now_micros: i64,
) -> Outcome<Vec<ItemId>> {
    for witness in &reach.witnesses {
        changing.execute("DELETE FROM evidence WHERE id = ?1", [witness])?;
    }
    for message in &reach.messages {
        // Its neighbours were embedded together with it.
        for neighbour in neighbours(changing, *message)? {
            changing.drop_vector(ItemId::new(Kind::Message, neighbour))?;
        }
        changing.execute("DELETE FROM evidence WHERE message = ?1", [message])?;
    }
    for entry in &reach.entries {
        let waiting = if reach.to_rewrite.contains(entry) { sources(changing, *entry)? } else { Vec::new() };
        for message in waiting {
            changing.execute("UPDATE messages SET digested_at = NULL WHERE id = ?1", [message])?;
        }
        changing.execute("DELETE FROM evidence WHERE entry = ?1 AND message IS NULL", [entry])?;
    }
    let instead = rewording::reword(changing, reach, now_micros)?;
    for fact in &reach.facts {
        if let Some(fact) = facts::fact_of(changing, FactId(*fact))? {
            facts::delete(changing, &fact)?;
            // A model wrote it from the facts.
            graph::drop_descriptions(changing, fact.node)?;
            graph::note_update(changing, fact.node, now_micros)?;
        }
    }
    for node in &reach.nodes {
        match graph::delete(changing, NodeId(*node), Below::MoveUp, now_micros) {
            Ok(()) | Err(crate::error::Failure::Refused(Refusal::NoSuchItem(_))) => {}
            Err(failure) => return Err(failure),
        }
    }
    for (kind, rows, table) in
        [(Kind::Diary, &reach.entries, "diary"), (Kind::Message, &reach.messages, "messages")]
    {
        for row in rows {
            let item = ItemId::new(kind, *row);
            let before = indexed(changing, item)?.map(|before| before.text);
            changing.unindex(item, before.as_deref())?;
            changing.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [row])?;
        }
    }
    for item in &reach.lists {
        changing.execute(&format!("DELETE FROM {} WHERE id = ?1", list_of(item.kind)), [item.row])?;
    }
    Ok(instead)
}

/// The messages said just before and after one, in its conversation.
pub(crate) fn neighbours(connection: &Connection, message: i64) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached(
        "SELECT id FROM (SELECT n.id FROM messages n JOIN messages m ON n.conversation = m.conversation
                         WHERE m.id = ?1 AND n.said_at < m.said_at ORDER BY n.said_at DESC LIMIT 1)
         UNION ALL
         SELECT id FROM (SELECT n.id FROM messages n JOIN messages m ON n.conversation = m.conversation
                         WHERE m.id = ?1 AND n.said_at > m.said_at ORDER BY n.said_at LIMIT 1)",
    )?;
    select.query_map([message], |row| row.get(0))?.collect()
}
