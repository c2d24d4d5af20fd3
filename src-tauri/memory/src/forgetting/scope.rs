//! The scope of a request to forget: the named items, and everything that was derived from them.

use std::collections::BTreeSet;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};

use super::request::{Forget, ForgetOutcome};
use crate::graph::facts::{self, FactId};
use crate::graph::structure::NodeId;
use crate::item::MemoryItem;
use crate::item::{ItemId, RecordKind};
use crate::records::calls::{CALLS_IN_SPAN, CALLS_OF_MESSAGE, words_of_calls};
use crate::records::messages::CLOCK_SKEW_MICROS;
use crate::search::indexed_text::indexed;
use crate::search::items::memory_item;
use crate::search::normalise::{normalise, normalise_sentence};
use crate::search::words;

/// Everything that a request to forget deletes or changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ForgetScope {
    pub messages: BTreeSet<i64>,
    pub entries: BTreeSet<i64>,
    /// Entries that were not named themselves: the diary is written again from their remaining messages.
    pub to_rewrite: BTreeSet<i64>,
    pub facts: BTreeSet<i64>,
    /// Merged facts that lose only part of their evidence: the remaining evidence replaces them.
    pub lines: BTreeSet<i64>,
    /// Evidence that contains the words of the request.
    pub evidence: BTreeSet<i64>,
    pub nodes: BTreeSet<i64>,
    /// Meals, appointments and to-dos.
    pub lists: BTreeSet<ItemId>,
    /// Calls of tools in the log.
    pub calls: BTreeSet<i64>,
}

impl ForgetScope {
    pub fn items(&self) -> impl Iterator<Item = ItemId> {
        let of = |kind, rows: &BTreeSet<i64>| {
            rows.iter().map(move |row| ItemId::new(kind, *row)).collect::<Vec<_>>()
        };
        let facts = self.facts.union(&self.lines).copied().collect();
        [
            of(RecordKind::Message, &self.messages),
            of(RecordKind::Diary, &self.entries),
            of(RecordKind::Fact, &facts),
            of(RecordKind::Node, &self.nodes),
            self.lists.iter().copied().collect(),
        ]
        .into_iter()
        .flatten()
    }

    /// These messages, and everything that was derived from them.
    pub fn from_messages(connection: &Connection, messages: BTreeSet<i64>) -> rusqlite::Result<Self> {
        let mut scope = Self { messages, ..Self::default() };
        add_derived(connection, &mut scope)?;
        Ok(scope)
    }

    fn add(&mut self, item: ItemId) {
        let rows = match item.kind {
            RecordKind::Message => &mut self.messages,
            RecordKind::Diary => &mut self.entries,
            RecordKind::Fact => &mut self.facts,
            RecordKind::Node => &mut self.nodes,
            RecordKind::Meal | RecordKind::Appointment | RecordKind::Todo => {
                self.lists.insert(item);
                return;
            }
        };
        rows.insert(item.row);
    }

    /// Returns `true` if evidence is forgotten: with its message, or else with its diary entry.
    fn contains(&self, evidence: &EvidenceRow) -> bool {
        self.evidence.contains(&evidence.id)
            || match (evidence.message, evidence.entry) {
                (Some(message), _) => self.messages.contains(&message),
                (None, Some(entry)) => self.entries.contains(&entry),
                (None, None) => false,
            }
    }
}

/// The scope of a request in the database.
pub(crate) fn scope_of(
    connection: &Connection,
    what: &Forget,
    now_micros: i64,
) -> rusqlite::Result<ForgetScope> {
    let mut scope = ForgetScope::default();
    match what {
        Forget::Items(items) => items.iter().for_each(|item| scope.add(*item)),
        Forget::Words(words) => {
            add_with_words(connection, words, &mut scope)?;
            scope.to_rewrite.clone_from(&scope.entries);
        }
        Forget::LastThing => {
            if let Some(LastMessage { conversation, message, time }) = last_message(connection, now_micros)? {
                let sql = "SELECT id FROM messages WHERE conversation = ?1 AND id >= ?2 AND said_at >= ?3 AND said_at < ?4";
                let mut select = connection.prepare_cached(sql)?;
                let bounds = params![conversation, message, time.start, time.end];
                let messages = select.query_map(bounds, |row| row.get(0))?;
                scope.messages = messages.collect::<rusqlite::Result<_>>()?;
                // List items that result from the message were entered after it.
                add_from_span(connection, &LIST_ITEMS_IN_SPAN, time.start, time.end, &mut scope)?;
            }
        }
        Forget::Span(span) => {
            add_from_span(connection, &ITEMS_IN_SPAN, span.start, span.end, &mut scope)?;
            add_from_span(connection, &LIST_ITEMS_IN_SPAN, span.start, span.end, &mut scope)?;
            let mut select = connection.prepare_cached(CALLS_IN_SPAN)?;
            let calls = select.query_map([span.start, span.end], |row| row.get(0))?;
            scope.calls = calls.collect::<rusqlite::Result<_>>()?;
        }
        Forget::Conversation(name) => {
            scope.messages = rows(connection, "SELECT id FROM messages WHERE conversation = ?1", name)?;
            scope.calls = rows(connection, "SELECT id FROM calls WHERE conversation = ?1", name)?;
        }
    }
    // Root and branches are never deleted.
    scope.nodes.retain(|row| !NodeId(*row).is_fixed());
    if let Forget::Items(_) = what {
        // A named node includes its facts.
        add_facts_of_nodes(connection, &mut scope)?;
    }
    add_sources_of_facts(connection, &mut scope)?;
    add_derived(connection, &mut scope)?;
    Ok(scope)
}

/// The scope of a request in a copy, where some of the `forgotten` items may have other words: items are the same if their ids
/// and words are, or their days. Evidence of facts is not followed: the scope would grow from fact to fact.
pub(crate) fn scope_in_copy(
    connection: &Connection,
    what: &Forget,
    forgotten: &ForgetOutcome,
    now_micros: i64,
) -> rusqlite::Result<ForgetScope> {
    let mut scope = match what {
        // In the copy, other items may have these ids, and another message is the last one.
        Forget::Items(_) | Forget::LastThing => ForgetScope::default(),
        Forget::Words(_) | Forget::Span(_) | Forget::Conversation(_) => {
            scope_of(connection, what, now_micros)?
        }
    };
    // The log only grows, so a call has the same number in a copy, unless the copy is of another line of changes.
    for (call, at) in &forgotten.calls {
        let sql = "SELECT 1 FROM calls WHERE id = ?1 AND at = ?2";
        if connection.prepare_cached(sql)?.exists([call, at])? {
            scope.calls.insert(*call);
        }
    }
    for item in &forgotten.items {
        // A merged fact is found by its forgotten evidence, so that the rest is kept.
        if forgotten.lines.contains(&item.id) {
            continue;
        }
        let Some(there) = memory_item(connection, item.id)? else { continue };
        let is_same_day = item.id.kind == RecordKind::Diary && day_of(item) == day_of(&there);
        if there.text == item.text || is_same_day {
            scope.add(item.id);
        }
    }
    add_derived(connection, &mut scope)?;
    Ok(scope)
}

/// The day at the beginning of the context of a diary entry.
fn day_of(entry: &MemoryItem) -> Option<&str> {
    entry.context.get(..10)
}

/// Items said, written and learned in a time span.
const ITEMS_IN_SPAN: [(RecordKind, &str); 3] = [
    (RecordKind::Message, "SELECT id FROM messages WHERE said_at >= ?1 AND said_at < ?2"),
    (
        RecordKind::Diary,
        "SELECT id FROM diary WHERE (unixepoch(day) + 43200) * 1000000 >= ?1
         AND (unixepoch(day) + 43200) * 1000000 < ?2",
    ),
    (RecordKind::Fact, "SELECT id FROM facts WHERE valid_from >= ?1 AND valid_from < ?2"),
];

/// List items entered in a time span.
const LIST_ITEMS_IN_SPAN: [(RecordKind, &str); 3] = [
    (RecordKind::Meal, "SELECT id FROM meals WHERE entered_at >= ?1 AND entered_at < ?2"),
    (RecordKind::Appointment, "SELECT id FROM appointments WHERE created_at >= ?1 AND created_at < ?2"),
    (RecordKind::Todo, "SELECT id FROM todos WHERE created_at >= ?1 AND created_at < ?2"),
];

fn add_from_span(
    connection: &Connection,
    selects: &[(RecordKind, &str)],
    start: i64,
    end: i64,
    scope: &mut ForgetScope,
) -> rusqlite::Result<()> {
    for (kind, sql) in selects {
        let mut select = connection.prepare_cached(sql)?;
        let rows = select.query_map([start, end], |row| row.get(0))?;
        for row in rows {
            scope.add(ItemId::new(*kind, row?));
        }
    }
    Ok(())
}

/// The last message of the user.
struct LastMessage {
    conversation: String,
    message: i64,
    /// From its time until now.
    time: Range<i64>,
}

/// The last message of the user. Messages of a clock that was ahead are later than now, and only count if there are no others.
/// Ids alone are not enough: imported messages have the newest ids but are older.
fn last_message(connection: &Connection, now_micros: i64) -> rusqlite::Result<Option<LastMessage>> {
    let now = now_micros.saturating_add(CLOCK_SKEW_MICROS);
    let mut select = connection.prepare_cached(
        "SELECT conversation, id, said_at FROM messages WHERE speaker = 'user'
         ORDER BY said_at >= ?1, iif(said_at >= ?1, id, said_at) DESC LIMIT 1",
    )?;
    let last = select.query_row([now], |row| {
        let said_at = row.get(2)?;
        let end = if said_at < now { now } else { i64::MAX };
        Ok(LastMessage { conversation: row.get(0)?, message: row.get(1)?, time: said_at..end })
    });
    last.optional()
}

/// Adds the messages that the facts in scope were learned from: they contain what is to be forgotten. Imported facts may only
/// name a diary entry.
fn add_sources_of_facts(connection: &Connection, scope: &mut ForgetScope) -> rusqlite::Result<()> {
    for fact in &scope.facts {
        let sql = "SELECT message FROM evidence WHERE fact = ?1 AND message IS NOT NULL";
        scope.messages.extend(rows(connection, sql, fact)?);
        let sql = "SELECT entry FROM evidence WHERE fact = ?1 AND message IS NULL AND entry IS NOT NULL";
        let entries = rows(connection, sql, fact)?;
        scope.to_rewrite.extend(entries.difference(&scope.entries));
        scope.entries.extend(entries);
    }
    Ok(())
}

/// Adds the facts of the nodes in scope.
fn add_facts_of_nodes(connection: &Connection, scope: &mut ForgetScope) -> rusqlite::Result<()> {
    for node in &scope.nodes {
        scope.facts.extend(rows(connection, "SELECT id FROM facts WHERE node = ?1", node)?);
    }
    Ok(())
}

/// Adds what was derived from the messages in scope: diary entries, and facts without other evidence.
fn add_derived(connection: &Connection, scope: &mut ForgetScope) -> rusqlite::Result<()> {
    for message in &scope.messages {
        scope.calls.extend(rows(connection, CALLS_OF_MESSAGE, message)?);
        for entry in rows(connection, "SELECT entry FROM diary_sources WHERE message = ?1", message)? {
            scope.entries.insert(entry);
            scope.to_rewrite.insert(entry);
        }
    }
    for fact in supported_facts(connection, scope)? {
        match disposition(connection, scope, fact)? {
            Disposition::Stays => {}
            Disposition::Goes => {
                scope.facts.insert(fact);
            }
            Disposition::IsReworded => {
                scope.lines.insert(fact);
            }
        }
    }
    add_facts_of_nodes(connection, scope)?;
    // Older versions of a fact have similar words.
    let mut older: Vec<i64> = scope.facts.iter().copied().collect();
    while let Some(fact) = older.pop() {
        for replaced in rows(connection, "SELECT id FROM facts WHERE replaced_by = ?1", fact)? {
            if scope.facts.insert(replaced) {
                older.push(replaced);
            }
        }
    }
    let ForgetScope { lines, facts, .. } = scope;
    lines.retain(|line| !facts.contains(line));
    Ok(())
}

/// The facts that evidence in scope supports.
fn supported_facts(connection: &Connection, scope: &ForgetScope) -> rusqlite::Result<BTreeSet<i64>> {
    let mut supported_facts = BTreeSet::new();
    for (sql, named) in [
        ("SELECT fact FROM evidence WHERE message = ?1", &scope.messages),
        ("SELECT fact FROM evidence WHERE entry = ?1", &scope.entries),
        ("SELECT fact FROM evidence WHERE id = ?1", &scope.evidence),
    ] {
        for row in named {
            supported_facts.extend(rows(connection, sql, row)?);
        }
    }
    Ok(supported_facts)
}

/// The fate of a fact when part of its evidence is forgotten.
enum Disposition {
    /// Remaining evidence states exactly the same.
    Stays,
    /// No evidence remains.
    Goes,
    /// Evidence remains, but with other words: the fact was worded from what is forgotten as well, and may contain it.
    IsReworded,
}

fn disposition(connection: &Connection, scope: &ForgetScope, fact: i64) -> rusqlite::Result<Disposition> {
    let rows = evidence_rows(connection, fact)?;
    let left: Vec<&EvidenceRow> = rows.iter().filter(|evidence| !scope.contains(evidence)).collect();
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

fn add_with_words(connection: &Connection, wanted: &str, scope: &mut ForgetScope) -> rusqlite::Result<()> {
    let phrase = normalise(wanted);
    let (found, how) = items_with_words(connection, wanted, &phrase)?;
    for item in &found {
        scope.add(*item);
    }
    if !phrase.is_empty() {
        for (call, arguments) in words_of_calls(connection)? {
            if how.is_in(&phrase, &arguments)? {
                scope.calls.insert(call);
            }
        }
    }
    // Of a merged fact, only the evidence that contains the words.
    for fact in found.iter().filter(|item| item.kind == RecordKind::Fact).map(|item| item.row) {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for evidence in evidence_rows(connection, fact)? {
            let is_reached = evidence.message.is_some_and(|message| scope.messages.contains(&message));
            let has_words = how.is_in(&phrase, &evidence.wording)? || how.is_in(&phrase, &evidence.quote)?;
            if is_reached || has_words { &mut with } else { &mut without }.push(evidence);
        }
        if !with.is_empty() && without.iter().any(|evidence| !evidence.wording.is_empty()) {
            scope.facts.remove(&fact);
            scope.messages.extend(with.iter().filter_map(|evidence| evidence.message));
            scope.evidence.extend(with.iter().map(|evidence| evidence.id));
        }
    }
    Ok(())
}

/// The way the words were found.
enum Match {
    /// The words in this order, next to each other.
    AsPhrase,
    /// Separately; matched by this full-text expression.
    Separately(String),
}

impl Match {
    fn is_in(&self, phrase: &str, text: &str) -> rusqlite::Result<bool> {
        match self {
            Self::AsPhrase => Ok(normalise(text).contains(phrase)),
            Self::Separately(all) => Ok(!words::matching(&[text.to_owned()], all)?.is_empty()),
        }
    }
}

/// The items that contain the phrase; if there are none, the items that contain all words.
fn items_with_words(
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
        .query_map([&all], |row| Ok(ItemId::from_number(row.get(0)?)))?
        .collect::<rusqlite::Result<BTreeSet<_>>>()?;
    let mut with_phrase = facts_with(connection, phrase)?;
    for item in &found {
        if indexed(connection, *item)?.is_some_and(|indexed| normalise(&indexed.text).contains(phrase)) {
            with_phrase.insert(*item);
        }
    }
    let (ids, texts): (Vec<ItemId>, Vec<String>) = list_items(connection)?.into_iter().unzip();
    for place in words::matching(&texts, &all)? {
        found.insert(ids[place]);
        if normalise(&texts[place]).contains(phrase) {
            with_phrase.insert(ids[place]);
        }
    }
    drop(select);
    Ok(match with_phrase.is_empty() {
        true => (found, Match::Separately(all)),
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
                facts.insert(ItemId::new(RecordKind::Fact, row.get(0)?));
            }
        }
    }
    Ok(facts)
}

/// All list items with their words.
fn list_items(connection: &Connection) -> rusqlite::Result<Vec<(ItemId, String)>> {
    let mut all = Vec::new();
    for (kind, sql) in [
        (RecordKind::Meal, "SELECT id, description || char(10) || coalesce(micros, '') FROM meals"),
        (RecordKind::Appointment, "SELECT id, label FROM appointments"),
        (RecordKind::Todo, "SELECT id, list || char(10) || text FROM todos"),
    ] {
        let mut select = connection.prepare_cached(sql)?;
        let rows = select.query_map([], |row| Ok((ItemId::new(kind, row.get(0)?), row.get(1)?)))?;
        all.extend(rows.collect::<rusqlite::Result<Vec<_>>>()?);
    }
    Ok(all)
}
