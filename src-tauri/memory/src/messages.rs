//! All that was ever said, kept for the history of the window and for recall.

use rusqlite::{Connection, params};
use serde::Serialize;
use vocabulary::{ConversationId, Private};

use crate::MemoryError;
use crate::dialogue::{Participant, Said};
use crate::diary::EntryId;
use crate::item::{ItemId, Kind};
use crate::memory::{Changing, Memory};

/// Something said, to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// In which conversation.
    pub conversation: ConversationId,
    /// How: voice, typed, loopback, import.
    pub channel: String,
    /// What, redacted.
    pub said: Said,
    /// The diary needs not take it in, and no fact is to be found in it.
    pub is_in_diary: bool,
}

/// Something said, as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its name.
    pub id: ItemId,
    /// In which conversation.
    pub conversation: ConversationId,
    /// How: voice, typed, loopback, import; empty where nobody noted it.
    pub channel: String,
    /// What.
    pub said: Said,
}

/// A conversation in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// Its name.
    pub id: ConversationId,
    /// How much was said in it.
    pub messages: i64,
    /// When it began: microseconds since 1970 UTC.
    pub first_at: i64,
    /// When something was last said in it.
    pub last_at: i64,
}

impl Memory {
    /// Keeps what was said, all of it or nothing. What is known already, by conversation and time, is passed over. Says how
    /// much was new.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]; then nothing was kept.
    pub async fn add_messages(&self, messages: Vec<NewMessage>) -> Result<usize, MemoryError> {
        self.change(move |changing| Ok(add(changing, &messages)?)).await
    }

    /// A message and what was said around it in its conversation, so many before and after, oldest first; empty when
    /// there is no such message.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn messages_around(&self, row: i64, each_side: usize) -> Result<Vec<Message>, MemoryError> {
        let sql = "
            SELECT * FROM (SELECT n.* FROM messages n JOIN messages m ON n.conversation = m.conversation
                           WHERE m.id = ?1 AND n.said_at <= m.said_at ORDER BY n.said_at DESC LIMIT ?2 + 1)
            UNION ALL
            SELECT * FROM (SELECT n.* FROM messages n JOIN messages m ON n.conversation = m.conversation
                           WHERE m.id = ?1 AND n.said_at > m.said_at ORDER BY n.said_at LIMIT ?2)";
        self.store.read(move |connection| messages(connection, sql, row, each_side)).await
    }

    /// What a diary entry was written from, oldest first, at most so many.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn sources_of(&self, entry: EntryId, limit: usize) -> Result<Vec<Message>, MemoryError> {
        let sql = "SELECT m.* FROM messages m JOIN diary_sources s ON s.message = m.id WHERE s.entry = ?1
                   ORDER BY m.said_at LIMIT ?2";
        self.store.read(move |connection| messages(connection, sql, entry.0, limit)).await
    }

    /// The conversations, the one spoken in last first.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn conversations(&self) -> Result<Vec<Conversation>, MemoryError> {
        self.store
            .read(|connection| {
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

/// The messages that `sql` selects for a row and a number of them, oldest first.
fn messages(connection: &Connection, sql: &str, row: i64, count: usize) -> rusqlite::Result<Vec<Message>> {
    let columns =
        format!("SELECT id, conversation, channel, speaker, text, said_at FROM ({sql}) ORDER BY said_at, id");
    let mut select = connection.prepare_cached(&columns)?;
    let rows = select.query_map(params![row, count as i64], |row| {
        Ok(Message {
            id: ItemId::new(Kind::Message, row.get(0)?),
            conversation: ConversationId(row.get(1)?),
            channel: row.get(2)?,
            said: Said {
                speaker: Participant::of(row.get_ref(3)?.as_str()?).unwrap_or(Participant::Assistant),
                text: Private(row.get(4)?),
                at_micros: row.get(5)?,
            },
        })
    })?;
    rows.collect()
}

pub(crate) fn add(changing: &mut Changing<'_>, messages: &[NewMessage]) -> rusqlite::Result<usize> {
    let mut added = 0;
    for NewMessage { conversation, channel, said, is_in_diary } in messages {
        let text = kept(said);
        let sql =
            "INSERT INTO messages (conversation, said_at, speaker, text, channel, digested_at, searched_at)
                   VALUES (?1, ?2, ?3, ?4, ?5, CASE WHEN ?6 THEN ?2 END, CASE WHEN ?6 THEN ?2 END)
                   ON CONFLICT (conversation, said_at) DO NOTHING";
        let values =
            params![conversation.0, said.at_micros, said.speaker.as_str(), text, channel, is_in_diary];
        if changing.prepare_cached(sql)?.execute(values)? > 0 {
            let item = ItemId::new(Kind::Message, changing.last_insert_rowid());
            changing.index(item, None)?;
            added += 1;
        }
    }
    Ok(added)
}

/// Keeps what was said, a little later where something else was said at its time: a clock that was set back comes by the
/// same times again. Says when.
pub(crate) fn add_beside(changing: &mut Changing<'_>, mut message: NewMessage) -> rusqlite::Result<i64> {
    let sql =
        "SELECT 1 FROM messages WHERE conversation = ?1 AND said_at = ?2 AND (speaker <> ?3 OR text <> ?4)";
    let text = kept(&message.said);
    let is_taken = |said: &Said| {
        let values = params![message.conversation.0, said.at_micros, said.speaker.as_str(), text];
        changing.prepare_cached(sql)?.exists(values)
    };
    while is_taken(&message.said)? {
        message.said.at_micros += 1;
    }
    let at_micros = message.said.at_micros;
    add(changing, &[message])?;
    Ok(at_micros)
}

/// The text as it is kept: SQLite would end it at a NUL, and never find what comes after.
fn kept(said: &Said) -> String {
    said.text.replace('\0', " ")
}

impl Said {
    /// Something said.
    pub fn new(speaker: crate::Participant, text: impl Into<String>, at_micros: i64) -> Self {
        Self { speaker, text: Private(text.into()), at_micros }
    }
}
