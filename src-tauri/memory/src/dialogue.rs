//! What was said just now: short-term memory, kept across restarts.
//!
//! Source: behaviour reference, section 2.3.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::params;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};
use vocabulary::{ConversationId, Private};

use crate::{MemoryError, Store};

/// Messages waiting to be written. More means that the disk has been failing for hundreds of messages: then the
/// oldest stay in memory only.
const WAITING: usize = 1024;

/// A failed write is tried again so often.
const RETRY_EVERY: Duration = Duration::from_secs(2);

/// Messages of one conversation kept at hand.
const AT_HAND: usize = 200;

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The user.
    User,
    /// We.
    Assistant,
}

impl Speaker {
    fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Who.
    pub speaker: Speaker,
    /// What, redacted.
    pub text: Private<String>,
    /// When: microseconds since 1970 UTC, strictly increasing within a conversation.
    pub at_micros: i64,
}

/// The dialogue of every conversation. Reading it touches no disk; writing reaches the disk within milliseconds,
/// and waits in memory while the disk is in trouble.
///
/// Clones share it.
#[derive(Clone)]
pub struct Dialogue {
    at_hand: Arc<Mutex<HashMap<ConversationId, Vec<Said>>>>,
    to_write: mpsc::Sender<(ConversationId, Said)>,
    waiting: watch::Receiver<usize>,
}

impl Dialogue {
    /// The dialogue kept in `store`. The returned future writes; it ends when the last clone is dropped and all is
    /// written, or cannot be. `report` is told when writing begins to fail, and with `None` when it works again.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when what was said before cannot be read.
    pub async fn open(
        store: Store,
        report: impl Fn(Option<MemoryError>) + Send + 'static,
    ) -> Result<(Self, impl Future<Output = ()> + Send + 'static), MemoryError> {
        let at_hand = store.read(read_newest).await?;
        let (to_write, written) = mpsc::channel(WAITING);
        let (count, waiting) = watch::channel(0);
        let dialogue = Self { at_hand: Arc::new(Mutex::new(at_hand)), to_write, waiting };
        Ok((dialogue, write_all(store, written, count, report)))
    }

    /// Adds what was said at `now_micros`, moved on by microseconds where that is not later than what was said
    /// before.
    pub fn say(&self, conversation: &ConversationId, speaker: Speaker, text: &str, now_micros: i64) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let said = {
            let mut at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
            let messages = at_hand.entry(conversation.clone()).or_default();
            let at_micros = messages.last().map_or(now_micros, |last| now_micros.max(last.at_micros + 1));
            let said = Said { speaker, text: Private(text.to_owned()), at_micros };
            messages.push(said.clone());
            if messages.len() > AT_HAND {
                messages.remove(0);
            }
            said
        };
        if self.to_write.try_send((conversation.clone(), said)).is_err() {
            tracing::error!("a message was not written: too many are waiting for the disk");
        }
    }

    /// What was said within `window` before `now_micros`, oldest first.
    pub fn recent(&self, conversation: &ConversationId, window: Duration, now_micros: i64) -> Vec<Said> {
        let window = i64::try_from(window.as_micros()).unwrap_or(i64::MAX);
        let at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = at_hand.get(conversation).map_or(&[][..], Vec::as_slice);
        messages.iter().filter(|said| now_micros.saturating_sub(said.at_micros) < window).cloned().collect()
    }

    /// Waits until all that was said is on disk, at most so long. Says whether it is.
    pub async fn flush(&self, at_most: Duration) -> bool {
        let mut waiting = self.waiting.clone();
        let is_done = |waiting: &usize| *waiting == 0;
        let is_idle = || self.to_write.capacity() == self.to_write.max_capacity();
        let flushed = async {
            // The count lags behind the queue by a moment: both must be at rest.
            while waiting.wait_for(is_done).await.is_ok() && !is_idle() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(at_most, flushed).await.is_ok()
    }
}

fn read_newest(connection: &rusqlite::Connection) -> rusqlite::Result<HashMap<ConversationId, Vec<Said>>> {
    let mut newest = connection.prepare(
        "SELECT conversation, said_at, speaker, text FROM (
             SELECT *, row_number() OVER (PARTITION BY conversation ORDER BY said_at DESC) AS place FROM messages
         ) WHERE place <= ?1 ORDER BY said_at",
    )?;
    let mut rows = newest.query([AT_HAND as i64])?;
    let mut at_hand: HashMap<ConversationId, Vec<Said>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let speaker: String = row.get(2)?;
        let said = Said {
            speaker: if speaker == "user" { Speaker::User } else { Speaker::Assistant },
            text: Private(row.get(3)?),
            at_micros: row.get(1)?,
        };
        at_hand.entry(ConversationId(row.get(0)?)).or_default().push(said);
    }
    Ok(at_hand)
}

async fn write_all(
    store: Store,
    mut to_write: mpsc::Receiver<(ConversationId, Said)>,
    waiting: watch::Sender<usize>,
    report: impl Fn(Option<MemoryError>) + Send,
) {
    let mut is_failing = false;
    while let Some((conversation, said)) = to_write.recv().await {
        waiting.send_replace(to_write.len() + 1);
        loop {
            match write_one(&store, conversation.clone(), said.clone()).await {
                Ok(()) => {
                    if std::mem::take(&mut is_failing) {
                        report(None);
                    }
                    break;
                }
                Err(error) if error.is_transient() => {
                    if !std::mem::replace(&mut is_failing, true) {
                        report(Some(error));
                    }
                    tokio::time::sleep(RETRY_EVERY).await;
                    if to_write.is_closed() {
                        // Nobody waits any more: the program is going.
                        return;
                    }
                }
                Err(error) => {
                    report(Some(error));
                    break;
                }
            }
        }
        waiting.send_replace(to_write.len());
    }
}

async fn write_one(store: &Store, conversation: ConversationId, said: Said) -> Result<(), MemoryError> {
    let insert = "INSERT INTO messages (conversation, said_at, speaker, text) VALUES (?1, ?2, ?3, ?4)
                  ON CONFLICT (conversation, said_at) DO NOTHING";
    store
        .write(move |transaction| {
            let values = params![conversation.0, said.at_micros, said.speaker.as_str(), said.text.0];
            transaction.prepare_cached(insert)?.execute(values).map(|_| ())
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000_000;

    async fn open(path: &std::path::Path) -> (Dialogue, Store, tokio::task::JoinHandle<()>) {
        let store = Store::open(path).unwrap().store;
        let (dialogue, writing) = Dialogue::open(store.clone(), |_| {}).await.unwrap();
        (dialogue, store, tokio::spawn(writing))
    }

    fn texts(said: &[Said]) -> Vec<&str> {
        said.iter().map(|said| said.text.as_str()).collect()
    }

    #[tokio::test]
    async fn the_dialogue_survives_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        let main = ConversationId::main();

        let (dialogue, store, writing) = open(&path).await;
        dialogue.say(&main, Speaker::User, " what time is it ", MINUTE);
        dialogue.say(&main, Speaker::Assistant, "Noon.", MINUTE);
        assert!(dialogue.flush(Duration::from_secs(10)).await);
        drop(dialogue);
        writing.await.unwrap();
        store.close();
        let (dialogue, ..) = open(&path).await;

        let recent = dialogue.recent(&main, Duration::from_secs(300), 2 * MINUTE);
        assert_eq!(texts(&recent), ["what time is it", "Noon."]);
        assert_eq!(recent[1].at_micros, MINUTE + 1);
    }

    #[tokio::test]
    async fn what_is_older_than_the_window_is_no_longer_recent() {
        let folder = tempfile::tempdir().unwrap();
        let (dialogue, ..) = open(&folder.path().join("jarvis.db")).await;
        let main = ConversationId::main();

        dialogue.say(&main, Speaker::User, "old", 0);
        dialogue.say(&main, Speaker::User, "new", 4 * MINUTE);
        dialogue.say(&ConversationId("other".into()), Speaker::User, "elsewhere", 4 * MINUTE);

        assert_eq!(texts(&dialogue.recent(&main, Duration::from_secs(300), 5 * MINUTE)), ["new"]);
    }

    #[tokio::test]
    async fn what_is_said_while_the_database_is_locked_is_written_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        let (dialogue, store, _writing) = open(&path).await;
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();

        dialogue.say(&ConversationId::main(), Speaker::User, "kept", MINUTE);
        let flushed_while_locked = dialogue.flush(Duration::from_millis(50)).await;
        other.execute_batch("COMMIT").unwrap();

        assert!(!flushed_while_locked);
        assert!(dialogue.flush(Duration::from_secs(30)).await);
        let written: String =
            store.read(|c| c.query_row("SELECT text FROM messages", [], |row| row.get(0))).await.unwrap();
        assert_eq!(written, "kept");
    }
}
