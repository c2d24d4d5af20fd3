//! Builds the archive. Records are numbered in their order, so that equal memories make equal archives whatever their row ids.

use std::collections::HashMap;

use rusqlite::Connection;

use super::archive::{Archive, ArchivedEntry, ArchivedFact, ArchivedMessage, ArchivedNode, FORMAT};
use crate::MemoryError;
use crate::graph::facts::{self, Evidence, Fact};
use crate::graph::nodes;
use crate::graph::nodes::Node;
use crate::graph::structure::NodeId;
use crate::memory::Memory;
use crate::records::diary::{self, DiaryFilter};
use crate::records::messages::Participant;
use crate::records::{appointments, meals, todos};

impl Memory {
    /// All records, consistently at one moment.
    pub async fn archive(&self) -> Result<Archive, MemoryError> {
        self.read(archive).await
    }
}

/// Numbers of rows in the archive.
#[derive(Default)]
struct Numbers(HashMap<i64, i64>);

impl Numbers {
    /// Gives a row the next number.
    fn next(&mut self, row: i64) -> i64 {
        let number = self.0.len() as i64 + 1;
        self.0.insert(row, number);
        number
    }

    fn of(&self, row: Option<i64>) -> Option<i64> {
        row.and_then(|row| self.0.get(&row).copied())
    }
}

fn archive(connection: &Connection) -> rusqlite::Result<Archive> {
    let (messages, message_numbers) = messages(connection)?;
    let (diary, entry_numbers) = diary(connection, &message_numbers)?;
    let mut archive = Archive {
        format: FORMAT.to_owned(),
        messages,
        diary,
        nodes: nodes(connection, &message_numbers, &entry_numbers)?,
        meals: meals::all(connection)?,
        appointments: appointments::all(connection)?,
        todos: todos::all(connection)?,
    };
    let ids = archive.meals.iter_mut().map(|meal| &mut meal.id);
    ids.zip(1..).for_each(|(id, number)| *id = number);
    let ids = archive.appointments.iter_mut().map(|appointment| &mut appointment.id);
    ids.zip(1..).for_each(|(id, number)| *id = number);
    archive.todos.iter_mut().zip(1..).for_each(|(todo, number)| todo.id = number);
    Ok(archive)
}

fn messages(connection: &Connection) -> rusqlite::Result<(Vec<ArchivedMessage>, Numbers)> {
    let mut numbers = Numbers::default();
    let mut select = connection.prepare(
        "SELECT id, conversation, said_at, speaker, channel, text, digested_at, searched_at FROM messages
         ORDER BY said_at, id",
    )?;
    let rows = select.query_map([], |row| {
        Ok(ArchivedMessage {
            id: numbers.next(row.get(0)?),
            conversation: row.get(1)?,
            at_micros: row.get(2)?,
            participant: Participant::from_name(row.get_ref(3)?.as_str()?).unwrap_or(Participant::Assistant),
            channel: row.get(4)?,
            text: row.get(5)?,
            in_diary_at: row.get(6)?,
            searched_at: row.get(7)?,
        })
    })?;
    let messages = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    drop(select);
    Ok((messages, numbers))
}

fn diary(
    connection: &Connection,
    message_numbers: &Numbers,
) -> rusqlite::Result<(Vec<ArchivedEntry>, Numbers)> {
    let mut numbers = Numbers::default();
    let mut select = connection.prepare("SELECT message FROM diary_sources WHERE entry = ?1")?;
    let mut entries = diary::filtered(connection, &DiaryFilter::default())?;
    entries.reverse();
    let mut archived = Vec::with_capacity(entries.len());
    for entry in entries {
        let sources = select.query_map([entry.id.0], |row| row.get(0))?;
        let sources = sources.collect::<rusqlite::Result<Vec<i64>>>()?;
        let mut sources: Vec<i64> =
            sources.into_iter().filter_map(|row| message_numbers.of(Some(row))).collect();
        sources.sort_unstable();
        archived.push(ArchivedEntry {
            id: numbers.next(entry.id.0),
            day: entry.day,
            source: entry.source,
            summary: entry.summary,
            topics: entry.topics,
            written_at: entry.written_at,
            sources,
        });
    }
    Ok((archived, numbers))
}

fn nodes(
    connection: &Connection,
    message_numbers: &Numbers,
    entry_numbers: &Numbers,
) -> rusqlite::Result<Vec<ArchivedNode>> {
    let mut tree = Vec::new();
    nodes::walk(connection, NodeId::ROOT, 0, 0, &mut tree)?;
    let tree: Vec<Node> =
        tree.into_iter().map(|(_, node)| node).filter(|node| node.id != NodeId::ROOT).collect();
    let mut held: Vec<Vec<Fact>> = Vec::with_capacity(tree.len());
    let mut learned = Numbers::default();
    for node in &tree {
        let facts = facts::all_of(connection, node.id)?;
        facts.iter().for_each(|fact| {
            learned.next(fact.id.0);
        });
        held.push(facts);
    }
    let mut numbers = Numbers::default();
    let mut nodes = Vec::with_capacity(tree.len());
    for (node, held) in tree.into_iter().zip(held) {
        let mut archived = Vec::with_capacity(held.len());
        for fact in held {
            let evidence = facts::evidence_of(connection, fact.id)?.into_iter();
            archived.push(ArchivedFact {
                id: learned.of(Some(fact.id.0)).unwrap_or_default(),
                replaced_by: learned.of(fact.replaced_by.map(|by| by.0)),
                position: facts::position(connection, fact.id)?,
                evidence: evidence.map(|evidence| linked(evidence, message_numbers, entry_numbers)).collect(),
                text: fact.text,
                status: fact.status,
                valid_from: fact.valid_from,
                valid_to: fact.valid_to,
            });
        }
        nodes.push(ArchivedNode {
            id: numbers.next(node.id.0),
            // Parents come first.
            parent: numbers.of(node.parent.map(|parent| parent.0)),
            path: nodes::names(connection, node.id)?,
            description: node.description,
            access_count: node.access_count,
            last_accessed: node.last_accessed,
            created_at: node.created_at,
            updated_at: node.updated_at,
            facts: archived,
        });
    }
    Ok(nodes)
}

fn linked(evidence: Evidence, message_numbers: &Numbers, entry_numbers: &Numbers) -> Evidence {
    Evidence {
        message: message_numbers.of(evidence.message),
        entry: entry_numbers.of(evidence.entry),
        ..evidence
    }
}
