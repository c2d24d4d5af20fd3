//! Forgetting: one operation that reaches everything that was made of what is forgotten.
//!
//! A message takes with it the diary entries that it is in, and the facts that only it or they bear witness to. What
//! else was in those entries waits for the diary again, so that it is written anew, without what was forgotten.

use std::collections::BTreeSet;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};
use vocabulary::Private;

use crate::error::{Outcome, Refusal};
use crate::facts::{self, FactId};
use crate::fold::fold;
use crate::graph;
use crate::item::{ItemId, Kind};
use crate::memory::{Changing, Memory};
use crate::node::{Below, NodeId};
use crate::remembered::{Remembered, indexed, remembered};
use crate::undo::{self, Rows, UndoId};
use crate::{MemoryError, backup, words};

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// These things.
    Items(Vec<ItemId>),
    /// Everything in which these words stand one after the other; where nothing has them so, everything that has all.
    Words(Private<String>),
    /// What the user said last, and the answer.
    LastThing,
    /// Everything said, written and learned in this time: microseconds since 1970 UTC.
    Span(Range<i64>),
    /// Everything said in a conversation.
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
    pub items: Vec<Remembered>,
}

impl Memory {
    /// What would be forgotten, changing nothing.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn would_forget(&self, what: Forget) -> Result<Vec<Remembered>, MemoryError> {
        self.store
            .read(move |connection| {
                let reach = reach(connection, &what)?;
                reach.items().filter_map(|item| remembered(connection, item).transpose()).collect()
            })
            .await
    }

    /// Forgets, in the dialogue, the diary, the graph, the search tables and the backups. Finding nothing forgets
    /// nothing, and says so.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]; then nothing was forgotten. A backup that cannot be opened is deleted: what is forgotten does not
    /// wait in a file. Forgetting for good also drops all that could be undone before.
    pub async fn forget(&self, what: Forget, undo: Undo, now_micros: i64) -> Result<Forgotten, MemoryError> {
        let wish = what.clone();
        let forgotten = self
            .change(move |changing| {
                undo::expire(changing, now_micros)?;
                let reach = reach(changing, &wish)?;
                let items = reach.items().filter_map(|item| remembered(changing, item).transpose());
                let items = items.collect::<rusqlite::Result<Vec<_>>>()?;
                let undo = match undo {
                    Undo::Possible if items.is_empty() => None,
                    Undo::Possible => {
                        Some(undo::keep(changing, "forget", &saved(changing, &reach)?, now_micros)?)
                    }
                    Undo::Never => {
                        undo::drop_all(changing)?;
                        None
                    }
                };
                take_away(changing, &reach, now_micros)?;
                // Should we be killed before the backups are through, they go at the next start.
                backup::note_scrubbing(changing, now_micros)?;
                Ok(Forgotten { undo, items })
            })
            .await?;
        // From here on it is forgotten: what goes wrong is mended by the next upkeep.
        if let Err(error) = self.scrub_log().await {
            tracing::warn!(%error, "the log of the database could not be emptied");
        }
        if let Err(error) = self.forget_in_backups(what, &forgotten, now_micros).await {
            tracing::warn!(%error, "the backups could not forget; they are removed at the next start");
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

/// What the wish reaches in a backup, where some of what was `forgotten` may stand in other words: things are the same when
/// their names and words are, or their days.
pub(crate) fn reach_in_backup(
    connection: &Connection,
    what: &Forget,
    forgotten: &Forgotten,
) -> rusqlite::Result<Reach> {
    let mut reached = match what {
        // Names may mean other things there, and the last thing is another.
        Forget::Items(_) | Forget::LastThing => Reach::default(),
        Forget::Words(_) | Forget::Span(_) | Forget::Conversation(_) => reach(connection, what)?,
    };
    for item in &forgotten.items {
        let Some(there) = remembered(connection, item.id)? else { continue };
        let is_same_day = item.id.kind == Kind::Diary && day_of(item) == day_of(&there);
        if there.text == item.text || is_same_day {
            reached.add(item.id);
        }
    }
    grow(connection, &mut reached)?;
    Ok(reached)
}

/// The day that an entry's context begins with.
fn day_of(entry: &Remembered) -> Option<&str> {
    entry.context.get(..10)
}

/// Everything that a wish to forget reaches.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reach {
    messages: BTreeSet<i64>,
    entries: BTreeSet<i64>,
    /// Those of the entries that were not named themselves: the rest of what was said then is written again.
    to_rewrite: BTreeSet<i64>,
    facts: BTreeSet<i64>,
    nodes: BTreeSet<i64>,
}

impl Reach {
    fn items(&self) -> impl Iterator<Item = ItemId> {
        let of = |kind, rows: &BTreeSet<i64>| {
            rows.iter().map(move |row| ItemId::new(kind, *row)).collect::<Vec<_>>()
        };
        [
            of(Kind::Message, &self.messages),
            of(Kind::Diary, &self.entries),
            of(Kind::Fact, &self.facts),
            of(Kind::Node, &self.nodes),
        ]
        .into_iter()
        .flatten()
    }

    fn add(&mut self, item: ItemId) {
        let rows = match item.kind {
            Kind::Message => &mut self.messages,
            Kind::Diary => &mut self.entries,
            Kind::Fact => &mut self.facts,
            Kind::Node => &mut self.nodes,
        };
        rows.insert(item.row);
    }
}

/// What the wish reaches in this database.
pub(crate) fn reach(connection: &Connection, what: &Forget) -> rusqlite::Result<Reach> {
    let mut reach = Reach::default();
    match what {
        Forget::Items(items) => items.iter().for_each(|item| reach.add(*item)),
        Forget::Words(words) => {
            with_words(connection, words)?.into_iter().for_each(|item| reach.add(item));
            reach.to_rewrite.clone_from(&reach.entries);
        }
        Forget::LastThing => reach.messages = last_thing(connection)?,
        Forget::Span(span) => {
            for (kind, sql) in [
                (Kind::Message, "SELECT id FROM messages WHERE said_at >= ?1 AND said_at < ?2"),
                (
                    Kind::Diary,
                    "SELECT id FROM diary WHERE (unixepoch(day) + 43200) * 1000000 >= ?1
                     AND (unixepoch(day) + 43200) * 1000000 < ?2",
                ),
                (Kind::Fact, "SELECT id FROM facts WHERE valid_from >= ?1 AND valid_from < ?2"),
            ] {
                let mut select = connection.prepare_cached(sql)?;
                let rows = select.query_map([span.start, span.end], |row| row.get(0))?;
                rows.collect::<rusqlite::Result<Vec<i64>>>()?
                    .into_iter()
                    .for_each(|row| reach.add(ItemId::new(kind, row)));
            }
        }
        Forget::Conversation(name) => {
            reach.messages = rows(connection, "SELECT id FROM messages WHERE conversation = ?1", name)?;
        }
    }
    // Root and branches stay, whatever is asked.
    reach.nodes.retain(|row| !NodeId(*row).is_fixed());
    grow(connection, &mut reach)?;
    Ok(reach)
}

/// Adds the words a fact was learned from, then what was made of them: entries, and facts that nothing else bears witness
/// to.
fn grow(connection: &Connection, reach: &mut Reach) -> rusqlite::Result<()> {
    let named: Vec<i64> = reach.facts.iter().copied().collect();
    for fact in named {
        let sql = "SELECT message FROM evidence WHERE fact = ?1 AND message IS NOT NULL";
        reach.messages.extend(rows(connection, sql, fact)?);
    }
    for message in &reach.messages {
        for entry in rows(connection, "SELECT entry FROM diary_sources WHERE message = ?1", message)? {
            reach.entries.insert(entry);
            reach.to_rewrite.insert(entry);
        }
    }
    let mut touched: BTreeSet<i64> = BTreeSet::new();
    for message in &reach.messages {
        touched.extend(rows(connection, "SELECT fact FROM evidence WHERE message = ?1", message)?);
    }
    for entry in &reach.entries {
        touched.extend(rows(connection, "SELECT fact FROM evidence WHERE entry = ?1", entry)?);
    }
    for fact in touched {
        let mut select = connection.prepare_cached("SELECT message, entry FROM evidence WHERE fact = ?1")?;
        let witnesses = select.query_map([fact], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let witnesses = witnesses.collect::<rusqlite::Result<Vec<(Option<i64>, Option<i64>)>>>()?;
        if witnesses.iter().all(|witness| is_reached(reach, *witness)) {
            reach.facts.insert(fact);
        }
    }
    // Older versions of a fact say much the same as it does.
    let mut older: Vec<i64> = reach.facts.iter().copied().collect();
    while let Some(fact) = older.pop() {
        for replaced in rows(connection, "SELECT id FROM facts WHERE replaced_by = ?1", fact)? {
            if reach.facts.insert(replaced) {
                older.push(replaced);
            }
        }
    }
    let nodes: Vec<i64> = reach.nodes.iter().copied().collect();
    for node in nodes {
        reach.facts.extend(rows(connection, "SELECT id FROM facts WHERE node = ?1", node)?);
    }
    Ok(())
}

/// Is this witness forgotten? One that names its message stands or falls with it, one that names only an entry with that.
fn is_reached(reach: &Reach, (message, entry): (Option<i64>, Option<i64>)) -> bool {
    match (message, entry) {
        (Some(message), _) => reach.messages.contains(&message),
        (None, Some(entry)) => reach.entries.contains(&entry),
        (None, None) => false,
    }
}

fn rows(connection: &Connection, sql: &str, value: impl rusqlite::ToSql) -> rusqlite::Result<BTreeSet<i64>> {
    connection.prepare_cached(sql)?.query_map([value], |row| row.get(0))?.collect()
}

fn with_words(connection: &Connection, wanted: &str) -> rusqlite::Result<Vec<ItemId>> {
    let phrase = fold(wanted);
    let terms = words::terms(wanted);
    if phrase.is_empty() || terms.is_empty() {
        return Ok(Vec::new());
    }
    let all = terms.iter().map(|term| words::quoted(term)).collect::<Vec<_>>().join(" AND ");
    let mut select = connection.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1")?;
    let mut found = select
        .query_map([all], |row| Ok(ItemId::of_number(row.get(0)?)))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    // What no longer holds is not in the search tables.
    let mut past = connection.prepare_cached("SELECT id, folded FROM facts WHERE status <> 'current'")?;
    let mut past = past.query([])?;
    let mut with_phrase = Vec::new();
    while let Some(row) = past.next()? {
        if row.get_ref(1)?.as_str()?.contains(&phrase) {
            with_phrase.push(ItemId::new(Kind::Fact, row.get(0)?));
        }
    }
    let mut quotes = connection.prepare_cached("SELECT fact, quote FROM evidence WHERE quote <> ''")?;
    let mut quotes = quotes.query([])?;
    while let Some(row) = quotes.next()? {
        if fold(row.get_ref(1)?.as_str()?).contains(&phrase) {
            with_phrase.push(ItemId::new(Kind::Fact, row.get(0)?));
        }
    }
    for item in &found {
        if indexed(connection, *item)?.is_some_and(|indexed| fold(&indexed.text).contains(&phrase)) {
            with_phrase.push(*item);
        }
    }
    if !with_phrase.is_empty() {
        found = with_phrase;
    }
    Ok(found)
}

fn last_thing(connection: &Connection) -> rusqlite::Result<BTreeSet<i64>> {
    let last: Option<(String, i64)> = connection
        .prepare_cached(
            "SELECT conversation, said_at FROM messages WHERE speaker = 'user' ORDER BY said_at DESC LIMIT 1",
        )?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((conversation, said_at)) = last else { return Ok(BTreeSet::new()) };
    let mut select =
        connection.prepare_cached("SELECT id FROM messages WHERE conversation = ?1 AND said_at >= ?2")?;
    select.query_map(params![conversation, said_at], |row| row.get(0))?.collect()
}

/// All that has to come back when it is undone, parents before what leans on them.
fn saved(connection: &Connection, reach: &Reach) -> rusqlite::Result<Rows> {
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
        rows.save(connection, "nodes", "parent", *node)?;
    }
    // The description of a node goes with its facts.
    for fact in &reach.facts {
        if let Some(fact) = facts::fact_of(connection, FactId(*fact))?.filter(|fact| !fact.node.is_fixed()) {
            rows.save(connection, "nodes", "id", fact.node.0)?;
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
    Ok(rows)
}

fn sources(connection: &Connection, entry: i64) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached("SELECT message FROM diary_sources WHERE entry = ?1")?;
    select.query_map([entry], |row| row.get(0))?.collect()
}

pub(crate) fn take_away(changing: &mut Changing<'_>, reach: &Reach, now_micros: i64) -> Outcome<()> {
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
    for fact in &reach.facts {
        if let Some(fact) = facts::fact_of(changing, FactId(*fact))? {
            facts::delete(changing, &fact)?;
            // A model wrote it from the facts.
            graph::drop_description(changing, fact.node)?;
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
    Ok(())
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
