//! The database of an earlier assistant, as an archive without links.

use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::{Connection, OpenFlags, Row};

use crate::error::Refusal;
use crate::records::diary::split_topics;
use crate::records::meals::Meal;
use crate::transfer::archive::{
    Archive, ArchivedEntry, ArchivedFact, ArchivedNode, OLDER_FORMAT, unreadable,
};

/// Reads the database of an earlier assistant: diary, meals, and the knowledge graph.
///
/// Source of the tables: docs/behaviour/memory.md#import.
pub(super) fn read(path: &Path) -> Result<Archive, Refusal> {
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
            "{} is a database, but it contains no known diary or knowledge graph",
            path.display()
        )));
    }
    let mut archive = Archive { format: OLDER_FORMAT.to_owned(), ..Archive::default() };
    if has_diary {
        archive.diary = reference_diary(&connection).map_err(of)?;
    }
    if has_meals {
        archive.meals = reference_meals(&connection).map_err(of)?;
    }
    if has_nodes {
        archive.nodes = reference_nodes(&connection, path)?;
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
        // A row without a valid date is skipped.
        let Some(day) = day.get(..10).and_then(|day| day.parse::<Date>().ok()) else { continue };
        let source = format!("import {}", text(row, 3)).trim().to_owned();
        let topics = split_topics(&text(row, 2));
        entries.push(ArchivedEntry { day, source, summary, topics, ..ArchivedEntry::default() });
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

/// Parses a time of the earlier assistant; without a zone it is UTC.
fn micros_of(text: &str) -> Option<i64> {
    let text = text.trim();
    let at = text.parse::<Timestamp>().ok().or_else(|| {
        let civil = text.parse::<jiff::civil::DateTime>().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(civil).ok()
    })?;
    Some(at.as_microsecond())
}

/// A node of the earlier assistant.
struct ReferenceNode {
    id: String,
    name: String,
    description: String,
    data: String,
    parent: String,
}

fn reference_nodes(connection: &Connection, path: &Path) -> Result<Vec<ArchivedNode>, Refusal> {
    let of = |error: rusqlite::Error| unreadable(path, &error);
    let mut select = connection.prepare(
        "SELECT id, name, coalesce(description, ''), coalesce(data, ''), coalesce(parent_id, '') FROM memory_nodes",
    ).map_err(of)?;
    let rows = select.query_map([], |row| {
        Ok(ReferenceNode {
            id: text(row, 0),
            name: text(row, 1),
            description: text(row, 2),
            data: text(row, 3),
            parent: text(row, 4),
        })
    });
    let found = rows.and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>).map_err(of)?;
    let by_id: HashMap<&str, &ReferenceNode> = found.iter().map(|node| (node.id.as_str(), node)).collect();
    let nodes = found.iter().filter(|node| node.id != "root").map(|node| {
        let is_branch = matches!(node.id.as_str(), "user" | "directives" | "world");
        let facts = node.data.lines().map(str::trim).filter(|line| !line.is_empty());
        Ok(ArchivedNode {
            path: if is_branch { vec![node.id.clone()] } else { path_of(node, &by_id, path)? },
            description: node.description.clone(),
            facts: facts
                .map(|line| ArchivedFact { text: line.to_owned(), ..ArchivedFact::default() })
                .collect(),
            ..ArchivedNode::default()
        })
    });
    let mut nodes = nodes.collect::<Result<Vec<ArchivedNode>, Refusal>>()?;
    nodes.sort_by_key(|node| node.path.len());
    Ok(nodes)
}

/// The names from the branch down to a node.
fn path_of(
    node: &ReferenceNode,
    by_id: &HashMap<&str, &ReferenceNode>,
    file: &Path,
) -> Result<Vec<String>, Refusal> {
    let mut path = vec![node.name.clone()];
    let mut above = node.parent.as_str();
    // A node without a parent was invisible there; here it goes into the user branch.
    let branch = loop {
        match (above, by_id.get(above)) {
            ("user" | "directives" | "world", _) => break above,
            ("" | "root", _) | (_, None) => break "user",
            (_, Some(parent)) => {
                path.push(parent.name.clone());
                above = &parent.parent;
            }
        }
        // A path longer than the number of nodes contains a node twice.
        if path.len() > by_id.len() {
            return Err(Refusal::Unreadable(format!(
                "{} contains a node {:?} that is below itself",
                file.display(),
                node.name
            )));
        }
    };
    path.push(branch.to_owned());
    path.reverse();
    Ok(path)
}

/// The value of a column as text, whatever its type.
fn text(row: &Row<'_>, column: usize) -> String {
    use rusqlite::types::ValueRef;
    match row.get_ref(column) {
        Ok(ValueRef::Text(text) | ValueRef::Blob(text)) => String::from_utf8_lossy(text).into_owned(),
        Ok(ValueRef::Integer(number)) => number.to_string(),
        Ok(ValueRef::Real(number)) => number.to_string(),
        Ok(ValueRef::Null) | Err(_) => String::new(),
    }
}
