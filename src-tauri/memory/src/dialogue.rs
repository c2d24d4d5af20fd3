//! Short-term memory: the recent turns of each conversation, and writing them to the database.
//!
//! Source: docs/behaviour/replying.md#conversation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use storage::StorageError;
use tokio::sync::{mpsc, watch};
use vocabulary::{ConversationId, DeliveryTrace, Origin, Query, ReplyId, ReplyTrace};

use crate::MemoryError;
use crate::forgetting::request::{Forget, ForgetOutcome, Undo};
use crate::records::messages::{DialogueMessage, MessageContent, Participant, page_before, row_of};
use crate::records::traces::trace_of;
use crate::service::MemoryService;

mod recent_turns; // the recent turns and the write queue: plain values
#[cfg(test)]
mod tests;
mod writer; // the task that writes

use recent_turns::{MadeReply, RecentTurns};
use writer::DialogueWriter;

/// The time to wait for queued messages to be written before something is forgotten.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// The dialogue of every conversation. Reading it does not touch the disk. Messages reach the disk within milliseconds, and
/// wait in memory while the disk fails.
///
/// Clones share it.
#[derive(Clone)]
pub struct Dialogue {
    turns: Arc<Mutex<RecentTurns>>,
    /// Wakes the writer, which ends with the last clone.
    wake: mpsc::Sender<()>,
    queue_length: watch::Receiver<usize>,
    is_loaded: watch::Receiver<bool>,
    service: MemoryService,
    /// `true` if messages are written down; those of temporary conversations never are.
    is_recorded: Arc<AtomicBool>,
}

impl Dialogue {
    /// The dialogue in the database of `service`. The returned future loads the recent turns and writes; it ends when the last
    /// clone is dropped and everything is written, or cannot be written.
    pub fn start(service: &MemoryService) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (count, queue_length) = watch::channel(0);
        let turns = Arc::new(Mutex::new(RecentTurns::new(count)));
        let (wake, woken) = mpsc::channel(1);
        let (loaded, is_loaded) = watch::channel(false);
        let writer = DialogueWriter { turns: Arc::clone(&turns), woken, service: service.clone(), loaded };
        let is_recorded = Arc::new(AtomicBool::new(true));
        let dialogue = Self { turns, wake, queue_length, is_loaded, service: service.clone(), is_recorded };
        (dialogue, writer.run())
    }

    /// Waits until the turns of earlier runs are loaded, at most this long. Returns whether they are.
    pub async fn opened(&self, timeout: Duration) -> bool {
        let mut is_loaded = self.is_loaded.clone();
        let loaded = tokio::time::timeout(timeout, is_loaded.wait_for(|is_loaded| *is_loaded)).await;
        loaded.is_ok_and(|loaded| loaded.is_ok())
    }

    /// Sets whether messages are written down from now on. Others are known until the program ends.
    pub fn set_recorded(&self, is_recorded: bool) {
        self.is_recorded.store(is_recorded, Ordering::Relaxed);
    }

    /// Adds a message, said at `now_micros`. If it is not later than the message before it, it is moved on by a microsecond;
    /// messages of a clock that was far ahead stay behind it.
    pub fn say(
        &self,
        conversation: &ConversationId,
        origin: &Origin,
        participant: Participant,
        text: &str,
        now_micros: i64,
    ) {
        self.add(conversation, origin, MessageContent::new(participant, text.trim(), now_micros), None);
    }

    /// Adds our reply to a query, as [`Dialogue::say`], and how it was made.
    pub fn say_reply(&self, query: &Query, text: &str, trace: ReplyTrace, now_micros: i64) {
        let content = MessageContent::new(Participant::Assistant, text.trim(), now_micros);
        let made = MadeReply { reply: query.reply, trace };
        self.add(&query.conversation, &query.origin, content, Some(made));
    }

    /// Adds to the trace of a reply of this run what of it arrived. One that is not written down is left alone.
    pub fn note_delivery(&self, conversation: &ConversationId, reply: ReplyId, delivery: DeliveryTrace) {
        self.turns.lock().note_delivery(conversation, reply, delivery);
        self.wake();
    }

    fn add(
        &self,
        conversation: &ConversationId,
        origin: &Origin,
        content: MessageContent,
        made: Option<MadeReply>,
    ) {
        if content.text.is_empty() {
            return;
        }
        let is_recorded = self.is_recorded.load(Ordering::Relaxed) && !conversation.is_temporary();
        self.turns.lock().add(conversation, origin.name(), content, made, is_recorded);
        self.wake();
    }

    /// Returns the trace of the reply of a conversation that was said at this time. `None` if it is not known: it is
    /// kept for the newest replies that are written down.
    pub async fn trace(
        &self,
        conversation: &ConversationId,
        at_micros: i64,
    ) -> Result<Option<ReplyTrace>, MemoryError> {
        self.flush(FLUSH_TIMEOUT).await;
        let Some(memory) = self.service.memory() else { return Ok(None) };
        let conversation = conversation.0.clone();
        memory.read(move |connection| trace_of(connection, &conversation, at_micros)).await
    }

    /// The row in the database of the message of a conversation that was said at this time, once it is written; `None` for a
    /// message that is not written down.
    ///
    /// # Errors
    ///
    /// As any reading of the database.
    pub async fn row_of(
        &self,
        conversation: &ConversationId,
        at_micros: i64,
    ) -> Result<Option<i64>, MemoryError> {
        self.flush(FLUSH_TIMEOUT).await;
        let Some(memory) = self.service.memory() else { return Ok(None) };
        let conversation = conversation.0.clone();
        memory.read(move |connection| row_of(connection, &conversation, at_micros)).await
    }

    /// The messages of the last `window` before `now_micros`, oldest first; without those of a clock that was further ahead.
    pub fn recent(
        &self,
        conversation: &ConversationId,
        window: Duration,
        now_micros: i64,
    ) -> Vec<MessageContent> {
        let window = i64::try_from(window.as_micros()).unwrap_or(i64::MAX);
        let is_recent = |content: &&MessageContent| {
            now_micros.saturating_sub(content.at_micros).saturating_abs() < window
        };
        self.turns.lock().of(conversation).map(|turn| &turn.content).filter(is_recent).cloned().collect()
    }

    /// A page of all messages: the newest `count` before `before_micros`, oldest first. Messages that are not written yet are
    /// included; while the database is not open, the page contains recent turns only.
    pub async fn history(
        &self,
        conversation: &ConversationId,
        before_micros: i64,
        count: usize,
    ) -> Result<Vec<DialogueMessage>, MemoryError> {
        let mut page = match self.service.memory() {
            Some(memory) => {
                let conversation = conversation.0.clone();
                memory
                    .read(move |connection| page_before(connection, &conversation, before_micros, count))
                    .await?
            }
            None => Vec::new(),
        };
        let newest_written = page.last().map_or(i64::MIN, |message| message.content.at_micros);
        let turns = self.turns.lock();
        let unwritten = turns.of(conversation).filter(|turn| {
            let at = turn.content.at_micros;
            at > newest_written && at < before_micros
        });
        page.extend(
            unwritten.map(|turn| DialogueMessage {
                content: turn.content.clone(),
                channel: turn.channel.to_owned(),
            }),
        );
        drop(turns);
        page.drain(..page.len().saturating_sub(count));
        Ok(page)
    }

    /// Forgets in the database and in the recent turns. Messages that are in no database are forgotten by their words, time
    /// or conversation. Fails with [`StorageError::Closed`] while the database is not open.
    pub async fn forget(
        &self,
        what: Forget,
        undo: Undo,
        now_micros: i64,
    ) -> Result<ForgetOutcome, MemoryError> {
        // Forgetting only finds queued messages once they are written.
        self.flush(FLUSH_TIMEOUT).await;
        self.turns.lock().forget_unwritten(&what);
        let memory = self.service.memory().ok_or(StorageError::Closed)?;
        let forgotten = memory.forget(what, undo, now_micros).await?;
        writer::reload(&self.turns, &memory).await?;
        Ok(forgotten)
    }

    /// Takes back everything that was said in a conversation at or after `since_micros`: from the recent turns and the write
    /// queue at once, and from the database as soon as it can be written. [`Dialogue::flush`] waits for that.
    pub fn withdraw(&self, conversation: &ConversationId, since_micros: i64) {
        self.turns.lock().withdraw(conversation, since_micros);
        self.wake();
    }

    /// Loads the recent turns anew, after messages came or went in the database, as with an undo or an import.
    pub async fn reload(&self) -> Result<(), MemoryError> {
        let memory = self.service.memory().ok_or(StorageError::Closed)?;
        writer::reload(&self.turns, &memory).await
    }

    /// Drops the recent turns of a conversation that is over. Queued messages are still written.
    pub fn end_conversation(&self, conversation: &ConversationId) {
        self.turns.lock().end_conversation(conversation);
    }

    /// Waits until everything is on the disk, at most this long. Returns whether it is.
    pub async fn flush(&self, timeout: Duration) -> bool {
        let mut queue_length = self.queue_length.clone();
        let flushed = tokio::time::timeout(timeout, queue_length.wait_for(|length| *length == 0)).await;
        flushed.is_ok()
    }

    fn wake(&self) {
        // When the channel is full, the writer wakes up anyway.
        let _ = self.wake.try_send(());
    }
}
