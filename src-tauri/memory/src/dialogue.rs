//! What was said just now: short-term memory, kept across restarts.
//!
//! Source: behaviour reference, section 2.3.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::params;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};
use vocabulary::{ConversationId, Private, Trouble};

use crate::store::Opened;
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
    at_hand: Arc<Mutex<AtHand>>,
    to_write: mpsc::Sender<(ConversationId, Said)>,
    waiting: watch::Receiver<usize>,
    /// The database, once it is open.
    store: watch::Receiver<Option<Store>>,
}

type AtHand = HashMap<ConversationId, Vec<Said>>;

impl Dialogue {
    /// The dialogue kept in the database at `path`. The returned future opens it, as often as it takes, and writes;
    /// it ends when the last clone is dropped and all is written, or cannot be. `report` is told of trouble, and
    /// with `None` when it is over.
    pub fn begin(
        path: PathBuf,
        report: impl Fn(Option<Trouble>) + Send + 'static,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let at_hand = Arc::new(Mutex::new(AtHand::new()));
        let (to_write, written) = mpsc::channel(WAITING);
        let (count, waiting) = watch::channel(0);
        let (opened, store) = watch::channel(None);
        let keeper = Keeper { at_hand: Arc::clone(&at_hand), to_write: written, waiting: count, report };
        (Self { at_hand, to_write, waiting, store }, keeper.keep(path, opened))
    }

    /// Waits until what was said in earlier runs is at hand, at most so long. Says whether it is.
    pub async fn opened(&self, at_most: Duration) -> bool {
        let mut store = self.store.clone();
        let opened = tokio::time::timeout(at_most, store.wait_for(Option::is_some)).await;
        opened.is_ok_and(|opened| opened.is_ok())
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

    /// A page of everything that was ever said: the newest `count` messages before `before_micros`, oldest first. What
    /// was said in the last few milliseconds comes from memory, the rest from the database; all of it from memory while
    /// the database is not open.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read.
    pub async fn history(
        &self,
        conversation: &ConversationId,
        before_micros: i64,
        count: usize,
    ) -> Result<Vec<Said>, MemoryError> {
        let store = self.store.borrow().clone();
        let mut page = match store {
            Some(store) => {
                let conversation = conversation.0.clone();
                store
                    .read(move |connection| read_page(connection, &conversation, before_micros, count))
                    .await?
            }
            None => Vec::new(),
        };
        let newest_written = page.last().map_or(i64::MIN, |said| said.at_micros);
        let at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = at_hand.get(conversation).map_or(&[][..], Vec::as_slice);
        let unwritten =
            messages.iter().filter(|said| said.at_micros > newest_written && said.at_micros < before_micros);
        page.extend(unwritten.cloned());
        drop(at_hand);
        page.drain(..page.len().saturating_sub(count));
        Ok(page)
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

fn read_newest(connection: &rusqlite::Connection) -> rusqlite::Result<AtHand> {
    let mut newest = connection.prepare(
        "SELECT conversation, said_at, speaker, text FROM (
             SELECT *, row_number() OVER (PARTITION BY conversation ORDER BY said_at DESC) AS place FROM messages
         ) WHERE place <= ?1 ORDER BY said_at",
    )?;
    let mut rows = newest.query([AT_HAND as i64])?;
    let mut at_hand = AtHand::new();
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

fn read_page(
    connection: &rusqlite::Connection,
    conversation: &str,
    before_micros: i64,
    count: usize,
) -> rusqlite::Result<Vec<Said>> {
    let mut newest_first = connection.prepare_cached(
        "SELECT said_at, speaker, text FROM messages WHERE conversation = ?1 AND said_at < ?2
         ORDER BY said_at DESC LIMIT ?3",
    )?;
    let said = newest_first.query_map(params![conversation, before_micros, count as i64], |row| {
        let speaker: String = row.get(1)?;
        Ok(Said {
            speaker: if speaker == "user" { Speaker::User } else { Speaker::Assistant },
            text: Private(row.get(2)?),
            at_micros: row.get(0)?,
        })
    })?;
    let mut page = said.collect::<rusqlite::Result<Vec<_>>>()?;
    page.reverse();
    Ok(page)
}

/// The one that opens the database and writes to it.
struct Keeper<R> {
    at_hand: Arc<Mutex<AtHand>>,
    to_write: mpsc::Receiver<(ConversationId, Said)>,
    waiting: watch::Sender<usize>,
    report: R,
}

impl<R: Fn(Option<Trouble>) + Send> Keeper<R> {
    async fn keep(mut self, path: PathBuf, opened: watch::Sender<Option<Store>>) {
        let Some(store) = self.open(&path).await else { return };
        opened.send_replace(Some(store.clone()));
        self.write_all(&store).await;
        let closing = tokio::task::spawn_blocking(move || store.close()).await;
        if let Err(panic) = closing {
            tracing::error!(%panic, "the database was not closed cleanly");
        }
    }

    /// Opens the database, as often as it takes; `None` when nobody waits for it any more.
    async fn open(&mut self, path: &Path) -> Option<Store> {
        let mut is_failing = false;
        loop {
            match self.try_to_open(path.to_path_buf()).await {
                Ok(Opened { store, trouble }) => {
                    if is_failing {
                        (self.report)(None);
                    }
                    if trouble.is_some() {
                        (self.report)(trouble);
                    }
                    return Some(store);
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        (self.report)(Some(error.trouble()));
                    }
                }
            }
            tokio::time::sleep(RETRY_EVERY).await;
            if self.to_write.is_closed() {
                return None;
            }
        }
    }

    async fn try_to_open(&mut self, path: PathBuf) -> Result<Opened, MemoryError> {
        let opened = tokio::task::spawn_blocking(move || Store::open(&path)).await;
        let opened = opened.map_err(|_| MemoryError::Closed)??;
        let before = opened.store.read(read_newest).await?;
        let mut at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        for (conversation, mut earlier) in before {
            // What was said while the database was not open comes after what it holds.
            let since = at_hand.entry(conversation).or_default();
            earlier.append(since);
            *since = earlier;
        }
        drop(at_hand);
        Ok(opened)
    }

    async fn write_all(&mut self, store: &Store) {
        let mut is_failing = false;
        while let Some((conversation, said)) = self.to_write.recv().await {
            self.waiting.send_replace(self.to_write.len() + 1);
            loop {
                match write_one(store, conversation.clone(), said.clone()).await {
                    Ok(()) => {
                        if std::mem::take(&mut is_failing) {
                            (self.report)(None);
                        }
                        break;
                    }
                    Err(error) => {
                        if !std::mem::replace(&mut is_failing, true) {
                            (self.report)(Some(error.trouble()));
                        }
                        if !error.is_transient() {
                            break;
                        }
                        tokio::time::sleep(RETRY_EVERY).await;
                        if self.to_write.is_closed() {
                            // Nobody waits any more: the program is going.
                            return;
                        }
                    }
                }
            }
            self.waiting.send_replace(self.to_write.len());
        }
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

    async fn open(path: &Path) -> (Dialogue, tokio::task::JoinHandle<()>) {
        let (dialogue, keeping) = Dialogue::begin(path.to_path_buf(), |_| {});
        let keeping = tokio::spawn(keeping);
        assert!(dialogue.opened(Duration::from_secs(30)).await);
        (dialogue, keeping)
    }

    fn texts(said: &[Said]) -> Vec<&str> {
        said.iter().map(|said| said.text.as_str()).collect()
    }

    #[tokio::test]
    async fn the_dialogue_survives_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        let main = ConversationId::main();

        let (dialogue, keeping) = open(&path).await;
        dialogue.say(&main, Speaker::User, " what time is it ", MINUTE);
        dialogue.say(&main, Speaker::Assistant, "Noon.", MINUTE);
        assert!(dialogue.flush(Duration::from_secs(10)).await);
        drop(dialogue);
        keeping.await.unwrap();
        let (dialogue, ..) = open(&path).await;

        let recent = dialogue.recent(&main, Duration::from_secs(300), 2 * MINUTE);
        assert_eq!(texts(&recent), ["what time is it", "Noon."]);
        assert_eq!(recent[1].at_micros, MINUTE + 1);
    }

    #[tokio::test]
    async fn history_goes_back_page_by_page() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        let main = ConversationId::main();
        let (dialogue, _keeping) = open(&path).await;
        for minute in 0..AT_HAND as i64 + 50 {
            dialogue.say(&main, Speaker::User, &minute.to_string(), minute * MINUTE);
        }

        let newest = dialogue.history(&main, i64::MAX, 3).await.unwrap();
        assert!(dialogue.flush(Duration::from_secs(30)).await);
        let oldest = dialogue.history(&main, 2 * MINUTE, 100).await.unwrap();
        let written = dialogue.history(&main, newest[0].at_micros, 2).await.unwrap();

        assert_eq!(texts(&newest), ["247", "248", "249"]);
        assert_eq!(texts(&oldest), ["0", "1"]);
        assert_eq!(texts(&written), ["245", "246"]);
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
    async fn a_dialogue_goes_on_before_its_database_can_be_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 999").unwrap();
        let (troubles, told) = std::sync::mpsc::channel();
        let (dialogue, keeping) =
            Dialogue::begin(path.clone(), move |trouble| troubles.send(trouble).unwrap());
        let _keeping = tokio::spawn(keeping);

        dialogue.say(&ConversationId::main(), Speaker::User, "kept", MINUTE);
        assert!(!dialogue.opened(Duration::from_millis(200)).await);
        std::fs::remove_file(&path).unwrap();

        assert!(dialogue.flush(Duration::from_secs(30)).await);
        assert!(told.recv().unwrap().unwrap().message.contains("newer version"));
        assert_eq!(told.recv().unwrap(), None);
        assert_eq!(
            texts(&dialogue.recent(&ConversationId::main(), Duration::from_secs(60), MINUTE)),
            ["kept"]
        );
    }

    #[tokio::test]
    async fn what_is_said_while_the_database_is_locked_is_written_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("jarvis.db");
        let (dialogue, _keeping) = open(&path).await;
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();

        dialogue.say(&ConversationId::main(), Speaker::User, "kept", MINUTE);
        let flushed_while_locked = dialogue.flush(Duration::from_millis(50)).await;
        other.execute_batch("COMMIT").unwrap();

        assert!(!flushed_while_locked);
        assert!(dialogue.flush(Duration::from_secs(30)).await);
        let written: String = other.query_row("SELECT text FROM messages", [], |row| row.get(0)).unwrap();
        assert_eq!(written, "kept");
    }
}
