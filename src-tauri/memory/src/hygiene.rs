//! Consistency of the memory: checks and repairs.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use serde::Serialize;

use crate::MemoryError;
use crate::error::Outcome;
use crate::graph::facts::{self, FactId, FactStatus};
use crate::graph::node_deletion::{self, ChildNodes};
use crate::graph::nodes;
use crate::graph::structure::{Branch, NodeId};
use crate::item::ItemId;
use crate::memory::{Memory, WriteTransaction};
use crate::search::indexed_text::indexed;
use crate::search::normalise::normalise_sentence;
use crate::search::words;

/// Age at which an empty, unchanged node is junk: 30 days, in microseconds.
const JUNK_AFTER_MICROS: i64 = 30 * 86_400 * 1_000_000;

/// Contents of the memory, and inconsistencies in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Messages in all conversations.
    pub messages: i64,
    /// Diary entries.
    pub entries: i64,
    /// Current facts.
    pub facts: i64,
    /// Nodes, the fixed ones included.
    pub nodes: i64,
    /// Messages that are not in the diary yet; normal.
    pub pending_messages: i64,
    /// Items without a vector; embedded once a model is available.
    pub without_vector: i64,
    /// Items missing from the full-text index.
    pub without_words: i64,
    /// Search rows and vectors of missing items.
    pub orphans: i64,
    /// Nodes that no path leads to.
    pub unreachable: i64,
    /// Facts with the same words as an older one.
    pub duplicates: i64,
    /// Nodes that have been empty for a month.
    pub junk: i64,
    /// Damage that SQLite found in the file; empty when it is sound.
    pub damage: String,
}

impl Health {
    /// Returns `true` if a repair would change anything.
    pub fn needs_repair(&self) -> bool {
        self.without_words + self.orphans + self.unreachable + self.duplicates + self.junk > 0
    }
}

impl Memory {
    /// Checks everything without changing it. Reads the whole file.
    pub async fn examine(&self, now_micros: i64) -> Result<Health, MemoryError> {
        Ok(self.store.read_anew(move |connection| examine(connection, now_micros)).await?)
    }

    /// Repairs inconsistencies. Returns what was found before.
    pub async fn repair(&self, now_micros: i64) -> Result<Health, MemoryError> {
        self.change(move |changing| {
            let health = examine(changing, now_micros)?;
            repair(changing, now_micros)?;
            Ok(health)
        })
        .await
    }
}

/// The numbers of all searchable items.
const ITEMS: &str = "
    SELECT id * 4 FROM messages
    UNION ALL SELECT id * 4 + 1 FROM diary
    UNION ALL SELECT id * 4 + 2 FROM facts WHERE status = 'current'
    UNION ALL SELECT id * 4 + 3 FROM nodes WHERE id > 4";

fn examine(connection: &Connection, now_micros: i64) -> rusqlite::Result<Health> {
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let damage: String = connection.query_row("PRAGMA integrity_check(3)", [], |row| row.get(0))?;
    Ok(Health {
        messages: count("SELECT count(*) FROM messages")?,
        entries: count("SELECT count(*) FROM diary")?,
        facts: count("SELECT count(*) FROM facts WHERE status = 'current'")?,
        nodes: count("SELECT count(*) FROM nodes")?,
        pending_messages: count("SELECT count(*) FROM messages WHERE digested_at IS NULL")?,
        without_vector: count(&format!("SELECT count(*) FROM ({ITEMS} EXCEPT SELECT item FROM vectors)"))?,
        without_words: count(&format!("SELECT count(*) FROM ({ITEMS} EXCEPT SELECT id FROM words_docsize)"))?,
        orphans: count(&format!("SELECT count(*) FROM ({ORPHANS})"))?,
        unreachable: unreachable(connection)?.len() as i64,
        duplicates: duplicates(connection)?.len() as i64,
        junk: junk(connection, now_micros)?.len() as i64,
        damage: if damage == "ok" { String::new() } else { damage },
    })
}

/// Numbers in the search tables without an item.
const ORPHANS: &str = "
    SELECT id FROM (SELECT id FROM words_docsize UNION SELECT item FROM vectors UNION SELECT item FROM codes)
    WHERE id NOT IN (
        SELECT id * 4 FROM messages UNION ALL SELECT id * 4 + 1 FROM diary
        UNION ALL SELECT id * 4 + 2 FROM facts WHERE status = 'current'
        UNION ALL SELECT id * 4 + 3 FROM nodes WHERE id > 4)";

fn numbers(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<i64>> {
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

fn unreachable(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    numbers(
        connection,
        "WITH RECURSIVE down (id) AS (
             SELECT 1 UNION SELECT n.id FROM nodes n JOIN down ON n.parent = down.id
         ) SELECT id FROM nodes WHERE id NOT IN (SELECT id FROM down)",
    )
}

/// Each fact with the same words as an older one, and the older one.
fn duplicates(connection: &Connection) -> rusqlite::Result<Vec<(FactId, FactId)>> {
    let mut select = connection
        .prepare("SELECT id, folded FROM facts WHERE status = 'current' ORDER BY valid_from, id")?;
    let mut rows = select.query([])?;
    let mut first: BTreeMap<String, FactId> = BTreeMap::new();
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, folded): (i64, String) = (row.get(0)?, row.get(1)?);
        let bare = normalise_sentence(&folded);
        match first.get(&bare) {
            Some(older) => found.push((FactId(id), *older)),
            None => {
                first.insert(bare, FactId(id));
            }
        }
    }
    Ok(found)
}

fn junk(connection: &Connection, now_micros: i64) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare(
        "SELECT id FROM nodes n WHERE id > 4 AND updated_at < ?1
         AND NOT EXISTS (SELECT 1 FROM nodes c WHERE c.parent = n.id)
         AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.node = n.id)",
    )?;
    select.query_map(params![now_micros - JUNK_AFTER_MICROS], |row| row.get(0))?.collect()
}

fn repair(changing: &mut WriteTransaction<'_>, now_micros: i64) -> Outcome<()> {
    for node in unreachable(changing)? {
        let sql = "UPDATE nodes SET parent = ?2 WHERE id = ?1";
        changing.execute(sql, params![node, Branch::User.node().0])?;
        nodes::note_update(changing, NodeId(node), now_micros)?;
    }
    for (newer, older) in duplicates(changing)? {
        for evidence in facts::evidence_of(changing, newer)? {
            facts::insert_evidence(changing, older, &evidence)?;
        }
        if let Some(fact) = facts::fact_of(changing, newer)? {
            facts::close(changing, &fact, FactStatus::Superseded, Some(older), now_micros)?;
            nodes::note_update(changing, fact.node, now_micros)?;
        }
    }
    for node in junk(changing, now_micros)? {
        node_deletion::delete(changing, NodeId(node), ChildNodes::MoveUp, now_micros)?;
    }
    let orphans = numbers(changing, ORPHANS)?;
    if !orphans.is_empty() {
        // The index does not store texts, so single rows cannot be removed: it is rebuilt.
        changing.execute_batch("INSERT INTO words (words) VALUES ('delete-all');")?;
        for orphan in orphans {
            changing.drop_vector(ItemId::from_number(orphan))?;
        }
    }
    let unfindable = format!("SELECT * FROM ({ITEMS} EXCEPT SELECT id FROM words_docsize)");
    for number in numbers(changing, &unfindable)? {
        let item = ItemId::from_number(number);
        if let Some(text) = indexed(changing, item)? {
            words::insert(changing, item, &text.text)?;
        }
    }
    Ok(())
}
