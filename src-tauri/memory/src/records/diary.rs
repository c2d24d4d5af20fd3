//! The diary: a summary of each day.
//!
//! Source: docs/behaviour/memory.md#diary (true upsert, local dates).

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use jiff::civil::Date;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use vocabulary::ConversationId;

use crate::MemoryError;
use crate::error::{Outcome, Refusal};
use crate::forgetting::request::UndoId;
use crate::forgetting::undo_records as undo;
use crate::item::{ItemId, RecordKind};
use crate::memory::{Memory, WriteTransaction};
use crate::records::messages::{Message, MessageContent, messages, read_content};
use crate::search::words;

/// The id of a diary entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct EntryId(pub i64);

impl EntryId {
    /// The item id of the entry.
    pub fn item(self) -> ItemId {
        ItemId::new(RecordKind::Diary, self.0)
    }
}

/// A diary entry: there is one per day and source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The row of the entry.
    pub id: EntryId,
    /// The user's local date.
    pub day: Date,
    /// `conversation`, or the name of an import.
    pub source: String,
    /// Summary of the day.
    pub summary: String,
    /// Topics of a few words each.
    pub topics: Vec<String>,
    /// When it was last written: microseconds since 1970 UTC.
    pub written_at: i64,
}

/// A diary entry to be written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct NewEntry {
    /// The user's local date.
    pub day: Date,
    /// `conversation`, or the name of an import.
    pub source: String,
    /// Summary of the day.
    pub summary: String,
    /// Topics of a few words each.
    pub topics: Vec<String>,
}

/// A message that is not in the diary yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingMessage {
    /// Row of the message.
    pub message: i64,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// voice, typed, loopback or import.
    pub channel: String,
    /// The words, participant and time.
    pub content: MessageContent,
}

/// A message in the diary that was not searched for facts yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsearchedMessage {
    /// Row of the message.
    pub message: i64,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// voice, typed, loopback or import.
    pub channel: String,
    /// The words, participant and time.
    pub content: MessageContent,
    /// The message before it in the conversation.
    pub before: Option<MessageContent>,
    /// The diary entry that contains it.
    pub entry: Option<EntryId>,
}

/// Selects diary entries; the default selects all.
#[derive(Debug, Clone, Default)]
pub struct DiaryFilter {
    /// Entries that share one of these words.
    pub words: String,
    /// Entries with a topic that contains one of these.
    pub topics: Vec<String>,
    /// Entries of these days.
    pub days: Option<RangeInclusive<Date>>,
    /// The maximum number of entries.
    pub limit: Option<usize>,
}

/// Returns `true` if pending messages are due for the diary: the newest or the oldest of them is older than `window`.
/// `waiting` is the times of the oldest and the newest pending message.
///
/// Source: docs/behaviour/memory.md#diary.
pub fn is_due(waiting: Option<(i64, i64)>, now_micros: i64, window: Duration) -> bool {
    let window = i64::try_from(window.as_micros()).unwrap_or(i64::MAX);
    waiting.is_some_and(|(oldest, newest)| {
        let is_past = |at: i64| now_micros.saturating_sub(at) >= window;
        is_past(newest) || is_past(oldest)
    })
}

impl Memory {
    /// The oldest messages that are not in the diary yet, oldest first.
    pub async fn pending_messages(&self, limit: usize) -> Result<Vec<PendingMessage>, MemoryError> {
        self.read(move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT id, conversation, channel, speaker, text, said_at FROM messages
                     WHERE digested_at IS NULL ORDER BY said_at, id LIMIT ?1",
            )?;
            let rows = select.query_map([limit as i64], |row| {
                Ok(PendingMessage {
                    message: row.get(0)?,
                    conversation: ConversationId(row.get(1)?),
                    channel: row.get(2)?,
                    content: read_content(row, 3)?,
                })
            })?;
            rows.collect()
        })
        .await
    }

    /// The times of the oldest and the newest pending message, in microseconds since 1970 UTC; `None` without pending messages.
    pub async fn pending_span(&self) -> Result<Option<(i64, i64)>, MemoryError> {
        self.read(|connection| {
            let sql = "SELECT min(said_at), max(said_at) FROM messages WHERE digested_at IS NULL";
            connection
                .prepare_cached(sql)?
                .query_row([], |row| Ok(row.get::<_, Option<i64>>(0)?.zip(row.get::<_, Option<i64>>(1)?)))
        })
        .await
    }

    /// Writes an entry, replacing the one of the same day and source, and marks these messages as contained in it.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for an entry without words.
    pub async fn write_entry(
        &self,
        entry: NewEntry,
        messages: Vec<i64>,
        now_micros: i64,
    ) -> Result<EntryId, MemoryError> {
        self.change(move |changing| write(changing, &entry, &messages, now_micros)).await
    }

    /// Like [`Self::write_entry`], for an entry that a model needed time to write. Fails when one of its messages was forgotten
    /// meanwhile, so that nothing forgotten comes back. `so_far` is the entry that it continues.
    ///
    /// # Errors
    ///
    /// [`Refusal::Outdated`] when one of the messages was deleted, or the entry was rewritten.
    pub async fn continue_entry(
        &self,
        entry: NewEntry,
        so_far: Option<Entry>,
        messages: Vec<PendingMessage>,
        now_micros: i64,
    ) -> Result<EntryId, MemoryError> {
        self.change(move |changing| {
            if of_day(changing, entry.day, &entry.source)? != so_far {
                return Err(Refusal::Outdated.into());
            }
            // SQLite may have reused the row for another message: compare the time too.
            let mut select =
                changing.prepare_cached("SELECT 1 FROM messages WHERE id = ?1 AND said_at = ?2")?;
            for message in &messages {
                if !select.exists(params![message.message, message.content.at_micros])? {
                    return Err(Refusal::Outdated.into());
                }
            }
            drop(select);
            let messages: Vec<i64> = messages.iter().map(|message| message.message).collect();
            write(changing, &entry, &messages, now_micros)
        })
        .await
    }

    /// Replaces summaries and topics of entries. Returns the id to undo it.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for an entry that does not exist or would be without words.
    pub async fn rewrite_entries(
        &self,
        what: &str,
        entries: Vec<(EntryId, String, Vec<String>)>,
        now_micros: i64,
    ) -> Result<UndoId, MemoryError> {
        let what = what.to_owned();
        self.change(move |changing| {
            let mut rows = undo::Rows::default();
            for (id, ..) in &entries {
                rows.save(changing, "diary", "id", id.0)?;
                rows.save(changing, "diary_sources", "entry", id.0)?;
            }
            for (id, summary, topics) in entries {
                let before = entry_of(changing, id)?.ok_or(Refusal::NoSuchItem(id.item()))?;
                set(changing, &before, &summary, &topics)?;
            }
            Ok(undo::keep(changing, &what, &rows, now_micros)?)
        })
        .await
    }

    /// Marks messages as done for the diary and for the search for facts, without using them.
    pub async fn skip_messages(&self, messages: Vec<i64>, now_micros: i64) -> Result<(), MemoryError> {
        self.change(move |changing| {
            mark(changing, &messages, now_micros)?;
            Ok(mark_searched(changing, &messages, now_micros)?)
        })
        .await
    }

    /// The oldest messages in the diary that were not searched for facts, oldest first.
    pub async fn unsearched_messages(&self, limit: usize) -> Result<Vec<UnsearchedMessage>, MemoryError> {
        self.read(move |connection| unsearched(connection, limit)).await
    }

    /// Marks messages as searched for facts.
    pub async fn mark_searched(&self, messages: Vec<i64>, now_micros: i64) -> Result<(), MemoryError> {
        self.change(move |changing| Ok(mark_searched(changing, &messages, now_micros)?)).await
    }

    /// The entry with this id.
    pub async fn entry(&self, id: EntryId) -> Result<Option<Entry>, MemoryError> {
        self.read(move |connection| entry_of(connection, id)).await
    }

    /// The messages that a diary entry was written from, oldest first.
    pub async fn sources_of(&self, entry: EntryId, limit: usize) -> Result<Vec<Message>, MemoryError> {
        let sql = "SELECT m.* FROM messages m JOIN diary_sources s ON s.message = m.id WHERE s.entry = ?1
                   ORDER BY m.said_at LIMIT ?2";
        self.read(move |connection| messages(connection, sql, entry.0, limit)).await
    }

    /// The entry of a day and source.
    pub async fn entry_of_day(&self, day: Date, source: &str) -> Result<Option<Entry>, MemoryError> {
        let source = source.to_owned();
        self.read(move |connection| of_day(connection, day, &source)).await
    }

    /// The selected entries, newest first.
    pub async fn entries(&self, filter: DiaryFilter) -> Result<Vec<Entry>, MemoryError> {
        self.read(move |connection| filtered(connection, &filter)).await
    }

    /// Every topic in lower case with its number of entries, most frequent first.
    pub async fn topics(&self) -> Result<Vec<(String, usize)>, MemoryError> {
        let entries = self.entries(DiaryFilter::default()).await?;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for topic in entries.iter().flat_map(|entry| &entry.topics) {
            *counts.entry(topic.to_lowercase()).or_default() += 1;
        }
        let mut topics: Vec<(String, usize)> = counts.into_iter().collect();
        topics.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(topics)
    }
}

const ENTRIES: &str = "SELECT id, day, source, summary, topics, written_at FROM diary";

fn read(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let topics: String = row.get(4)?;
    Ok(Entry {
        id: EntryId(row.get(0)?),
        // We never write an invalid day; it sorts first and stays visible.
        day: row.get_ref(1)?.as_str()?.parse().unwrap_or(Date::ZERO),
        source: row.get(2)?,
        summary: row.get(3)?,
        topics: split_topics(&topics),
        written_at: row.get(5)?,
    })
}

/// Parses topics as they are stored: comma separated.
pub(crate) fn split_topics(topics: &str) -> Vec<String> {
    topics.split(',').map(str::trim).filter(|topic| !topic.is_empty()).map(str::to_owned).collect()
}

fn entry_of(connection: &Connection, id: EntryId) -> rusqlite::Result<Option<Entry>> {
    connection.prepare_cached(&format!("{ENTRIES} WHERE id = ?1"))?.query_row([id.0], read).optional()
}

fn of_day(connection: &Connection, day: Date, source: &str) -> rusqlite::Result<Option<Entry>> {
    let sql = format!("{ENTRIES} WHERE day = ?1 AND source = ?2");
    connection.prepare_cached(&sql)?.query_row(params![day.to_string(), source], read).optional()
}

pub(crate) fn write(
    changing: &mut WriteTransaction<'_>,
    entry: &NewEntry,
    messages: &[i64],
    now_micros: i64,
) -> Outcome<EntryId> {
    if entry.summary.trim().is_empty() {
        return Err(Refusal::NoWords.into());
    }
    let before = of_day(changing, entry.day, &entry.source)?;
    let id: i64 = changing.query_row(
        "INSERT INTO diary (day, source, summary, topics, written_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (day, source) DO UPDATE SET
             summary = excluded.summary, topics = excluded.topics, written_at = excluded.written_at
         RETURNING id",
        params![
            entry.day.to_string(),
            entry.source,
            entry.summary.trim(),
            entry.topics.join(", "),
            now_micros
        ],
        |row| row.get(0),
    )?;
    let id = EntryId(id);
    changing.index(id.item(), before.as_ref().map(indexed).as_deref())?;
    for message in messages {
        let sql = "INSERT INTO diary_sources (entry, message) SELECT ?1, id FROM messages WHERE id = ?2
                   ON CONFLICT DO NOTHING";
        changing.prepare_cached(sql)?.execute(params![id.0, message])?;
    }
    mark(changing, messages, now_micros)?;
    Ok(id)
}

fn mark(connection: &Connection, messages: &[i64], now_micros: i64) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached("UPDATE messages SET digested_at = ?2 WHERE id = ?1")?;
    for message in messages {
        update.execute(params![message, now_micros])?;
    }
    Ok(())
}

fn mark_searched(connection: &Connection, messages: &[i64], now_micros: i64) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached("UPDATE messages SET searched_at = ?2 WHERE id = ?1")?;
    for message in messages {
        update.execute(params![message, now_micros])?;
    }
    Ok(())
}

fn unsearched(connection: &Connection, limit: usize) -> rusqlite::Result<Vec<UnsearchedMessage>> {
    let mut select = connection.prepare_cached(
        "SELECT id, conversation, channel, speaker, text, said_at,
                (SELECT min(entry) FROM diary_sources WHERE message = m.id)
         FROM messages m WHERE searched_at IS NULL AND digested_at IS NOT NULL ORDER BY said_at, id LIMIT ?1",
    )?;
    let mut before = connection.prepare_cached(
        "SELECT speaker, text, said_at FROM messages WHERE conversation = ?1 AND said_at < ?2
         ORDER BY said_at DESC LIMIT 1",
    )?;
    let mut rows = select.query([limit as i64])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (conversation, content): (String, MessageContent) = (row.get(1)?, read_content(row, 3)?);
        let before = before.query_row(params![conversation, content.at_micros], |row| read_content(row, 0));
        found.push(UnsearchedMessage {
            message: row.get(0)?,
            conversation: ConversationId(conversation),
            channel: row.get(2)?,
            before: before.optional()?,
            entry: row.get::<_, Option<i64>>(6)?.map(EntryId),
            content,
        });
    }
    Ok(found)
}

/// Replaces summary and topics of an entry.
pub(crate) fn set(
    changing: &WriteTransaction<'_>,
    before: &Entry,
    summary: &str,
    topics: &[String],
) -> Outcome<()> {
    if summary.trim().is_empty() {
        return Err(Refusal::NoWords.into());
    }
    changing.execute(
        "UPDATE diary SET summary = ?2, topics = ?3 WHERE id = ?1",
        params![before.id.0, summary.trim(), topics.join(", ")],
    )?;
    Ok(changing.index(before.id.item(), Some(&indexed(before)))?)
}

/// The text of an entry as it is indexed.
fn indexed(entry: &Entry) -> String {
    format!("{}\n{}", entry.summary, entry.topics.join(", "))
}

pub(crate) fn filtered(connection: &Connection, filter: &DiaryFilter) -> rusqlite::Result<Vec<Entry>> {
    let terms = words::terms(&filter.words);
    let mut entries = connection
        .prepare_cached(&format!("{ENTRIES} ORDER BY day DESC, id DESC"))?
        .query_map([], read)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    if !terms.is_empty() {
        let expression = terms.iter().map(|term| words::quoted(term)).collect::<Vec<_>>().join(" OR ");
        let mut select =
            connection.prepare_cached("SELECT rowid FROM words WHERE words MATCH ?1 AND rowid % 4 = 1")?;
        let matching = select.query_map([expression], |row| row.get::<_, i64>(0))?;
        let matching = matching.collect::<rusqlite::Result<std::collections::HashSet<_>>>()?;
        entries.retain(|entry| matching.contains(&entry.id.item().number()));
    }
    let wanted: Vec<String> = filter.topics.iter().map(|topic| topic.to_lowercase()).collect();
    entries.retain(|entry| {
        let has = |wanted: &String| entry.topics.iter().any(|topic| topic.to_lowercase().contains(wanted));
        (wanted.is_empty() || wanted.iter().any(has))
            && filter.days.as_ref().is_none_or(|days| days.contains(&entry.day))
    });
    entries.truncate(filter.limit.unwrap_or(usize::MAX));
    Ok(entries)
}
