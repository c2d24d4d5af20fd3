//! What a wish to forget reaches.

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
use crate::search::normalise::{bare, fold};
use crate::search::words;

/// Everything that a wish to forget reaches.
#[derive(Debug, Clone, Default)]
pub(crate) struct ForgetScope {
    pub messages: BTreeSet<i64>,
    pub entries: BTreeSet<i64>,
    /// Those of the entries that were not named themselves: the rest of what was said then is written again.
    pub to_rewrite: BTreeSet<i64>,
    pub facts: BTreeSet<i64>,
    /// Facts that were merged from several witnesses, of which only some are reached: what the others say is put in
    /// their place.
    pub lines: BTreeSet<i64>,
    /// Evidence that is reached by its words, whatever it names.
    pub witnesses: BTreeSet<i64>,
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

    /// Is this witness forgotten? One that names its message stands or falls with it, one that names only an entry with
    /// that.
    fn holds(&self, witness: &Witness) -> bool {
        self.witnesses.contains(&witness.id)
            || match (witness.message, witness.entry) {
                (Some(message), _) => self.messages.contains(&message),
                (None, Some(entry)) => self.entries.contains(&entry),
                (None, None) => false,
            }
    }
}

/// What the wish reaches in this database at a moment.
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
    // Root and branches stay, whatever is asked.
    reach.nodes.retain(|row| !NodeId(*row).is_fixed());
    if let Forget::Items(_) = what {
        // Who names a node names what is known in it.
        add_facts_of_nodes(connection, &mut reach)?;
    }
    add_words_of_named(connection, &mut reach)?;
    grow(connection, &mut reach)?;
    Ok(reach)
}

/// What the wish reaches in a copy, where some of what was `forgotten` may stand in other words: things are the same when
/// their names and words are, or their days. The words of facts were named in the memory, if they were: here they are not
/// looked for again, for a fact that goes with a message would take others with it.
pub(crate) fn reach_in_copy(
    connection: &Connection,
    what: &Forget,
    forgotten: &Forgotten,
    now_micros: i64,
) -> rusqlite::Result<ForgetScope> {
    let mut reached = match what {
        // Names may mean other things there, and the last thing is another.
        Forget::Items(_) | Forget::LastThing => ForgetScope::default(),
        Forget::Words(_) | Forget::Span(_) | Forget::Conversation(_) => reach(connection, what, now_micros)?,
    };
    for item in &forgotten.items {
        // A merged line is reached through the witness that was forgotten, so that the others stay.
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

/// The day that an entry's context begins with.
fn day_of(entry: &MemoryItem) -> Option<&str> {
    entry.context.get(..10)
}

/// What was said, written and learned in a time.
const OF_SPAN: [(Kind, &str); 3] = [
    (Kind::Message, "SELECT id FROM messages WHERE said_at >= ?1 AND said_at < ?2"),
    (
        Kind::Diary,
        "SELECT id FROM diary WHERE (unixepoch(day) + 43200) * 1000000 >= ?1
         AND (unixepoch(day) + 43200) * 1000000 < ?2",
    ),
    (Kind::Fact, "SELECT id FROM facts WHERE valid_from >= ?1 AND valid_from < ?2"),
];

/// What was entered on the lists in a time.
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

/// What the user said last.
struct LastThing {
    conversation: String,
    message: i64,
    /// From when it was said until now.
    time: Range<i64>,
}

/// What was said last, but for what was said by a clock that was ahead, which is later than now: where there is nothing else,
/// the last of that. Numbers alone do not tell, for what was taken in is numbered last and older.
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

/// Adds the words that the facts were learned from which are reached so far, for they are those that were asked for. Where
/// only the day is known, as of what was taken in, that is its entry.
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

/// Adds what is known in the nodes that are reached.
fn add_facts_of_nodes(connection: &Connection, reach: &mut ForgetScope) -> rusqlite::Result<()> {
    for node in &reach.nodes {
        reach.facts.extend(rows(connection, "SELECT id FROM facts WHERE node = ?1", node)?);
    }
    Ok(())
}

/// Adds what was made of the words that are reached: entries, and facts that nothing else bears witness to.
fn grow(connection: &Connection, reach: &mut ForgetScope) -> rusqlite::Result<()> {
    for message in &reach.messages {
        for entry in rows(connection, "SELECT entry FROM diary_sources WHERE message = ?1", message)? {
            reach.entries.insert(entry);
            reach.to_rewrite.insert(entry);
        }
    }
    for fact in touched(connection, reach)? {
        match fate(connection, reach, fact)? {
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
    // Older versions of a fact say much the same as it does.
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

/// The facts that a reached witness speaks for.
fn touched(connection: &Connection, reach: &ForgetScope) -> rusqlite::Result<BTreeSet<i64>> {
    let mut touched = BTreeSet::new();
    for (sql, named) in [
        ("SELECT fact FROM evidence WHERE message = ?1", &reach.messages),
        ("SELECT fact FROM evidence WHERE entry = ?1", &reach.entries),
        ("SELECT fact FROM evidence WHERE id = ?1", &reach.witnesses),
    ] {
        for row in named {
            touched.extend(rows(connection, sql, row)?);
        }
    }
    Ok(touched)
}

/// What becomes of a fact when some of its witnesses are forgotten.
enum Disposition {
    /// Another witness says the very same by itself.
    Stays,
    /// Nothing else bears witness to it.
    Goes,
    /// Others bear witness, but none of them says it in these words: the line was worded from what is forgotten as well,
    /// and may hold it.
    IsReworded,
}

fn fate(connection: &Connection, reach: &ForgetScope, fact: i64) -> rusqlite::Result<Disposition> {
    let witnesses = witnesses(connection, fact)?;
    let left: Vec<&Witness> = witnesses.iter().filter(|witness| !reach.holds(witness)).collect();
    if left.is_empty() {
        return Ok(Disposition::Goes);
    }
    let Some(fact) = facts::fact_of(connection, FactId(fact))? else { return Ok(Disposition::Stays) };
    let says_it = |witness: &&Witness| bare(&witness.wording) == bare(&fact.text);
    let is_untouched = left.len() == witnesses.len();
    Ok(if is_untouched || left.iter().any(says_it) { Disposition::Stays } else { Disposition::IsReworded })
}

/// A row of the evidence.
pub(super) struct Witness {
    pub id: i64,
    message: Option<i64>,
    entry: Option<i64>,
    quote: String,
    wording: String,
}

fn witnesses(connection: &Connection, fact: i64) -> rusqlite::Result<Vec<Witness>> {
    let sql = "SELECT id, message, entry, quote, wording FROM evidence WHERE fact = ?1 ORDER BY id";
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map([fact], |row| {
        Ok(Witness {
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
    let phrase = fold(wanted);
    let (found, how) = with_words(connection, wanted, &phrase)?;
    for item in &found {
        reach.add(*item);
    }
    // Of a line that was merged from several, only those witnesses that hold the words.
    for fact in found.iter().filter(|item| item.kind == Kind::Fact).map(|item| item.row) {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for witness in witnesses(connection, fact)? {
            let is_reached = witness.message.is_some_and(|message| reach.messages.contains(&message));
            let has_words = how.is_in(&phrase, &witness.wording)? || how.is_in(&phrase, &witness.quote)?;
            if is_reached || has_words { &mut with } else { &mut without }.push(witness);
        }
        if !with.is_empty() && without.iter().any(|witness| !witness.wording.is_empty()) {
            reach.facts.remove(&fact);
            reach.messages.extend(with.iter().filter_map(|witness| witness.message));
            reach.witnesses.extend(with.iter().map(|witness| witness.id));
        }
    }
    Ok(())
}

/// How words were found.
enum Found {
    /// One after the other.
    AsPhrase,
    /// All of them somewhere, as this expression of the search says it.
    Apart(String),
}

impl Found {
    fn is_in(&self, phrase: &str, text: &str) -> rusqlite::Result<bool> {
        match self {
            Self::AsPhrase => Ok(fold(text).contains(phrase)),
            Self::Apart(all) => Ok(!words::matching(&[text.to_owned()], all)?.is_empty()),
        }
    }
}

/// What has these words, one after the other; where nothing has them so, what has all.
fn with_words(
    connection: &Connection,
    wanted: &str,
    phrase: &str,
) -> rusqlite::Result<(BTreeSet<ItemId>, Found)> {
    let terms = words::terms(wanted);
    if phrase.is_empty() || terms.is_empty() {
        return Ok((BTreeSet::new(), Found::AsPhrase));
    }
    let all = terms.iter().map(|term| words::quoted(term)).collect::<Vec<_>>().join(" AND ");
    let mut select = connection.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1")?;
    let mut found = select
        .query_map([&all], |row| Ok(ItemId::of_number(row.get(0)?)))?
        .collect::<rusqlite::Result<BTreeSet<_>>>()?;
    let mut with_phrase = facts_with(connection, phrase)?;
    for item in &found {
        if indexed(connection, *item)?.is_some_and(|indexed| fold(&indexed.text).contains(phrase)) {
            with_phrase.insert(*item);
        }
    }
    let (ids, texts): (Vec<ItemId>, Vec<String>) = on_lists(connection)?.into_iter().unzip();
    for place in words::matching(&texts, &all)? {
        found.insert(ids[place]);
        if fold(&texts[place]).contains(phrase) {
            with_phrase.insert(ids[place]);
        }
    }
    drop(select);
    Ok(match with_phrase.is_empty() {
        true => (found, Found::Apart(all)),
        false => (with_phrase, Found::AsPhrase),
    })
}

/// Facts that the search tables do not show by these words: those that no longer hold, and those whose witnesses have them.
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
            if fold(row.get_ref(1)?.as_str()?).contains(phrase) {
                facts.insert(ItemId::new(Kind::Fact, row.get(0)?));
            }
        }
    }
    Ok(facts)
}

/// All that stands on lists, with its words.
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
