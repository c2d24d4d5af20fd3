//! What a request to forget reaches: the named items, and what was made of them.

use std::collections::BTreeSet;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};

use super::request::{Forget, Forgotten};
use crate::graph::facts::{self, FactId};
use crate::graph::structure::NodeId;
use crate::item::MemoryItem;
use crate::item::{ItemId, Kind};
use crate::records::messages::CLOCK_SKEW_MICROS;
use crate::search::indexed_text::indexed;
use crate::search::items::remembered;
use crate::search::normalise::{normalise, normalise_sentence};
use crate::search::words;

/// Everything that a request to forget reaches.
#[derive(Debug, Clone, Default)]
pub(crate) struct ForgetScope {
    pub messages: BTreeSet<i64>,
    pub entries: BTreeSet<i64>,
    /// Entries that were not named themselves: the diary is written again from their remaining messages.
    pub to_rewrite: BTreeSet<i64>,
    pub facts: BTreeSet<i64>,
    /// Merged facts of which only part of the evidence is reached: the remaining evidence replaces them.
    pub lines: BTreeSet<i64>,
    /// Evidence that is reached by its words.
    pub evidence: BTreeSet<i64>,
    pub nodes: BTreeSet<i64>,
    /// Meals, appointments and to-dos.
    pub lists: BTreeSet<ItemId>,
}

impl ForgetScope {
    pub fn items(&self) -> impl Iterator<Item = ItemId> {
        let of = |kind, rows: &BTreeSet<i64>| {
            rows.iter().map(move |row| ItemId::new(kind, *row)).collect::<Vec<_>>()
        };
        let facts = self.facts.union(&self.lines).copied().collect();
        [
            of(Kind::Message, &self.messages),
            of(Kind::Diary, &self.entries),
            of(Kind::Fact, &facts),
            of(Kind::Node, &self.nodes),
            self.lists.iter().copied().collect(),
        ]
        .into_iter()
        .flatten()
    }

    /// These messages, and all that was made of them.
    pub fn of_messages(connection: &Connection, messages: BTreeSet<i64>) -> rusqlite::Result<Self> {
        let mut scope = Self { messages, ..Self::default() };
        grow(connection, &mut scope)?;
        Ok(scope)
    }

    fn add(&mut self, item: ItemId) {
        let rows = match item.kind {
            Kind::Message => &mut self.messages,
            Kind::Diary => &mut self.entries,
            Kind::Fact => &mut self.facts,
            Kind::Node => &mut self.nodes,
            Kind::Meal | Kind::Appointment | Kind::Todo => {
                self.lists.insert(item);
                return;
            }
        };
        rows.insert(item.row);
    }

    /// Whether evidence is forgotten: with its message, or else with its diary entry.
    fn contains(&self, evidence: &EvidenceRow) -> bool {
        self.evidence.contains(&evidence.id)
            || match (evidence.message, evidence.entry) {
                (Some(message), _) => self.messages.contains(&message),
                (None, Some(entry)) => self.entries.contains(&entry),
                (None, None) => false,
            }
    }
}

/// What a request reaches in the database.
pub(crate) fn reach(
    connection: &Connection,
    what: &Forget,
    now_micros: i64,
) -> rusqlite::Result<ForgetScope> {
    let mut reach = ForgetScope::default();
    match what {
        Forget::Items(items) => items.iter().for_each(|item| reach.add(*item)),
        Forget::Words(words) => {
            add_with_words(connection, words, &mut reach)?;
            reach.to_rewrite.clone_from(&reach.entries);
        }
        Forget::LastThing => {
            if let Some(LastThing { conversation, message, time }) = last_thing(connection, now_micros)? {
                let sql = "SELECT id FROM messages WHERE conversation = ?1 AND id >= ?2 AND said_at >= ?3 AND said_at < ?4";
                let mut select = connection.prepare_cached(sql)?;
                let said = params![conversation, message, time.start, time.end];
                let messages = select.query_map(said, |row| row.get(0))?;
                reach.messages = messages.collect::<rusqlite::Result<_>>()?;
                // What came of it was entered after it was said.
                add_of_span(connection, &LISTS_OF_SPAN, time.start, time.end, &mut reach)?;
            }
        }
        Forget::Span(span) => {
            add_of_span(connection, &OF_SPAN, span.start, span.end, &mut reach)?;
            add_of_span(connection, &LISTS_OF_SPAN, span.start, span.end, &mut reach)?;
        }
        Forget::Conversation(name) => {
            reach.messages = rows(connection, "SELECT id FROM messages WHERE conversation = ?1", name)?;
        }
    }
    // Root and branches are never deleted.
    reach.nodes.retain(|row| !NodeId(*row).is_fixed());
    if let Forget::Items(_) = what {
        // Naming a node means the facts in it too.
        add_facts_of_nodes(connection, &mut reach)?;
    }
    add_words_of_named(connection, &mut reach)?;
    grow(connection, &mut reach)?;
    Ok(reach)
}

/// What a request reaches in a copy, where some of the `forgotten` items may have other words: items are the same if their ids
/// and words are, or their days. Evidence of facts is not followed: a fact that goes with a message would take others with it.
pub(crate) fn reach_in_copy(
    connection: &Connection,
    what: &Forget,
    forgotten: &Forgotten,
    now_micros: i64,
) -> rusqlite::Result<ForgetScope> {
    let mut reached = match what {
        // Ids may be used by other items there, and the last thing is another.
        Forget::Items(_) | Forget::LastThing => ForgetScope::default(),
        Forget::Words(_) | Forget::Span(_) | Forget::Conversation(_) => reach(connection, what, now_micros)?,
    };
    for item in &forgotten.items {
        // A merged fact is reached through its forgotten evidence, so that the rest is kept.
        if forgotten.lines.contains(&item.id) {
            continue;
        }
        let Some(there) = remembered(connection, item.id)? else { continue };
        let is_same_day = item.id.kind == Kind::Diary && day_of(item) == day_of(&there);
        if there.text == item.text || is_same_day {
            reached.add(item.id);
        }
    }
    grow(connection, &mut reached)?;
    Ok(reached)
}

/// The day at the beginning of the context of a diary entry.
fn day_of(entry: &MemoryItem) -> Option<&str> {
    entry.context.get(..10)
}

/// Items said, written and learned in a time span.
const OF_SPAN: [(Kind, &str); 3] = [
    (Kind::Message, "SELECT id FROM messages WHERE said_at >= ?1 AND said_at < ?2"),
    (
        Kind::Diary,
        "SELECT id FROM diary WHERE (unixepoch(day) + 43200) * 1000000 >= ?1
         AND (unixepoch(day) + 43200) * 1000000 < ?2",
    ),
    (Kind::Fact, "SELECT id FROM facts WHERE valid_from >= ?1 AND valid_from < ?2"),
];

/// List items entered in a time span.
const LISTS_OF_SPAN: [(Kind, &str); 3] = [
    (Kind::Meal, "SELECT id FROM meals WHERE entered_at >= ?1 AND entered_at < ?2"),
    (Kind::Appointment, "SELECT id FROM appointments WHERE created_at >= ?1 AND created_at < ?2"),
    (Kind::Todo, "SELECT id FROM todos WHERE created_at >= ?1 AND created_at < ?2"),
];

fn add_of_span(
    connection: &Connection,
    selects: &[(Kind, &str)],
    start: i64,
    end: i64,
    reach: &mut ForgetScope,
) -> rusqlite::Result<()> {
    for (kind, sql) in selects {
        let mut select = connection.prepare_cached(sql)?;
        let rows = select.query_map([start, end], |row| row.get(0))?;
        for row in rows {
            reach.add(ItemId::new(*kind, row?));
        }
    }
    Ok(())
}

/// The last message of the user.
struct LastThing {
    conversation: String,
    message: i64,
    /// From its time until now.
    time: Range<i64>,
}

/// The last message of the user. Messages of a clock that was ahead are later than now, and only count if there are no others.
/// Ids alone do not tell: imported messages have the newest ids but are older.
fn last_thing(connection: &Connection, now_micros: i64) -> rusqlite::Result<Option<LastThing>> {
    let now = now_micros.saturating_add(CLOCK_SKEW_MICROS);
    let mut select = connection.prepare_cached(
        "SELECT conversation, id, said_at FROM messages WHERE speaker = 'user'
         ORDER BY said_at >= ?1, iif(said_at >= ?1, id, said_at) DESC LIMIT 1",
    )?;
    let last = select.query_row([now], |row| {
        let said_at = row.get(2)?;
        let end = if said_at < now { now } else { i64::MAX };
        Ok(LastThing { conversation: row.get(0)?, message: row.get(1)?, time: said_at..end })
    });
    last.optional()
}

/// Adds the messages that the facts in scope were learned from: they contain what is to be forgotten. Imported facts may only
/// name a diary entry.
fn add_words_of_named(connection: &Connection, reach: &mut ForgetScope) -> rusqlite::Result<()> {
    for fact in &reach.facts {
        let sql = "SELECT message FROM evidence WHERE fact = ?1 AND message IS NOT NULL";
        reach.messages.extend(rows(connection, sql, fact)?);
        let sql = "SELECT entry FROM evidence WHERE fact = ?1 AND message IS NULL AND entry IS NOT NULL";
        let entries = rows(connection, sql, fact)?;
        reach.to_rewrite.extend(entries.difference(&reach.entries));
        reach.entries.extend(entries);
    }
    Ok(())
}

/// Adds the facts of the nodes in scope.
fn add_facts_of_nodes(connection: &Connection, reach: &mut ForgetScope) -> rusqlite::Result<()> {
    for node in &reach.nodes {
        reach.facts.extend(rows(connection, "SELECT id FROM facts WHERE node = ?1", node)?);
    }
    Ok(())
}

/// Adds what was made of the messages in scope: diary entries, and facts without other evidence.
fn grow(connection: &Connection, reach: &mut ForgetScope) -> rusqlite::Result<()> {
    for message in &reach.messages {
        for entry in rows(connection, "SELECT entry FROM diary_sources WHERE message = ?1", message)? {
            reach.entries.insert(entry);
            reach.to_rewrite.insert(entry);
        }
    }
    for fact in touched(connection, reach)? {
        match disposition(connection, reach, fact)? {
            Disposition::Stays => {}
            Disposition::Goes => {
                reach.facts.insert(fact);
            }
            Disposition::IsReworded => {
                reach.lines.insert(fact);
            }
        }
    }
    add_facts_of_nodes(connection, reach)?;
    // Older versions of a fact have similar words.
    let mut older: Vec<i64> = reach.facts.iter().copied().collect();
    while let Some(fact) = older.pop() {
        for replaced in rows(connection, "SELECT id FROM facts WHERE replaced_by = ?1", fact)? {
            if reach.facts.insert(replaced) {
                older.push(replaced);
            }
        }
    }
    let ForgetScope { lines, facts, .. } = reach;
    lines.retain(|line| !facts.contains(line));
    Ok(())
}

/// The facts that evidence in scope supports.
fn touched(connection: &Connection, reach: &ForgetScope) -> rusqlite::Result<BTreeSet<i64>> {
    let mut touched = BTreeSet::new();
    for (sql, named) in [
        ("SELECT fact FROM evidence WHERE message = ?1", &reach.messages),
        ("SELECT fact FROM evidence WHERE entry = ?1", &reach.entries),
        ("SELECT fact FROM evidence WHERE id = ?1", &reach.evidence),
    ] {
        for row in named {
            touched.extend(rows(connection, sql, row)?);
        }
    }
    Ok(touched)
}

/// What happens to a fact when part of its evidence is forgotten.
enum Disposition {
    /// Remaining evidence states exactly the same.
    Stays,
    /// No evidence remains.
    Goes,
    /// Evidence remains, but with other words: the fact was worded from what is forgotten as well, and may contain it.
    IsReworded,
}

fn disposition(connection: &Connection, reach: &ForgetScope, fact: i64) -> rusqlite::Result<Disposition> {
    let rows = evidence_rows(connection, fact)?;
    let left: Vec<&EvidenceRow> = rows.iter().filter(|evidence| !reach.contains(evidence)).collect();
    if left.is_empty() {
        return Ok(Disposition::Goes);
    }
    let Some(fact) = facts::fact_of(connection, FactId(fact))? else { return Ok(Disposition::Stays) };
    let says_it =
        |evidence: &&EvidenceRow| normalise_sentence(&evidence.wording) == normalise_sentence(&fact.text);
    let is_untouched = left.len() == rows.len();
    Ok(if is_untouched || left.iter().any(says_it) { Disposition::Stays } else { Disposition::IsReworded })
}

/// A row of the evidence table.
pub(super) struct EvidenceRow {
    pub id: i64,
    message: Option<i64>,
    entry: Option<i64>,
    quote: String,
    wording: String,
}

fn evidence_rows(connection: &Connection, fact: i64) -> rusqlite::Result<Vec<EvidenceRow>> {
    let sql = "SELECT id, message, entry, quote, wording FROM evidence WHERE fact = ?1 ORDER BY id";
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map([fact], |row| {
        Ok(EvidenceRow {
            id: row.get(0)?,
            message: row.get(1)?,
            entry: row.get(2)?,
            quote: row.get(3)?,
            wording: row.get(4)?,
        })
    })?;
    rows.collect()
}

pub(super) fn rows(
    connection: &Connection,
    sql: &str,
    value: impl rusqlite::ToSql,
) -> rusqlite::Result<BTreeSet<i64>> {
    connection.prepare_cached(sql)?.query_map([value], |row| row.get(0))?.collect()
}

fn add_with_words(connection: &Connection, wanted: &str, reach: &mut ForgetScope) -> rusqlite::Result<()> {
    let phrase = normalise(wanted);
    let (found, how) = with_words(connection, wanted, &phrase)?;
    for item in &found {
        reach.add(*item);
    }
    // Of a merged fact, only the evidence that contains the words.
    for fact in found.iter().filter(|item| item.kind == Kind::Fact).map(|item| item.row) {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for evidence in evidence_rows(connection, fact)? {
            let is_reached = evidence.message.is_some_and(|message| reach.messages.contains(&message));
            let has_words = how.is_in(&phrase, &evidence.wording)? || how.is_in(&phrase, &evidence.quote)?;
            if is_reached || has_words { &mut with } else { &mut without }.push(evidence);
        }
        if !with.is_empty() && without.iter().any(|evidence| !evidence.wording.is_empty()) {
            reach.facts.remove(&fact);
            reach.messages.extend(with.iter().filter_map(|evidence| evidence.message));
            reach.evidence.extend(with.iter().map(|evidence| evidence.id));
        }
    }
    Ok(())
}

/// How the words were found.
enum Match {
    /// As a phrase.
    AsPhrase,
    /// Separately; matched by this full-text expression.
    Apart(String),
}

impl Match {
    fn is_in(&self, phrase: &str, text: &str) -> rusqlite::Result<bool> {
        match self {
            Self::AsPhrase => Ok(normalise(text).contains(phrase)),
            Self::Apart(all) => Ok(!words::matching(&[text.to_owned()], all)?.is_empty()),
        }
    }
}

/// The items that contain the phrase; if there are none, the items that contain all words.
fn with_words(
    connection: &Connection,
    wanted: &str,
    phrase: &str,
) -> rusqlite::Result<(BTreeSet<ItemId>, Match)> {
    let terms = words::terms(wanted);
    if phrase.is_empty() || terms.is_empty() {
        return Ok((BTreeSet::new(), Match::AsPhrase));
    }
    let all = terms.iter().map(|term| words::quoted(term)).collect::<Vec<_>>().join(" AND ");
    let mut select = connection.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1")?;
    let mut found = select
        .query_map([&all], |row| Ok(ItemId::of_number(row.get(0)?)))?
        .collect::<rusqlite::Result<BTreeSet<_>>>()?;
    let mut with_phrase = facts_with(connection, phrase)?;
    for item in &found {
        if indexed(connection, *item)?.is_some_and(|indexed| normalise(&indexed.text).contains(phrase)) {
            with_phrase.insert(*item);
        }
    }
    let (ids, texts): (Vec<ItemId>, Vec<String>) = on_lists(connection)?.into_iter().unzip();
    for place in words::matching(&texts, &all)? {
        found.insert(ids[place]);
        if normalise(&texts[place]).contains(phrase) {
            with_phrase.insert(ids[place]);
        }
    }
    drop(select);
    Ok(match with_phrase.is_empty() {
        true => (found, Match::Apart(all)),
        false => (with_phrase, Match::AsPhrase),
    })
}

/// Facts with the phrase that the search table does not contain: those that no longer hold, and those with it in their evidence.
fn facts_with(connection: &Connection, phrase: &str) -> rusqlite::Result<BTreeSet<ItemId>> {
    let mut facts = BTreeSet::new();
    for sql in [
        "SELECT id, text FROM facts WHERE status <> 'current'",
        "SELECT fact, quote FROM evidence WHERE quote <> ''",
        "SELECT fact, wording FROM evidence WHERE wording <> ''",
    ] {
        let mut select = connection.prepare_cached(sql)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            if normalise(row.get_ref(1)?.as_str()?).contains(phrase) {
                facts.insert(ItemId::new(Kind::Fact, row.get(0)?));
            }
        }
    }
    Ok(facts)
}

/// All list items with their words.
fn on_lists(connection: &Connection) -> rusqlite::Result<Vec<(ItemId, String)>> {
    let mut all = Vec::new();
    for (kind, sql) in [
        (Kind::Meal, "SELECT id, description || char(10) || coalesce(micros, '') FROM meals"),
        (Kind::Appointment, "SELECT id, label FROM appointments"),
        (Kind::Todo, "SELECT id, list || char(10) || text FROM todos"),
    ] {
        let mut select = connection.prepare_cached(sql)?;
        let rows = select.query_map([], |row| Ok((ItemId::new(kind, row.get(0)?), row.get(1)?)))?;
        all.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(all)
}
