//! Adds what an archive holds to what is here. What is here already stays as it is, and links lead to it.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{OptionalExtension, params};

use crate::MemoryError;
use crate::error::Outcome;
use crate::forgetting::undo_records as undo;
use crate::graph::facts::{self, Evidence, FactId, FactStatus};
use crate::graph::nodes;
use crate::graph::structure::{Branch, NodeId};
use crate::item::{ItemId, Kind};
use crate::memory::Changing;
use crate::memory::Memory;
use crate::records::diary::{self, EntryId};
use crate::records::{appointments, meals, todos};
use crate::search::normalise::fold;
use crate::transfer::archive::{
    Archive, ArchivedEntry, ArchivedFact, ArchivedMessage, ArchivedNode, OLDER_FORMAT,
};

/// What came in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Messages that are new.
    pub messages: usize,
    /// Diary entries that are new.
    pub entries: usize,
    /// Nodes that are new.
    pub nodes: usize,
    /// Facts that are new.
    pub facts: usize,
    /// Meals, appointments and to-dos that are new.
    pub others: usize,
}

impl Memory {
    /// Takes in an archive, all of it or nothing. The same archive taken in twice adds nothing the second time.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]; then nothing was taken in.
    pub async fn import(&self, archive: Archive, now_micros: i64) -> Result<Imported, MemoryError> {
        self.change(move |changing| take_in(changing, archive, now_micros)).await
    }
}

/// What the numbers of an archive are called here.
struct Rows {
    messages: HashMap<i64, i64>,
    entries: HashMap<i64, i64>,
    nodes: HashMap<i64, NodeId>,
    facts: HashMap<i64, FactId>,
    /// Rows that stand for something in the archive already: the next of the same words is another.
    taken_nodes: BTreeSet<i64>,
    taken_facts: BTreeSet<i64>,
    /// Facts up to this one were here before.
    newest_fact: i64,
    /// Nothing was noted of branches then.
    is_older: bool,
}

pub(super) fn take_in(
    changing: &mut Changing<'_>,
    mut archive: Archive,
    now_micros: i64,
) -> Outcome<Imported> {
    let is_older = archive.format == OLDER_FORMAT;
    if is_older {
        bring_up(&mut archive, now_micros);
    }
    let mut imported = Imported::default();
    let mut rows = Rows {
        messages: HashMap::new(),
        entries: HashMap::new(),
        nodes: HashMap::new(),
        facts: HashMap::new(),
        taken_nodes: BTreeSet::new(),
        taken_facts: BTreeSet::new(),
        newest_fact: undo::newest(changing, "facts")?,
        is_older,
    };
    for message in &archive.messages {
        imported.messages += usize::from(take_in_message(changing, message, &mut rows)?);
    }
    for entry in &archive.diary {
        imported.entries += usize::from(take_in_entry(changing, entry, &mut rows, now_micros)?);
    }
    for node in &archive.nodes {
        take_in_node(changing, node, &mut rows, now_micros, &mut imported)?;
    }
    link_facts(changing, &archive, &rows)?;
    take_in_lists(changing, &archive, now_micros, &mut imported)?;
    changing.note_everything();
    Ok(imported)
}

/// Brings an archive of the older format to the newer one: what was exported held in its diary what was said, and the
/// numbers of its evidence mean nothing.
fn bring_up(archive: &mut Archive, now_micros: i64) {
    for (message, number) in archive.messages.iter_mut().zip(1..) {
        message.id = number;
        message.in_diary_at = Some(message.at_micros);
        message.searched_at = Some(message.at_micros);
    }
    for (entry, number) in archive.diary.iter_mut().zip(1..) {
        entry.id = number;
        entry.sources.clear();
    }
    for (node, number) in archive.nodes.iter_mut().zip(1..) {
        (node.id, node.parent) = (number, None);
        (node.created_at, node.updated_at, node.last_accessed) = (now_micros, now_micros, now_micros);
        for fact in &mut node.facts {
            (fact.id, fact.replaced_by, fact.position) = (0, None, 0);
            for evidence in &mut fact.evidence {
                (evidence.message, evidence.entry) = (None, None);
            }
            if fact.valid_from <= 0 {
                fact.valid_from = now_micros;
            }
            if fact.evidence.is_empty() {
                fact.evidence.push(Evidence {
                    observed_at: fact.valid_from,
                    channel: "import".to_owned(),
                    ..Evidence::default()
                });
            }
            // It says what its only witness says; of several, nobody noted what each said.
            if let [only] = &mut fact.evidence[..] {
                only.wording.clone_from(&fact.text);
            }
        }
    }
}

fn take_in_message(
    changing: &Changing<'_>,
    message: &ArchivedMessage,
    rows: &mut Rows,
) -> rusqlite::Result<bool> {
    let ArchivedMessage { conversation, at_micros, .. } = message;
    let known: Option<i64> = changing
        .prepare_cached("SELECT id FROM messages WHERE conversation = ?1 AND said_at = ?2")?
        .query_row(params![conversation, at_micros], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        rows.messages.insert(message.id, known);
        return Ok(false);
    }
    let sql = "INSERT INTO messages (conversation, said_at, speaker, text, channel, digested_at, searched_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    changing.prepare_cached(sql)?.execute(params![
        conversation,
        at_micros,
        message.speaker.as_str(),
        // SQLite would end the text there, and never find what comes after.
        message.text.replace('\0', " "),
        message.channel,
        message.in_diary_at,
        message.searched_at,
    ])?;
    let row = changing.last_insert_rowid();
    changing.index(ItemId::new(Kind::Message, row), None)?;
    rows.messages.insert(message.id, row);
    Ok(true)
}

/// An entry of a day that has another one already stands beside it, as imported.
fn take_in_entry(
    changing: &mut Changing<'_>,
    entry: &ArchivedEntry,
    rows: &mut Rows,
    now_micros: i64,
) -> Outcome<bool> {
    if entry.summary.trim().is_empty() {
        return Ok(false);
    }
    let mut source = entry.source.clone();
    for copy in 1.. {
        let known: Option<(i64, String)> = changing
            .prepare_cached("SELECT id, summary FROM diary WHERE day = ?1 AND source = ?2")?
            .query_row(params![entry.day.to_string(), source], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match known {
            Some((known, summary)) if fold(&summary) == fold(&entry.summary) => {
                rows.entries.insert(entry.id, known);
                return Ok(false);
            }
            Some(_) => source = format!("{} imported {copy}", entry.source),
            None => break,
        }
    }
    let written_at = if entry.written_at == 0 { now_micros } else { entry.written_at };
    let new = diary::NewEntry {
        day: entry.day,
        source,
        summary: entry.summary.clone(),
        topics: entry.topics.clone(),
    };
    let EntryId(row) = diary::write(changing, &new, &[], written_at)?;
    let mut link = changing.prepare_cached(
        "INSERT INTO diary_sources (entry, message) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
    )?;
    for source in entry.sources.iter().filter_map(|source| rows.messages.get(source)) {
        link.execute(params![row, source])?;
    }
    rows.entries.insert(entry.id, row);
    Ok(true)
}

fn take_in_node(
    changing: &mut Changing<'_>,
    node: &ArchivedNode,
    rows: &mut Rows,
    now_micros: i64,
    imported: &mut Imported,
) -> Outcome<()> {
    let branch = match node.path.first().map(|name| name.to_lowercase()).as_deref() {
        Some("directives") => Branch::Directives,
        Some("world") => Branch::World,
        Some(_) => Branch::User,
        None => return Ok(()),
    };
    let place = match (node.parent.and_then(|parent| rows.nodes.get(&parent).copied()), node.path.last()) {
        (Some(parent), Some(name)) => place_below(changing, parent, name, node, rows, now_micros, imported)?,
        _ => {
            let mut place = branch.node();
            for name in &node.path[1..] {
                place = place_below(changing, place, name, node, rows, now_micros, imported)?;
                // Without numbers, nodes of the same path are the same.
                rows.taken_nodes.remove(&place.0);
            }
            place
        }
    };
    rows.nodes.insert(node.id, place);
    if place.is_fixed() && !rows.is_older {
        set_if_untouched(changing, place, node)?;
    }
    for fact in &node.facts {
        imported.facts += usize::from(take_in_fact(changing, place, fact, rows)?);
    }
    Ok(())
}

/// The node of this name below another, made if there is none that stands for nothing else.
fn place_below(
    changing: &mut Changing<'_>,
    parent: NodeId,
    name: &str,
    node: &ArchivedNode,
    rows: &mut Rows,
    now_micros: i64,
    imported: &mut Imported,
) -> Outcome<NodeId> {
    let is_free = |id: NodeId| !rows.taken_nodes.contains(&id.0);
    let place = match nodes::child_named(changing, parent, name, is_free)? {
        Some(child) => child,
        None => {
            imported.nodes += 1;
            let made = nodes::create(changing, parent, name, &node.description, now_micros)?;
            set_times(changing, made, node)?;
            made
        }
    };
    rows.taken_nodes.insert(place.0);
    Ok(place)
}

/// A branch that nobody has touched here takes over what was noted of it.
fn set_if_untouched(changing: &Changing<'_>, branch: NodeId, node: &ArchivedNode) -> rusqlite::Result<()> {
    let is_untouched = nodes::node(changing, branch)?.is_some_and(|here| here.updated_at == 0);
    if is_untouched {
        let description = nodes::cut(node.description.trim(), nodes::MAX_DESCRIPTION);
        changing
            .execute("UPDATE nodes SET description = ?2 WHERE id = ?1", params![branch.0, description])?;
        set_times(changing, branch, node)?;
    }
    Ok(())
}

fn set_times(changing: &Changing<'_>, id: NodeId, node: &ArchivedNode) -> rusqlite::Result<()> {
    changing.execute(
        "UPDATE nodes SET access_count = ?2, last_accessed = ?3, created_at = ?4, updated_at = ?5 WHERE id = ?1",
        params![id.0, node.access_count, node.last_accessed, node.created_at, node.updated_at],
    )?;
    Ok(())
}

fn take_in_fact(
    changing: &Changing<'_>,
    place: NodeId,
    fact: &ArchivedFact,
    rows: &mut Rows,
) -> Outcome<bool> {
    let text = facts::one_line(&fact.text);
    if text.is_empty() {
        return Ok(false);
    }
    if let Some(known) = known_fact(changing, place, fact, rows)? {
        rows.taken_facts.insert(known.0);
        rows.facts.insert(fact.id, known);
        return Ok(false);
    }
    changing.execute(
        "INSERT INTO facts (node, text, folded, status, valid_from, valid_to, position)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6,
                 CASE ?7 WHEN 0 THEN (SELECT coalesce(max(position), 0) + 1 FROM facts WHERE node = ?1) ELSE ?7 END)",
        params![
            place.0,
            text,
            fold(&text),
            fact.status.name(),
            fact.valid_from,
            fact.valid_to.filter(|_| fact.status != FactStatus::Current),
            fact.position
        ],
    )?;
    let id = FactId(changing.last_insert_rowid());
    for evidence in &fact.evidence {
        let message = evidence.message.and_then(|message| rows.messages.get(&message).copied());
        let entry = evidence.entry.and_then(|entry| rows.entries.get(&entry).copied());
        facts::insert_evidence(changing, id, &Evidence { message, entry, ..evidence.clone() })?;
    }
    changing.index(id.item(), None)?;
    rows.taken_facts.insert(id.0);
    rows.facts.insert(fact.id, id);
    Ok(true)
}

/// The fact here that this one is: of the same words and times, else any of the same words that was here before.
fn known_fact(
    changing: &Changing<'_>,
    place: NodeId,
    fact: &ArchivedFact,
    rows: &Rows,
) -> rusqlite::Result<Option<FactId>> {
    let mut select = changing.prepare_cached(
        "SELECT id FROM facts WHERE node = ?1 AND folded = ?2 AND id <= ?3
         ORDER BY status = ?4 AND valid_from = ?5 AND valid_to IS ?6 DESC, id",
    )?;
    let known = select.query_map(
        params![
            place.0,
            fold(&fact.text),
            rows.newest_fact,
            fact.status.name(),
            fact.valid_from,
            fact.valid_to
        ],
        |row| row.get(0),
    )?;
    let known = known.collect::<rusqlite::Result<Vec<i64>>>()?;
    let free = known.iter().find(|known| !rows.taken_facts.contains(known));
    Ok(free.or(known.first()).map(|known| FactId(*known)))
}

/// Says which facts took the place of which, once all are there. Those that were here before stay as they are.
fn link_facts(changing: &Changing<'_>, archive: &Archive, rows: &Rows) -> rusqlite::Result<()> {
    let replaced = archive.nodes.iter().flat_map(|node| &node.facts);
    for fact in replaced.filter(|fact| fact.status == FactStatus::Superseded) {
        let new = rows.facts.get(&fact.id).filter(|id| id.0 > rows.newest_fact);
        let by = fact.replaced_by.and_then(|by| rows.facts.get(&by));
        if let (Some(fact), Some(by)) = (new, by) {
            changing.execute("UPDATE facts SET replaced_by = ?2 WHERE id = ?1", params![fact.0, by.0])?;
        }
    }
    Ok(())
}

/// What was here before by the same words and time is the same.
fn take_in_lists(
    changing: &Changing<'_>,
    archive: &Archive,
    now_micros: i64,
    imported: &mut Imported,
) -> Outcome<()> {
    let before = |table: &str| undo::newest(changing, table);
    let (meal, appointment, todo) = (before("meals")?, before("appointments")?, before("todos")?);
    let known = |sql: &str, values: &[&dyn rusqlite::ToSql]| changing.prepare_cached(sql)?.exists(values);
    for new in &archive.meals {
        let sql = "SELECT 1 FROM meals WHERE id <= ?1 AND eaten_at = ?2 AND description = ?3";
        if !known(sql, &[&meal, &new.eaten_at, &new.description])? {
            meals::insert(changing, new)?;
            imported.others += 1;
        }
    }
    for new in &archive.appointments {
        let sql = "SELECT 1 FROM appointments WHERE id <= ?1 AND due_at = ?2 AND label = ?3";
        if !known(sql, &[&appointment, &new.due_at, &new.label])? {
            let entered = if new.created_at == 0 { now_micros } else { new.created_at };
            appointments::insert(changing, new, entered)?;
            imported.others += 1;
        }
    }
    for new in &archive.todos {
        let sql = "SELECT 1 FROM todos WHERE id <= ?1 AND list = ?2 AND text = ?3 AND created_at = ?4";
        // Nothing to do is nothing to keep.
        if !new.text.trim().is_empty() && !known(sql, &[&todo, &new.list, &new.text, &new.created_at])? {
            todos::insert(changing, new)?;
            imported.others += 1;
        }
    }
    Ok(())
}
