//! What was said just now: short-term memory, kept across restarts.
//!
//! Source: behaviour reference, section 2.3.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::params;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};
use vocabulary::{ConversationId, Origin, Private, Trouble};

use crate::MemoryError;
use crate::fold::fold;
use crate::forget::{Forget, Forgotten, Undo};
use crate::key::Place;
use crate::memory::Memory;

mod keeper; // opens the database and writes to it
#[cfg(test)]
mod tests;

use keeper::DatabaseWriter;

/// Messages waiting to be written. More means that the disk has been failing for hundreds of messages: then the
/// oldest stay in memory only.
const WAITING: usize = 1024;

/// What waits for the disk is given so long to reach it before something is forgotten.
const FLUSH_PATIENCE: Duration = Duration::from_secs(3);

/// Messages of one conversation kept at hand.
const AT_HAND: usize = 200;

/// So far a clock may go back, or lag behind what was said before, and what is said is still later than that: two
/// minutes, in microseconds. A clock that was further ahead was wrong.
pub(crate) const OUT_OF_STEP: i64 = 2 * 60 * 1_000_000;

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Participant {
    /// The user.
    User,
    /// We.
    Assistant,
}

impl Participant {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        match name {
            "user" => Some(Self::User),
            "assistant" => Some(Self::Assistant),
            _ => None,
        }
    }
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Who.
    pub speaker: Participant,
    /// What, redacted.
    pub text: Private<String>,
    /// When: microseconds since 1970 UTC, strictly increasing within a conversation.
    pub at_micros: i64,
}

/// Something said, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// What.
    pub said: Said,
    /// How: voice, typed, loopback, import; empty where nobody noted it.
    pub channel: String,
}

/// The dialogue of every conversation. Reading it touches no disk; writing reaches the disk within milliseconds,
/// and waits in memory while the disk is in trouble.
///
/// Clones share it.
#[derive(Clone)]
pub struct Dialogue {
    at_hand: Arc<Mutex<AtHand>>,
    to_write: mpsc::Sender<ToWrite>,
    waiting: watch::Receiver<usize>,
    /// The database, once it is open.
    memory: watch::Receiver<Option<Memory>>,
    /// What is said is written down, unless it is said in passing.
    keeps: Arc<AtomicBool>,
}

/// What is to be written down.
struct ToWrite {
    conversation: ConversationId,
    channel: &'static str,
    said: Said,
}

type AtHand = HashMap<ConversationId, Vec<Line>>;

/// Something said, at hand.
struct Line {
    said: Said,
    channel: &'static str,
    kept: Kept,
}

/// Where else a line is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// In the database.
    Written,
    /// In the database soon.
    Waiting,
    /// Nowhere: it was said in passing, or could not be written.
    Nowhere,
}

/// The times of what was in the database at a moment.
type Settled = HashMap<ConversationId, HashSet<i64>>;

impl Dialogue {
    /// The dialogue kept in the database at `place`. The returned future opens it, as often as it takes, and writes;
    /// it ends when the last clone is dropped and all is written, or cannot be. `report` is told of trouble, and
    /// with `None` when it is over.
    pub fn begin(
        place: impl Into<Place>,
        report: impl Fn(Option<Trouble>) + Send + 'static,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let at_hand = Arc::new(Mutex::new(AtHand::new()));
        let (to_write, written) = mpsc::channel(WAITING);
        let (count, waiting) = watch::channel(0);
        let (opened, memory) = watch::channel(None);
        let keeper =
            DatabaseWriter { at_hand: Arc::clone(&at_hand), to_write: written, waiting: count, report };
        let keeps = Arc::new(AtomicBool::new(true));
        (Self { at_hand, to_write, waiting, memory, keeps }, keeper.keep(place.into(), opened))
    }

    /// Waits until what was said in earlier runs is at hand, at most so long. Says whether it is.
    pub async fn opened(&self, at_most: Duration) -> bool {
        let mut memory = self.memory.clone();
        let opened = tokio::time::timeout(at_most, memory.wait_for(Option::is_some)).await;
        opened.is_ok_and(|opened| opened.is_ok())
    }

    /// Everything that is remembered, once the database is open.
    pub fn memory(&self) -> Option<Memory> {
        self.memory.borrow().clone()
    }

    /// The same, told when it opens.
    pub fn memory_when_open(&self) -> watch::Receiver<Option<Memory>> {
        self.memory.clone()
    }

    /// Says whether what is said from now on is written down. What is not is known until the program ends, and then gone.
    pub fn keep(&self, keeps: bool) {
        self.keeps.store(keeps, Ordering::Relaxed);
    }

    /// Adds what was said at `now_micros`, moved on by microseconds where that is not later than what was said
    /// before. What was said before by a clock that was ahead stays behind it: what is said now has the time of now.
    pub fn say(
        &self,
        conversation: &ConversationId,
        origin: &Origin,
        speaker: Participant,
        text: &str,
        now_micros: i64,
    ) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let is_wanted = self.keeps.load(Ordering::Relaxed) && !conversation.is_temporary();
        let room = is_wanted.then(|| self.to_write.try_reserve()).and_then(|room| {
            room.inspect_err(|_| {
                tracing::error!("a message was not written: too many are waiting for the disk")
            })
            .ok()
        });
        let said = {
            let mut at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
            let messages = at_hand.entry(conversation.clone()).or_default();
            let at_micros = time_of(messages, now_micros);
            let said = Said { speaker, text: Private(text.to_owned()), at_micros };
            let kept = if room.is_some() { Kept::Waiting } else { Kept::Nowhere };
            messages.push(Line { said: said.clone(), channel: channel(origin), kept });
            if messages.len() > AT_HAND {
                messages.remove(0);
            }
            said
        };
        if let Some(room) = room {
            room.send(ToWrite { conversation: conversation.clone(), channel: channel(origin), said });
        }
    }

    /// What was said within `window` before `now_micros`, oldest first. What was said by a clock that was further ahead is
    /// not among it.
    pub fn recent(&self, conversation: &ConversationId, window: Duration, now_micros: i64) -> Vec<Said> {
        let window = i64::try_from(window.as_micros()).unwrap_or(i64::MAX);
        let at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = at_hand.get(conversation).map_or(&[][..], Vec::as_slice);
        let said = messages.iter().map(|line| &line.said);
        said.filter(|said| now_micros.saturating_sub(said.at_micros).saturating_abs() < window)
            .cloned()
            .collect()
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
    ) -> Result<Vec<Told>, MemoryError> {
        let mut page = match self.memory() {
            Some(memory) => {
                let conversation = conversation.0.clone();
                memory
                    .store
                    .read(move |connection| read_page(connection, &conversation, before_micros, count))
                    .await?
            }
            None => Vec::new(),
        };
        let newest_written = page.last().map_or(i64::MIN, |told| told.said.at_micros);
        let at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = at_hand.get(conversation).map_or(&[][..], Vec::as_slice);
        let is_unwritten = |at: i64| at > newest_written && at < before_micros;
        let unwritten = messages.iter().filter(|line| is_unwritten(line.said.at_micros));
        page.extend(unwritten.map(|line| Told { said: line.said.clone(), channel: line.channel.to_owned() }));
        drop(at_hand);
        page.drain(..page.len().saturating_sub(count));
        Ok(page)
    }

    /// Forgets, in the database and at hand; what was said in passing too, by its words, its time or its conversation.
    ///
    /// # Errors
    ///
    /// [`MemoryError`]; then nothing was forgotten. [`MemoryError::Closed`] while the database is not open.
    pub async fn forget(&self, what: Forget, undo: Undo, now_micros: i64) -> Result<Forgotten, MemoryError> {
        // What waits for the disk has to be there to be forgotten.
        self.flush(FLUSH_PATIENCE).await;
        self.forget_in_passing(&what);
        let memory = self.memory().ok_or(MemoryError::Closed)?;
        let forgotten = memory.forget(what, undo, now_micros).await?;
        reload(&self.at_hand, &memory).await?;
        Ok(forgotten)
    }

    /// Takes in messages that came or went in the database, as after an undo or an import.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database cannot be read; [`MemoryError::Closed`] while it is not open.
    pub async fn reload(&self) -> Result<(), MemoryError> {
        let memory = self.memory().ok_or(MemoryError::Closed)?;
        reload(&self.at_hand, &memory).await
    }

    /// Forgets what no database holds.
    fn forget_in_passing(&self, what: &Forget) {
        let phrase = match what {
            Forget::Words(words) => fold(words),
            _ => String::new(),
        };
        let is_meant = |conversation: &ConversationId, said: &Said| match what {
            Forget::Words(_) => !phrase.is_empty() && fold(&said.text).contains(&phrase),
            Forget::Span(span) => span.contains(&said.at_micros),
            Forget::Conversation(of) => conversation.0 == *of,
            Forget::Items(_) | Forget::LastThing => false,
        };
        let mut at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        for (conversation, lines) in at_hand.iter_mut() {
            lines.retain(|line| line.kept != Kept::Nowhere || !is_meant(conversation, &line.said));
        }
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

/// When something is said: now, but after what was said just before, and at a time that nothing else has.
fn time_of(messages: &[Line], now_micros: i64) -> i64 {
    let times = || messages.iter().map(|line| line.said.at_micros);
    let is_just_before = |at: &i64| (now_micros..=now_micros.saturating_add(OUT_OF_STEP)).contains(at);
    let mut at_micros = times().filter(is_just_before).max().map_or(now_micros, |last| last + 1);
    while times().any(|time| time == at_micros) {
        at_micros += 1;
    }
    at_micros
}

/// The word for how something was said.
fn channel(origin: &Origin) -> &'static str {
    match origin {
        Origin::Voice => "voice",
        Origin::Typed => "typed",
        Origin::Loopback => "loopback",
    }
}

/// Puts what the database holds in the place of what is at hand. What is never written stays, and so does what is being
/// written meanwhile.
async fn reload(at_hand: &Mutex<AtHand>, memory: &Memory) -> Result<(), MemoryError> {
    let settled = settled(at_hand);
    let written = memory.store.read(read_newest).await?;
    put_in_place(at_hand, written, &settled);
    Ok(())
}

/// What is in the database by now.
fn settled(at_hand: &Mutex<AtHand>) -> Settled {
    let at_hand = at_hand.lock().unwrap_or_else(PoisonError::into_inner);
    let written = |lines: &Vec<Line>| {
        lines.iter().filter(|line| line.kept == Kept::Written).map(|line| line.said.at_micros).collect()
    };
    at_hand.iter().map(|(conversation, lines)| (conversation.clone(), written(lines))).collect()
}

/// Puts what was read after `settled` was noted in the place of what is at hand, but for what came since.
fn put_in_place(at_hand: &Mutex<AtHand>, read: AtHand, settled: &Settled) {
    let mut at_hand = at_hand.lock().unwrap_or_else(PoisonError::into_inner);
    let before = std::mem::replace(&mut *at_hand, read);
    for (conversation, mut lines) in before {
        let settled = settled.get(&conversation);
        let now = at_hand.entry(conversation).or_default();
        lines.retain(|line| {
            let is_settled = settled.is_some_and(|settled| settled.contains(&line.said.at_micros));
            !is_settled && !now.iter().any(|read| read.said == line.said)
        });
        now.extend(lines);
        now.sort_by_key(|line| line.said.at_micros);
    }
}

/// The newest of each conversation by their times, and those written last: by a clock that was ahead old words have the
/// newest times, and what was taken in was written last.
fn read_newest(connection: &rusqlite::Connection) -> rusqlite::Result<AtHand> {
    let mut newest = connection.prepare(
        "SELECT conversation, said_at, speaker, text FROM (
             SELECT *, row_number() OVER (PARTITION BY conversation ORDER BY said_at DESC) AS by_time,
                       row_number() OVER (PARTITION BY conversation ORDER BY id DESC) AS by_writing FROM messages
         ) WHERE by_time <= ?1 OR by_writing <= ?1 ORDER BY said_at",
    )?;
    let mut rows = newest.query([AT_HAND as i64])?;
    let mut at_hand = AtHand::new();
    while let Some(row) = rows.next()? {
        let speaker: String = row.get(2)?;
        let said = Said {
            speaker: if speaker == "user" { Participant::User } else { Participant::Assistant },
            text: Private(row.get(3)?),
            at_micros: row.get(1)?,
        };
        at_hand.entry(ConversationId(row.get(0)?)).or_default().push(Line {
            said,
            channel: "",
            kept: Kept::Written,
        });
    }
    Ok(at_hand)
}

fn read_page(
    connection: &rusqlite::Connection,
    conversation: &str,
    before_micros: i64,
    count: usize,
) -> rusqlite::Result<Vec<Told>> {
    let mut newest_first = connection.prepare_cached(
        "SELECT said_at, speaker, text, channel FROM messages WHERE conversation = ?1 AND said_at < ?2
         ORDER BY said_at DESC LIMIT ?3",
    )?;
    let said = newest_first.query_map(params![conversation, before_micros, count as i64], |row| {
        let speaker: String = row.get(1)?;
        let said = Said {
            speaker: if speaker == "user" { Participant::User } else { Participant::Assistant },
            text: Private(row.get(2)?),
            at_micros: row.get(0)?,
        };
        Ok(Told { said, channel: row.get(3)? })
    })?;
    let mut page = said.collect::<rusqlite::Result<Vec<_>>>()?;
    page.reverse();
    Ok(page)
}
