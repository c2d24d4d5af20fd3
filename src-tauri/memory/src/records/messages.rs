//! Messages: everything that was said, for the history and for recall.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use vocabulary::{ConversationId, Private, ReplyTrace};

use crate::MemoryError;
use crate::item::{ItemId, RecordKind};
use crate::memory::{Memory, WriteTransaction};
use crate::records::traces::put_trace;

/// Tolerated clock skew, in microseconds: two minutes. A message that is older than the one before it by no more than this
/// is moved behind it. A clock that was further ahead was wrong, and its messages stay behind.
pub(crate) const CLOCK_SKEW_MICROS: i64 = 2 * 60 * 1_000_000;

/// The one who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Participant {
    /// The person who speaks or types.
    User,
    /// Jarvis.
    Assistant,
}

impl Participant {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "user" => Some(Self::User),
            "assistant" => Some(Self::Assistant),
            _ => None,
        }
    }
}

/// The words, the participant and the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageContent {
    /// The speaker.
    pub participant: Participant,
    /// The words, redacted.
    pub text: Private<String>,
    /// Microseconds since 1970 UTC, unique within a conversation.
    pub at_micros: i64,
}

impl MessageContent {
    /// A message that `participant` said at `at_micros`.
    pub fn new(participant: Participant, text: impl Into<String>, at_micros: i64) -> Self {
        Self { participant, text: Private(text.into()), at_micros }
    }
}

/// A message in the history of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialogueMessage {
    /// The words, participant and time.
    pub content: MessageContent,
    /// voice, typed, loopback or import; empty if unknown.
    pub channel: String,
}

/// A message to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// voice, typed, loopback or import.
    pub channel: String,
    /// The words, participant and time.
    pub content: MessageContent,
    /// `true` if the diary already contains it, so that it is neither summarised nor searched for facts.
    pub is_in_diary: bool,
}

/// A stored message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The row of the message.
    pub id: ItemId,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// voice, typed, loopback or import; empty if unknown.
    pub channel: String,
    /// The words, participant and time.
    pub content: MessageContent,
}

/// A summary of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// The row of the message.
    pub id: ConversationId,
    /// Number of messages.
    pub messages: i64,
    /// Time of the first message: microseconds since 1970 UTC.
    pub first_at: i64,
    /// Time of the newest message.
    pub last_at: i64,
}

impl Memory {
    /// Stores messages. Messages with a known conversation and time are skipped. Returns the number of new ones.
    pub async fn add_messages(&self, messages: Vec<NewMessage>) -> Result<usize, MemoryError> {
        self.change(move |changing| Ok(add(changing, &messages)?)).await
    }

    /// A message with up to `each_side` neighbours before and after it in its conversation, oldest first; empty when there is no
    /// such message.
    pub async fn messages_around(&self, row: i64, each_side: usize) -> Result<Vec<Message>, MemoryError> {
        let sql = "
            SELECT * FROM (SELECT n.* FROM messages n JOIN messages m ON n.conversation = m.conversation
                           WHERE m.id = ?1 AND n.said_at <= m.said_at ORDER BY n.said_at DESC LIMIT ?2 + 1)
            UNION ALL
            SELECT * FROM (SELECT n.* FROM messages n JOIN messages m ON n.conversation = m.conversation
                           WHERE m.id = ?1 AND n.said_at > m.said_at ORDER BY n.said_at LIMIT ?2)";
        self.read(move |connection| messages(connection, sql, row, each_side)).await
    }

    /// The conversations, most recent first.
    pub async fn conversations(&self) -> Result<Vec<Conversation>, MemoryError> {
        self.read(|connection| {
            let mut select = connection.prepare_cached(
                "SELECT conversation, count(*), min(said_at), max(said_at) AS last FROM messages
                     GROUP BY conversation ORDER BY last DESC",
            )?;
            let rows = select.query_map([], |row| {
                Ok(Conversation {
                    id: ConversationId(row.get(0)?),
                    messages: row.get(1)?,
                    first_at: row.get(2)?,
                    last_at: row.get(3)?,
                })
            })?;
            rows.collect()
        })
        .await
    }
}

/// The messages that `sql` selects for a row and a limit, oldest first.
pub(crate) fn messages(
    connection: &Connection,
    sql: &str,
    row: i64,
    count: usize,
) -> rusqlite::Result<Vec<Message>> {
    let columns =
        format!("SELECT id, conversation, channel, speaker, text, said_at FROM ({sql}) ORDER BY said_at, id");
    let mut select = connection.prepare_cached(&columns)?;
    let rows = select.query_map(params![row, count as i64], |row| {
        Ok(Message {
            id: ItemId::new(RecordKind::Message, row.get(0)?),
            conversation: ConversationId(row.get(1)?),
            channel: row.get(2)?,
            content: read_content(row, 3)?,
        })
    })?;
    rows.collect()
}

pub(crate) fn add(changing: &mut WriteTransaction<'_>, messages: &[NewMessage]) -> rusqlite::Result<usize> {
    let mut added = 0;
    for NewMessage { conversation, channel, content, is_in_diary } in messages {
        let text = kept(content);
        let sql =
            "INSERT INTO messages (conversation, said_at, speaker, text, channel, digested_at, searched_at)
                   VALUES (?1, ?2, ?3, ?4, ?5, CASE WHEN ?6 THEN ?2 END, CASE WHEN ?6 THEN ?2 END)
                   ON CONFLICT (conversation, said_at) DO NOTHING";
        let values = params![
            conversation.0,
            content.at_micros,
            content.participant.as_str(),
            text,
            channel,
            is_in_diary
        ];
        if changing.prepare_cached(sql)?.execute(values)? > 0 {
            let item = ItemId::new(RecordKind::Message, changing.last_insert_rowid());
            changing.index(item, None)?;
            added += 1;
        }
    }
    Ok(added)
}

/// Stores a message, moved on by microseconds while another message has its time: a clock that was set back repeats times.
/// `trace` tells how it was made. Returns its time.
pub(crate) fn add_beside(
    changing: &mut WriteTransaction<'_>,
    mut message: NewMessage,
    trace: Option<&ReplyTrace>,
) -> rusqlite::Result<i64> {
    let sql =
        "SELECT 1 FROM messages WHERE conversation = ?1 AND said_at = ?2 AND (speaker <> ?3 OR text <> ?4)";
    let text = kept(&message.content);
    let is_taken = |content: &MessageContent| {
        let values = params![message.conversation.0, content.at_micros, content.participant.as_str(), text];
        changing.prepare_cached(sql)?.exists(values)
    };
    while is_taken(&message.content)? {
        message.content.at_micros += 1;
    }
    let at_micros = message.content.at_micros;
    let conversation = message.conversation.clone();
    add(changing, &[message])?;
    if let Some(trace) = trace {
        put_trace(changing, &conversation, at_micros, trace)?;
    }
    Ok(at_micros)
}

/// The text without NUL: SQLite ends texts there, and would not find what follows.
fn kept(content: &MessageContent) -> String {
    content.text.replace('\0', " ")
}

/// The messages just before and after a message in its conversation.
pub(crate) fn neighbours(connection: &Connection, message: i64) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached(
        "SELECT id FROM (SELECT n.id FROM messages n JOIN messages m ON n.conversation = m.conversation
                         WHERE m.id = ?1 AND n.said_at < m.said_at ORDER BY n.said_at DESC LIMIT 1)
         UNION ALL
         SELECT id FROM (SELECT n.id FROM messages n JOIN messages m ON n.conversation = m.conversation
                         WHERE m.id = ?1 AND n.said_at > m.said_at ORDER BY n.said_at LIMIT 1)",
    )?;
    select.query_map([message], |row| row.get(0))?.collect()
}

/// Reads a message from three adjacent columns: speaker, text, said_at.
pub(crate) fn read_content(row: &Row<'_>, first: usize) -> rusqlite::Result<MessageContent> {
    Ok(MessageContent {
        participant: Participant::from_name(row.get_ref(first)?.as_str()?).unwrap_or(Participant::Assistant),
        text: Private(row.get(first + 1)?),
        at_micros: row.get(first + 2)?,
    })
}

/// The newest `count` messages of each conversation by time, and the `count` written last, oldest first. With a clock that
/// was ahead, old messages have the newest times; imported messages are written last but older.
pub(crate) fn newest_of_each(
    connection: &Connection,
    count: usize,
) -> rusqlite::Result<Vec<(ConversationId, MessageContent)>> {
    let mut newest = connection.prepare_cached(
        "SELECT conversation, speaker, text, said_at FROM (
             SELECT *, row_number() OVER (PARTITION BY conversation ORDER BY said_at DESC) AS by_time,
                       row_number() OVER (PARTITION BY conversation ORDER BY id DESC) AS by_writing FROM messages
         ) WHERE by_time <= ?1 OR by_writing <= ?1 ORDER BY said_at",
    )?;
    let rows =
        newest.query_map([count as i64], |row| Ok((ConversationId(row.get(0)?), read_content(row, 1)?)))?;
    rows.collect()
}

/// The row of the message of a conversation that was said at this time.
pub(crate) fn row_of(
    connection: &Connection,
    conversation: &str,
    at_micros: i64,
) -> rusqlite::Result<Option<i64>> {
    let mut select =
        connection.prepare_cached("SELECT id FROM messages WHERE conversation = ?1 AND said_at = ?2")?;
    select.query_row(params![conversation, at_micros], |row| row.get(0)).optional()
}

/// The newest `count` messages of a conversation before a time, with their channels, oldest first.
pub(crate) fn page_before(
    connection: &Connection,
    conversation: &str,
    before_micros: i64,
    count: usize,
) -> rusqlite::Result<Vec<DialogueMessage>> {
    let mut newest_first = connection.prepare_cached(
        "SELECT speaker, text, said_at, channel FROM messages WHERE conversation = ?1 AND said_at < ?2
         ORDER BY said_at DESC LIMIT ?3",
    )?;
    let rows = newest_first.query_map(params![conversation, before_micros, count as i64], |row| {
        Ok(DialogueMessage { content: read_content(row, 0)?, channel: row.get(3)? })
    })?;
    let mut page = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    page.reverse();
    Ok(page)
}
