//! Facts and the evidence for them.
//!
//! A fact is never overwritten: a newer one supersedes it, and the old one is kept with the time until which it was true.
//!
//! Source: docs/behaviour/memory.md#learning-facts.

use jiff::civil::Date;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use crate::MemoryError;
use crate::error::{Outcome, Refusal};
use crate::graph::nodes::{node, note_update};
use crate::graph::structure::NodeId;
use crate::item::{ItemId, RecordKind};
use crate::memory::{Memory, WriteTransaction};
use crate::records::messages::Participant;
use crate::search::normalise::{normalise, normalise_sentence};

/// The id of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct FactId(pub i64);

impl FactId {
    /// The item id of the fact.
    pub fn item(self) -> ItemId {
        ItemId::new(RecordKind::Fact, self.0)
    }
}

/// The status of a fact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactStatus {
    /// It is current.
    #[default]
    Current,
    /// A newer fact replaced it.
    Superseded,
    /// The user retracted it, or it was wrong.
    Retracted,
}

impl FactStatus {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Superseded => "superseded",
            Self::Retracted => "retracted",
        }
    }

    fn from_name(name: &str) -> Self {
        match name {
            "superseded" => Self::Superseded,
            "retracted" => Self::Retracted,
            _ => Self::Current,
        }
    }
}

/// A stored fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The row of the fact.
    pub id: FactId,
    /// The node that contains it.
    pub node: NodeId,
    /// The fact in one sentence.
    pub text: String,
    /// Current, replaced or retracted.
    pub status: FactStatus,
    /// When it became true: microseconds since 1970 UTC.
    pub valid_from: i64,
    /// When it ceased to be true.
    pub valid_to: Option<i64>,
    /// The fact that replaced it.
    pub replaced_by: Option<FactId>,
}

/// The words of the user that a fact was taken from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The exact words; empty if only the day is known.
    pub quote: String,
    /// When it was said: microseconds since 1970 UTC.
    pub observed_at: i64,
    /// Local date of the user at that time; `None` is unknown.
    pub day: Option<Date>,
    /// The conversation; empty is unknown.
    pub conversation: String,
    /// The one who said it; `None` is unknown.
    #[serde(rename = "speaker")]
    pub participant: Option<Participant>,
    /// voice, typed, loopback, import or edited.
    pub channel: String,
    /// Row of the message.
    pub message: Option<i64>,
    /// Row of the diary entry.
    pub entry: Option<i64>,
    /// The fact as this evidence alone states it. A merged fact is worded differently; when part of its evidence is forgotten,
    /// the wordings of the rest replace it. Empty is unknown, or in a new fact, the words of the fact.
    #[serde(default)]
    pub wording: String,
}

/// A fact to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFact {
    /// The fact in one sentence.
    pub text: String,
    /// The evidence for it.
    pub evidence: Evidence,
}

/// The outcome of learning a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LearnOutcome {
    /// It was added.
    New(FactId),
    /// It was known: only the evidence was added.
    Known(FactId),
}

impl Memory {
    /// Adds evidence to the fact with the same words, in any node; `None`, with nothing added, when there is no such current fact.
    pub async fn recognise(&self, fact: NewFact) -> Result<Option<FactId>, MemoryError> {
        self.change(move |changing| {
            let known = same_words(changing, &fact.text, None)?;
            if let Some(known) = known {
                insert_evidence(changing, known, &worded(&fact.evidence, &fact.text))?;
            }
            Ok(known)
        })
        .await
    }

    /// Adds a fact to a node, or only the evidence if the node has that fact already.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for a fact without words or a missing node.
    pub async fn learn(
        &self,
        place: NodeId,
        fact: NewFact,
        now_micros: i64,
    ) -> Result<LearnOutcome, MemoryError> {
        self.change(move |changing| learn(changing, place, &fact, now_micros)).await
    }

    /// Replaces a fact that changed or was corrected by the user. The old one is kept as history.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for a missing fact, or new words that are empty.
    pub async fn correct(&self, id: FactId, fact: NewFact, now_micros: i64) -> Result<FactId, MemoryError> {
        self.change(move |changing| {
            let before = fact_of(changing, id)?.ok_or(Refusal::NoSuchItem(id.item()))?;
            let new = insert(changing, before.node, &fact, now_micros)?;
            close(changing, &before, FactStatus::Superseded, Some(new), now_micros)?;
            note_update(changing, before.node, now_micros)?;
            Ok(new)
        })
        .await
    }

    /// Marks a fact as no longer true. It is kept as history.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for a missing fact.
    pub async fn retract(&self, id: FactId, now_micros: i64) -> Result<(), MemoryError> {
        self.change(move |changing| {
            let before = fact_of(changing, id)?.ok_or(Refusal::NoSuchItem(id.item()))?;
            close(changing, &before, FactStatus::Retracted, None, now_micros)?;
            Ok(note_update(changing, before.node, now_micros)?)
        })
        .await
    }

    /// Moves facts to another node.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for a missing node.
    pub async fn move_facts(
        &self,
        facts: Vec<FactId>,
        to: NodeId,
        now_micros: i64,
    ) -> Result<(), MemoryError> {
        self.change(move |changing| {
            node(changing, to)?.ok_or(Refusal::NoSuchItem(to.item()))?;
            let mut left = std::collections::BTreeSet::new();
            for id in facts {
                if let Some(fact) = fact_of(changing, id)? {
                    left.insert(fact.node);
                    changing.execute("UPDATE facts SET node = ?2 WHERE id = ?1", params![id.0, to.0])?;
                }
            }
            for node in left {
                note_update(changing, node, now_micros)?;
            }
            Ok(note_update(changing, to, now_micros)?)
        })
        .await
    }

    /// The current facts of a node, in order.
    pub async fn facts(&self, of: NodeId) -> Result<Vec<Fact>, MemoryError> {
        self.read(move |connection| current(connection, of)).await
    }

    /// A fact, whether current or not.
    pub async fn fact(&self, id: FactId) -> Result<Option<Fact>, MemoryError> {
        self.read(move |connection| fact_of(connection, id)).await
    }

    /// The evidence for a fact, oldest first.
    pub async fn evidence(&self, id: FactId) -> Result<Vec<Evidence>, MemoryError> {
        self.read(move |connection| evidence_of(connection, id)).await
    }

    /// The facts that a fact replaced, newest first.
    pub async fn history_of(&self, id: FactId) -> Result<Vec<Fact>, MemoryError> {
        self.read(move |connection| {
            let sql = format!("{FACTS} WHERE replaced_by = ?1 ORDER BY valid_to DESC, id DESC");
            connection.prepare_cached(&sql)?.query_map([id.0], read)?.collect()
        })
        .await
    }
}

const FACTS: &str = "SELECT id, node, text, status, valid_from, valid_to, replaced_by FROM facts";

fn read(row: &Row<'_>) -> rusqlite::Result<Fact> {
    Ok(Fact {
        id: FactId(row.get(0)?),
        node: NodeId(row.get(1)?),
        text: row.get(2)?,
        status: FactStatus::from_name(row.get_ref(3)?.as_str()?),
        valid_from: row.get(4)?,
        valid_to: row.get(5)?,
        replaced_by: row.get::<_, Option<i64>>(6)?.map(FactId),
    })
}

pub(crate) fn fact_of(connection: &Connection, id: FactId) -> rusqlite::Result<Option<Fact>> {
    connection.prepare_cached(&format!("{FACTS} WHERE id = ?1"))?.query_row([id.0], read).optional()
}

pub(crate) fn current(connection: &Connection, of: NodeId) -> rusqlite::Result<Vec<Fact>> {
    let sql = format!("{FACTS} WHERE node = ?1 AND status = 'current' ORDER BY position, id");
    connection.prepare_cached(&sql)?.query_map([of.0], read)?.collect()
}

/// All facts of a node: the current ones, then the most recently replaced.
pub(crate) fn all_of(connection: &Connection, of: NodeId) -> rusqlite::Result<Vec<Fact>> {
    let sql = format!("{FACTS} WHERE node = ?1 ORDER BY status <> 'current', valid_to DESC, position, id");
    connection.prepare_cached(&sql)?.query_map([of.0], read)?.collect()
}

/// The current facts of a node, one per line.
pub(crate) fn data_of(connection: &Connection, of: NodeId) -> rusqlite::Result<String> {
    let lines: Vec<String> = current(connection, of)?.into_iter().map(|fact| fact.text).collect();
    Ok(lines.join("\n"))
}

pub(crate) fn evidence_of(connection: &Connection, id: FactId) -> rusqlite::Result<Vec<Evidence>> {
    let mut select = connection.prepare_cached(
        "SELECT quote, observed_at, day, conversation, speaker, channel, message, entry, wording
         FROM evidence WHERE fact = ?1 ORDER BY observed_at, id",
    )?;
    let rows = select.query_map([id.0], |row| {
        Ok(Evidence {
            quote: row.get(0)?,
            observed_at: row.get(1)?,
            day: row.get_ref(2)?.as_str()?.parse().ok(),
            conversation: row.get(3)?,
            participant: Participant::from_name(row.get_ref(4)?.as_str()?),
            channel: row.get(5)?,
            message: row.get(6)?,
            entry: row.get(7)?,
            wording: row.get(8)?,
        })
    })?;
    rows.collect()
}

pub(crate) fn learn(
    changing: &mut WriteTransaction<'_>,
    place: NodeId,
    fact: &NewFact,
    now_micros: i64,
) -> Outcome<LearnOutcome> {
    if let Some(known) = same_words(changing, &fact.text, Some(place))? {
        insert_evidence(changing, known, &worded(&fact.evidence, &fact.text))?;
        return Ok(LearnOutcome::Known(known));
    }
    let id = insert(changing, place, fact, now_micros)?;
    note_update(changing, place, now_micros)?;
    Ok(LearnOutcome::New(id))
}

/// The oldest current fact with these words, in one node or in any.
pub(crate) fn same_words(
    connection: &Connection,
    text: &str,
    node: Option<NodeId>,
) -> rusqlite::Result<Option<FactId>> {
    let sql = "SELECT id FROM facts WHERE rtrim(folded, '.,;:!?。 ') = ?1 AND status = 'current'
               AND (?2 IS NULL OR node = ?2) ORDER BY valid_from, id LIMIT 1";
    let mut select = connection.prepare_cached(sql)?;
    select
        .query_row(params![normalise_sentence(text), node.map(|node| node.0)], |row| row.get(0).map(FactId))
        .optional()
}

pub(crate) fn insert(
    changing: &mut WriteTransaction<'_>,
    place: NodeId,
    fact: &NewFact,
    now_micros: i64,
) -> Outcome<FactId> {
    let observed_at = fact.evidence.observed_at;
    let since = if observed_at > 0 { observed_at } else { now_micros };
    let id = insert_without_evidence(changing, place, &fact.text, since)?;
    insert_evidence(changing, id, &worded(&fact.evidence, &one_line(&fact.text)))?;
    Ok(id)
}

/// Facts are single lines, because models and exports list one per line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds a fact without evidence.
pub(crate) fn insert_without_evidence(
    changing: &WriteTransaction<'_>,
    place: NodeId,
    text: &str,
    valid_from: i64,
) -> Outcome<FactId> {
    let text = one_line(text);
    if text.is_empty() {
        return Err(Refusal::NoWords.into());
    }
    node(changing, place)?.ok_or(Refusal::NoSuchItem(place.item()))?;
    changing.execute(
        "INSERT INTO facts (node, text, folded, status, valid_from, position) VALUES (?1, ?2, ?3, 'current', ?4,
         (SELECT coalesce(max(position), 0) + 1 FROM facts WHERE node = ?1))",
        params![place.0, text, normalise(&text), valid_from],
    )?;
    let id = FactId(changing.added("facts", changing.last_insert_rowid()));
    changing.index(id.item(), None)?;
    Ok(id)
}

/// The evidence with a wording: its own, or `text`.
pub(crate) fn worded(evidence: &Evidence, text: &str) -> Evidence {
    let wording = if evidence.wording.is_empty() { text.to_owned() } else { evidence.wording.clone() };
    Evidence { wording, ..evidence.clone() }
}

pub(crate) fn insert_evidence(
    connection: &Connection,
    id: FactId,
    evidence: &Evidence,
) -> rusqlite::Result<()> {
    let day = evidence.day.map(|day| day.to_string()).unwrap_or_default();
    let speaker = evidence.participant.map(Participant::as_str).unwrap_or_default();
    // Equal words at an equal time are the same evidence.
    let sql = "INSERT INTO evidence
                   (fact, quote, observed_at, day, conversation, speaker, channel, message, entry, wording)
               SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
               WHERE NOT EXISTS (SELECT 1 FROM evidence WHERE fact = ?1 AND quote = ?2 AND observed_at = ?3)";
    connection.prepare_cached(sql)?.execute(params![
        id.0,
        evidence.quote,
        evidence.observed_at,
        day,
        evidence.conversation,
        speaker,
        evidence.channel,
        evidence.message,
        evidence.entry,
        evidence.wording,
    ])?;
    Ok(())
}

/// Ends a fact.
pub(crate) fn close(
    changing: &WriteTransaction<'_>,
    fact: &Fact,
    status: FactStatus,
    by: Option<FactId>,
    now_micros: i64,
) -> rusqlite::Result<()> {
    if fact.status != FactStatus::Current {
        return Ok(());
    }
    changing.before_change("facts", fact.id.0)?;
    changing.execute(
        "UPDATE facts SET status = ?2, valid_to = ?3, replaced_by = ?4 WHERE id = ?1",
        params![fact.id.0, status.name(), now_micros.max(fact.valid_from), by.map(|by| by.0)],
    )?;
    changing.unindex(fact.id.item(), Some(&fact.text))
}

/// Makes a fact current again that was merged into `line`, at the position of the line.
pub(crate) fn reopen(changing: &WriteTransaction<'_>, id: FactId, line: &Fact) -> rusqlite::Result<()> {
    changing.execute(
        "UPDATE facts SET status = 'current', valid_to = NULL, replaced_by = NULL, node = ?2, position = ?3
         WHERE id = ?1",
        params![id.0, line.node.0, position(changing, line.id)?],
    )?;
    changing.index(id.item(), None)
}

/// The order of a fact within its node.
pub(crate) fn position(connection: &Connection, id: FactId) -> rusqlite::Result<i64> {
    connection.prepare_cached("SELECT position FROM facts WHERE id = ?1")?.query_row([id.0], |row| row.get(0))
}

pub(crate) fn move_all(changing: &WriteTransaction<'_>, from: NodeId, to: NodeId) -> rusqlite::Result<()> {
    changing.execute("UPDATE facts SET node = ?2 WHERE node = ?1", params![from.0, to.0]).map(|_| ())
}

pub(crate) fn delete_all(changing: &WriteTransaction<'_>, of: NodeId) -> rusqlite::Result<()> {
    let mut select = changing.prepare_cached(&format!("{FACTS} WHERE node = ?1"))?;
    let facts = select.query_map([of.0], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    for fact in facts {
        delete(changing, &fact)?;
    }
    Ok(())
}

/// Deletes a fact with its evidence. No history remains.
pub(crate) fn delete(changing: &WriteTransaction<'_>, fact: &Fact) -> rusqlite::Result<()> {
    changing.unindex(fact.id.item(), Some(&fact.text))?;
    changing.execute("DELETE FROM facts WHERE id = ?1", [fact.id.0]).map(|_| ())
}
