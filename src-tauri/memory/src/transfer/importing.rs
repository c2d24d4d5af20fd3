//! Importing an archive: adds new records. Existing records stay unchanged, and links lead to them.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{OptionalExtension, params};

use crate::MemoryError;
use crate::error::Outcome;
use crate::forgetting::undo_records as undo;
use crate::graph::facts::{self, Evidence, FactId, FactStatus};
use crate::graph::nodes;
use crate::graph::structure::{Branch, NodeId};
use crate::item::{ItemId, RecordKind};
use crate::memory::Memory;
use crate::memory::WriteTransaction;
use crate::records::diary::{self, EntryId};
use crate::records::{appointments, meals, todos};
use crate::search::normalise::normalise;
use crate::transfer::archive::{
    Archive, ArchivedEntry, ArchivedFact, ArchivedMessage, ArchivedNode, OLDER_FORMAT,
};

/// Numbers of imported records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// New messages.
    pub messages: usize,
    /// New diary entries.
    pub entries: usize,
    /// New nodes.
    pub nodes: usize,
    /// New facts.
    pub facts: usize,
    /// New meals, appointments and to-dos.
    pub others: usize,
}

impl Memory {
    /// Imports an archive. Importing the same archive again adds nothing.
    pub async fn import(&self, archive: Archive, now_micros: i64) -> Result<ImportCounts, MemoryError> {
        self.change(move |changing| import(changing, archive, now_micros)).await
    }
}

/// The rows of archive numbers.
struct Rows {
    messages: HashMap<i64, i64>,
    entries: HashMap<i64, i64>,
    nodes: HashMap<i64, NodeId>,
    facts: HashMap<i64, FactId>,
    /// Rows that are already matched: the next equal record of the archive is another one.
    taken_nodes: BTreeSet<i64>,
    taken_facts: BTreeSet<i64>,
    /// Facts up to this id existed before.
    newest_fact: i64,
    /// The older format has no times of branches.
    is_older: bool,
}

pub(super) fn import(
    changing: &mut WriteTransaction<'_>,
    mut archive: Archive,
    now_micros: i64,
) -> Outcome<ImportCounts> {
    let is_older = archive.format == OLDER_FORMAT;
    if is_older {
        bring_up(&mut archive, now_micros);
    }
    let mut imported = ImportCounts::default();
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
        imported.messages += usize::from(import_message(changing, message, &mut rows)?);
    }
    for entry in &archive.diary {
        imported.entries += usize::from(import_entry(changing, entry, &mut rows, now_micros)?);
    }
    for node in &archive.nodes {
        import_node(changing, node, &mut rows, now_micros, &mut imported)?;
    }
    link_facts(changing, &archive, &rows)?;
    import_lists(changing, &archive, now_micros, &mut imported)?;
    changing.note_everything();
    Ok(imported)
}

/// Converts an archive of the older format: all of its messages are in its diary, and its evidence has no links.
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
            // With a single piece of evidence, its wording is the fact; with several, the wordings are unknown.
            if let [only] = &mut fact.evidence[..] {
                only.wording.clone_from(&fact.text);
            }
        }
    }
}

fn import_message(
    changing: &WriteTransaction<'_>,
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
        message.participant.as_str(),
        // SQLite ends texts at NUL, and would not find what follows.
        message.text.replace('\0', " "),
        message.channel,
        message.in_diary_at,
        message.searched_at,
    ])?;
    let row = changing.last_insert_rowid();
    changing.index(ItemId::new(RecordKind::Message, row), None)?;
    rows.messages.insert(message.id, row);
    Ok(true)
}

/// Imports a diary entry. If the day already has another entry, it is added with a source of its own.
fn import_entry(
    changing: &mut WriteTransaction<'_>,
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
            Some((known, summary)) if normalise(&summary) == normalise(&entry.summary) => {
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

fn import_node(
    changing: &mut WriteTransaction<'_>,
    node: &ArchivedNode,
    rows: &mut Rows,
    now_micros: i64,
    imported: &mut ImportCounts,
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
                // Without numbers, nodes with equal paths are the same.
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
        imported.facts += usize::from(import_fact(changing, place, fact, rows)?);
    }
    Ok(())
}

/// The unmatched node with this name below another node, created if there is none.
fn place_below(
    changing: &mut WriteTransaction<'_>,
    parent: NodeId,
    name: &str,
    node: &ArchivedNode,
    rows: &mut Rows,
    now_micros: i64,
    imported: &mut ImportCounts,
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

/// An unchanged branch gets description and times of the archive.
fn set_if_untouched(
    changing: &WriteTransaction<'_>,
    branch: NodeId,
    node: &ArchivedNode,
) -> rusqlite::Result<()> {
    let is_untouched = nodes::node(changing, branch)?.is_some_and(|here| here.updated_at == 0);
    if is_untouched {
        let description = nodes::cut(node.description.trim(), nodes::MAX_DESCRIPTION);
        changing
            .execute("UPDATE nodes SET description = ?2 WHERE id = ?1", params![branch.0, description])?;
        set_times(changing, branch, node)?;
    }
    Ok(())
}

fn set_times(changing: &WriteTransaction<'_>, id: NodeId, node: &ArchivedNode) -> rusqlite::Result<()> {
    changing.execute(
        "UPDATE nodes SET access_count = ?2, last_accessed = ?3, created_at = ?4, updated_at = ?5 WHERE id = ?1",
        params![id.0, node.access_count, node.last_accessed, node.created_at, node.updated_at],
    )?;
    Ok(())
}

fn import_fact(
    changing: &WriteTransaction<'_>,
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
            normalise(&text),
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

/// The existing fact with the same words and times, or else with the same words.
fn known_fact(
    changing: &WriteTransaction<'_>,
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
            normalise(&fact.text),
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

/// Links replaced facts to their replacements, once all exist. Facts that existed before stay unchanged.
fn link_facts(changing: &WriteTransaction<'_>, archive: &Archive, rows: &Rows) -> rusqlite::Result<()> {
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

/// Imports list items, except those with the words and time of an existing one.
fn import_lists(
    changing: &WriteTransaction<'_>,
    archive: &Archive,
    now_micros: i64,
    imported: &mut ImportCounts,
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
        // A to-do needs words.
        if !new.text.trim().is_empty() && !known(sql, &[&todo, &new.list, &new.text, &new.created_at])? {
            todos::insert(changing, new)?;
            imported.others += 1;
        }
    }
    Ok(())
}
