//! All that was ever said, kept for the history of the window and for recall.

use rusqlite::params;
use serde::Serialize;
use vocabulary::{ConversationId, Private};

use crate::MemoryError;
use crate::dialogue::Said;
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
    /// The diary needs not take it in.
    pub is_in_diary: bool,
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

pub(crate) fn add(changing: &mut Changing<'_>, messages: &[NewMessage]) -> rusqlite::Result<usize> {
    let mut added = 0;
    for NewMessage { conversation, channel, said, is_in_diary } in messages {
        // SQLite would end the text there, and never find what comes after.
        let text = said.text.replace('\0', " ");
        let sql = "INSERT INTO messages (conversation, said_at, speaker, text, channel, digested_at)
                   VALUES (?1, ?2, ?3, ?4, ?5, CASE WHEN ?6 THEN ?2 END)
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

impl Said {
    /// Something said.
    pub fn new(speaker: crate::Speaker, text: impl Into<String>, at_micros: i64) -> Self {
        Self { speaker, text: Private(text.into()), at_micros }
    }
}
