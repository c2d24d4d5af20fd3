//! Taking in what was exported, and what the reference program remembered.
//!
//! What is here already stays; what is new is added. Nothing is taken in of a file that cannot be read to its end.

use std::io::Read;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde_json::Value;

use crate::dialogue::Said;
use crate::diary::{self, NewEntry, split_topics};
use crate::error::{Outcome, Refusal};
use crate::export::{Archive, ArchivedEntry, ArchivedFact, ArchivedNode, COMPLETE, FORMAT};
use crate::facts::{self, Evidence, FactStatus, NewFact};
use crate::graph;
use crate::meals::{self, Meal};
use crate::memory::{Changing, Memory};
use crate::messages::{self, NewMessage};
use crate::node::{Branch, NodeId};
use crate::{MemoryError, appointments, fold, todos};

/// No file that is taken in may be larger, unpacked: 4 GB.
const MAX_BYTES: u64 = 4 << 30;

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

impl Archive {
    /// Reads an exported folder, archive or `memory.json`, or the database of the reference program.
    ///
    /// # Errors
    ///
    /// [`Refusal::Unreadable`] says what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        if path.is_dir() {
            return Self::read(&path.join(COMPLETE));
        }
        let mut file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
        let mut first = [0u8; 16];
        let length = read_up_to(&mut file, &mut first).map_err(|error| unreadable(path, &error))?;
        drop(file);
        match &first[..length] {
            [0x1f, 0x8b, ..] => Self::read_packed(path),
            b"SQLite format 3\0" => read_reference(path),
            _ => {
                let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
                Self::parse(file, path)
            }
        }
    }

    fn read_packed(path: &Path) -> Result<Self, Refusal> {
        let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file).take(MAX_BYTES));
        for entry in archive.entries().map_err(|error| unreadable(path, &error))? {
            let entry = entry.map_err(|error| unreadable(path, &error))?;
            let is_complete =
                entry.path().is_ok_and(|name| name.file_name().is_some_and(|name| name == COMPLETE));
            if is_complete {
                return Self::parse(entry, path);
            }
        }
        Err(Refusal::Unreadable(format!(
            "{} holds no {COMPLETE}: it was not exported by Jarvis",
            path.display()
        )))
    }

    fn parse(reader: impl Read, path: &Path) -> Result<Self, Refusal> {
        let mut bytes = Vec::new();
        reader.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
        Self::of_json(&bytes).map_err(|why| Refusal::Unreadable(format!("{}: {why}", path.display())))
    }

    /// Reads the complete file.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub fn of_json(json: &[u8]) -> Result<Self, String> {
        let value: Value =
            serde_json::from_slice(json).map_err(|error| format!("this is no JSON: {error}"))?;
        match value.get("format").and_then(Value::as_str) {
            Some(FORMAT) => {
                serde_json::from_value(value).map_err(|error| format!("this is damaged: {error}"))
            }
            Some(other) => Err(format!("this is of the format {other:?}; I read {FORMAT:?}: update Jarvis")),
            None => Err("this was not exported by Jarvis".to_owned()),
        }
    }
}

fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..])? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> Refusal {
    Refusal::Unreadable(format!("{} could not be read: {error}", path.display()))
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

fn take_in(changing: &mut Changing<'_>, archive: Archive, now_micros: i64) -> Outcome<Imported> {
    let mut imported = Imported::default();
    let new: Vec<NewMessage> = archive
        .messages
        .into_iter()
        .map(|message| NewMessage {
            conversation: vocabulary::ConversationId(message.conversation),
            channel: message.channel,
            said: Said::new(message.speaker, message.text, message.at_micros),
            // What was exported with them holds what they said already.
            is_in_diary: true,
        })
        .collect();
    imported.messages = messages::add(changing, &new)?;
    for entry in archive.diary {
        imported.entries += usize::from(take_in_entry(changing, entry, now_micros)?);
    }
    for node in archive.nodes {
        take_in_node(changing, &node, now_micros, &mut imported)?;
    }
    for meal in &archive.meals {
        let is_known = changing
            .prepare_cached("SELECT 1 FROM meals WHERE eaten_at = ?1 AND description = ?2")?
            .exists(params![meal.eaten_at, meal.description])?;
        if !is_known {
            meals::insert(changing, meal)?;
            imported.others += 1;
        }
    }
    for appointment in &archive.appointments {
        let is_known = changing
            .prepare_cached("SELECT 1 FROM appointments WHERE due_at = ?1 AND label = ?2")?
            .exists(params![appointment.due_at, appointment.label])?;
        if !is_known {
            appointments::insert(changing, appointment, now_micros)?;
            imported.others += 1;
        }
    }
    for todo in &archive.todos {
        let is_known = changing
            .prepare_cached("SELECT 1 FROM todos WHERE list = ?1 AND text = ?2 AND created_at = ?3")?
            .exists(params![todo.list, todo.text, todo.created_at])?;
        if !is_known {
            todos::insert(changing, todo)?;
            imported.others += 1;
        }
    }
    Ok(imported)
}

/// An entry of a day that has another one already stands beside it, as imported.
fn take_in_entry(changing: &mut Changing<'_>, entry: ArchivedEntry, now_micros: i64) -> Outcome<bool> {
    if entry.summary.trim().is_empty() {
        return Ok(false);
    }
    let mut source = entry.source.clone();
    for copy in 1.. {
        let known: Option<String> = changing
            .prepare_cached("SELECT summary FROM diary WHERE day = ?1 AND source = ?2")?
            .query_row(params![entry.day.to_string(), source], |row| row.get(0))
            .optional()?;
        match known {
            Some(known) if fold(&known) == fold(&entry.summary) => return Ok(false),
            Some(_) => source = format!("{} imported {copy}", entry.source),
            None => break,
        }
    }
    let new = NewEntry { day: entry.day, source, summary: entry.summary, topics: entry.topics };
    diary::write(changing, &new, &[], now_micros).map(|_| true)
}

fn take_in_node(
    changing: &mut Changing<'_>,
    node: &ArchivedNode,
    now_micros: i64,
    imported: &mut Imported,
) -> Outcome<()> {
    let mut names = node.path.iter();
    let branch = match names.next().map(|name| name.to_lowercase()).as_deref() {
        Some("directives") => Branch::Directives,
        Some("world") => Branch::World,
        Some(_) => Branch::User,
        None => return Ok(()),
    };
    let mut place = branch.node();
    for name in names {
        place = match graph::child_named(changing, place, name, |_| true)? {
            Some(child) => child,
            None => {
                imported.nodes += 1;
                graph::create(changing, place, name, &node.description, now_micros)?
            }
        };
    }
    for fact in &node.facts {
        imported.facts += usize::from(take_in_fact(changing, place, fact, now_micros)?);
    }
    Ok(())
}

fn take_in_fact(
    changing: &mut Changing<'_>,
    place: NodeId,
    fact: &ArchivedFact,
    now_micros: i64,
) -> Outcome<bool> {
    let is_known = changing
        .prepare_cached("SELECT 1 FROM facts WHERE node = ?1 AND folded = ?2")?
        .exists(params![place.0, fold(&fact.text)])?;
    if is_known || fact.text.trim().is_empty() {
        return Ok(false);
    }
    let links_nothing = |evidence: &Evidence| Evidence { message: None, entry: None, ..evidence.clone() };
    let mut evidence: Vec<Evidence> = fact.evidence.iter().map(links_nothing).collect();
    if evidence.is_empty() {
        let observed_at = fact.valid_from;
        evidence.push(Evidence { observed_at, channel: "import".to_owned(), ..Evidence::default() });
    }
    let first = NewFact { text: fact.text.clone(), evidence: evidence[0].clone() };
    let id = facts::insert(changing, place, &first, now_micros)?;
    for evidence in &evidence[1..] {
        facts::insert_evidence(changing, id, evidence)?;
    }
    if fact.status != FactStatus::Current
        && let Some(new) = facts::fact_of(changing, id)?
    {
        facts::close(changing, &new, fact.status, None, fact.valid_to.unwrap_or(now_micros))?;
    }
    Ok(true)
}

/// Reads the database of the reference program: diary, meals, and the knowledge graph.
///
/// Source of the tables: behaviour reference, sections 3.1 and 3.5.
fn read_reference(path: &Path) -> Result<Archive, Refusal> {
    let of = |error: rusqlite::Error| unreadable(path, &error);
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(of)?;
    let has = |table: &str| {
        connection
            .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")
            .and_then(|mut select| select.exists([table]))
            .map_err(of)
    };
    let (has_diary, has_meals, has_nodes) =
        (has("conversation_summaries")?, has("meals")?, has("memory_nodes")?);
    if !has_diary && !has_nodes {
        return Err(Refusal::Unreadable(format!(
            "{} is a database, but none that holds a diary or a knowledge graph I know",
            path.display()
        )));
    }
    let mut archive = Archive { format: FORMAT.to_owned(), ..Archive::default() };
    if has_diary {
        archive.diary = reference_diary(&connection).map_err(of)?;
    }
    if has_meals {
        archive.meals = reference_meals(&connection).map_err(of)?;
    }
    if has_nodes {
        archive.nodes = reference_nodes(&connection).map_err(of)?;
    }
    Ok(archive)
}

fn reference_diary(connection: &Connection) -> rusqlite::Result<Vec<ArchivedEntry>> {
    let mut select = connection.prepare(
        "SELECT date_utc, summary, coalesce(topics, ''), coalesce(source_app, '') FROM conversation_summaries
         ORDER BY date_utc",
    )?;
    let mut rows = select.query([])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        let (day, summary): (String, String) = (text(row, 0), text(row, 1));
        // A row without a date or words holds nothing to keep.
        let Some(day) = day.get(..10).and_then(|day| day.parse::<Date>().ok()) else { continue };
        let source = format!("import {}", text(row, 3)).trim().to_owned();
        entries.push(ArchivedEntry { day, source, summary, topics: split_topics(&text(row, 2)) });
    }
    Ok(entries)
}

fn reference_meals(connection: &Connection) -> rusqlite::Result<Vec<Meal>> {
    let mut select = connection.prepare("SELECT * FROM meals")?;
    let mut rows = select.query([])?;
    let mut meals = Vec::new();
    while let Some(row) = rows.next()? {
        let number = |name: &str| row.get::<_, Option<f64>>(name).ok().flatten();
        let words = |name: &str| row.get::<_, Option<String>>(name).ok().flatten();
        let Some(eaten_at) = words("ts_utc").and_then(|at| micros_of(&at)) else { continue };
        meals.push(Meal {
            id: 0,
            eaten_at,
            entered_at: 0,
            source: "import".to_owned(),
            description: words("description").unwrap_or_default(),
            calories_kcal: number("calories_kcal"),
            protein_g: number("protein_g"),
            carbs_g: number("carbs_g"),
            fat_g: number("fat_g"),
            fiber_g: number("fiber_g"),
            sugar_g: number("sugar_g"),
            sodium_mg: number("sodium_mg"),
            potassium_mg: number("potassium_mg"),
            micros: words("micros_json").and_then(|json| serde_json::from_str(&json).ok()),
            confidence: number("confidence"),
        });
    }
    Ok(meals)
}

/// A time as the reference program wrote it, with or without a zone; without one it is UTC.
fn micros_of(text: &str) -> Option<i64> {
    let text = text.trim();
    let at = text.parse::<Timestamp>().ok().or_else(|| {
        let civil = text.parse::<jiff::civil::DateTime>().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(civil).ok()
    })?;
    Some(at.as_microsecond())
}

fn reference_nodes(connection: &Connection) -> rusqlite::Result<Vec<ArchivedNode>> {
    struct Found {
        id: String,
        name: String,
        description: String,
        data: String,
        parent: String,
    }
    let mut select = connection.prepare(
        "SELECT id, name, coalesce(description, ''), coalesce(data, ''), coalesce(parent_id, '') FROM memory_nodes",
    )?;
    let rows = select.query_map([], |row| {
        Ok(Found {
            id: text(row, 0),
            name: text(row, 1),
            description: text(row, 2),
            data: text(row, 3),
            parent: text(row, 4),
        })
    })?;
    let found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let path_of = |node: &Found| {
        let mut path = vec![node.name.clone()];
        let mut above = node.parent.clone();
        // One that lost its parent was invisible there; here it is the user's.
        while path.len() < graph::MAX_DEPTH {
            match above.as_str() {
                "user" | "directives" | "world" => {
                    path.push(above);
                    break;
                }
                "" | "root" => {
                    path.push("user".to_owned());
                    break;
                }
                _ => {}
            }
            match found.iter().find(|node| node.id == above) {
                Some(parent) => {
                    path.push(parent.name.clone());
                    above.clone_from(&parent.parent);
                }
                None => above = String::new(),
            }
        }
        path.reverse();
        path
    };
    let nodes = found.iter().filter(|node| node.id != "root").map(|node| {
        let is_branch = matches!(node.id.as_str(), "user" | "directives" | "world");
        let facts = node.data.lines().map(str::trim).filter(|line| !line.is_empty());
        ArchivedNode {
            path: if is_branch { vec![node.id.clone()] } else { path_of(node) },
            description: node.description.clone(),
            facts: facts
                .map(|line| ArchivedFact {
                    text: line.to_owned(),
                    status: FactStatus::Current,
                    valid_from: 0,
                    valid_to: None,
                    evidence: Vec::new(),
                })
                .collect(),
        }
    });
    let mut nodes: Vec<ArchivedNode> = nodes.collect();
    nodes.sort_by_key(|node| node.path.len());
    Ok(nodes)
}

/// What stands in a column as text, whatever it holds.
fn text(row: &Row<'_>, column: usize) -> String {
    use rusqlite::types::ValueRef;
    match row.get_ref(column) {
        Ok(ValueRef::Text(text) | ValueRef::Blob(text)) => String::from_utf8_lossy(text).into_owned(),
        Ok(ValueRef::Integer(number)) => number.to_string(),
        Ok(ValueRef::Real(number)) => number.to_string(),
        Ok(ValueRef::Null) | Err(_) => String::new(),
    }
}
