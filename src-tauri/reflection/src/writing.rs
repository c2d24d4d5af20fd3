//! Writes the pending messages into the diary, day by day, then learns facts from them.
//!
//! Source: docs/behaviour/memory.md#diary.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use jiff::civil::Date;
use llm::CancellationToken;
use memory::{Entry, EntryId, MemoryError, NewEntry, PendingMessage, Refusal};
use tokio::time::Instant;

use crate::batch_passes::redacted_topics;
use crate::chunks::Chunk;
use crate::diary::{DiaryEntry, DiaryOutcome, DiaryRequest, fits_one_step, room, summarise};
use crate::learning::LearningOutcome;
use crate::{PassContext, Reflection, ReflectionError};

/// The source of entries written from conversations. Other entries were imported.
pub const CONVERSATION_SOURCE: &str = "conversation";

/// Messages read at a time: more than most people say in a day.
const PAGE: usize = 1000;

/// The messages that are not in the diary yet, without the skipped ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingDiary {
    /// Times of the oldest and the newest message, in microseconds since 1970 UTC. `None` when nothing is pending.
    pub oldest_and_newest: Option<(i64, i64)>,
    /// `true` if the messages of one day need several questions to the model.
    pub is_large: bool,
}

/// The outcome of writing the diary.
#[derive(Debug, Default)]
pub struct DiaryUpdate {
    /// The entries written, the oldest day first.
    pub entries: Vec<EntryId>,
    /// Number of messages in these entries.
    pub messages: usize,
    /// Number of messages without content for a diary.
    pub without_content: usize,
    /// Number of messages at which the model failed too often. They are tried again with new messages of the day, or after
    /// the next start.
    pub skipped: usize,
    /// Why the remaining messages stay pending.
    pub error: Option<ReflectionError>,
    /// The facts learned. Failures here do not affect the diary.
    pub learning: LearningOutcome,
}

impl Reflection {
    /// The messages that wait for the diary.
    ///
    /// # Errors
    ///
    /// [`ReflectionError::Memory`] when the database cannot be read.
    pub async fn pending(&self, context: &PassContext) -> Result<PendingDiary, ReflectionError> {
        let mut pending = PendingDiary::default();
        for (day, mut messages) in context.by_day(self.memory.pending_messages(PAGE).await?) {
            let worth_trying = self.retries().worth_trying(day, &ids(&messages));
            messages.retain(|message| worth_trying.contains(&message.message));
            for PendingMessage { content, .. } in &messages {
                let (oldest, newest) =
                    pending.oldest_and_newest.unwrap_or((content.at_micros, content.at_micros));
                pending.oldest_and_newest =
                    Some((oldest.min(content.at_micros), newest.max(content.at_micros)));
            }
            let so_far = self.memory.entry_of_day(day, CONVERSATION_SOURCE).await?;
            let chunks: Vec<Chunk> = messages.iter().map(chunk).collect();
            pending.is_large |= !fits_one_step(&context.request(day, so_far.as_ref(), &chunks));
        }
        Ok(pending)
    }

    /// Writes all pending messages: one entry for each of the user's days, which continues an existing entry. Then learns
    /// facts from all messages in the diary that were not searched yet. `on_summary` gets each summary as it is written.
    ///
    /// Messages stay pending when the time limit is over or the model fails.
    ///
    /// Cancel-safe: what is not written yet stays pending.
    ///
    /// # Errors
    ///
    /// When nothing could be written although messages are pending. After the first written entry, errors are in
    /// [`DiaryUpdate::error`] instead.
    pub async fn write_diary(
        &self,
        context: &PassContext,
        stop: &CancellationToken,
        on_summary: &mut (dyn FnMut(&str) + Send + Sync),
    ) -> Result<DiaryUpdate, ReflectionError> {
        let _run_lock = self.lock_run().await;
        let deadline = Instant::now() + context.limit;
        let mut writer =
            DiaryWriter { reflection: self, context, deadline, stop, on_summary, postponed: HashSet::new() };
        let mut written = DiaryUpdate::default();
        if let Err(error) = writer.write_all(&mut written).await {
            written.error = Some(error);
        }
        match written.error.take() {
            Some(error) if written.entries.is_empty() => Err(error),
            rest => {
                written.error = rest;
                written.learning = self.learn_until(deadline, context, stop).await;
                Ok(written)
            }
        }
    }
}

impl PassContext {
    fn request<'a>(&self, day: Date, so_far: Option<&'a Entry>, chunks: &'a [Chunk]) -> DiaryRequest<'a> {
        DiaryRequest {
            today: day,
            so_far: so_far.map(|entry| &*entry.summary),
            chunks,
            context_tokens: self.context_tokens,
            limit: self.limit,
        }
    }

    fn by_day(&self, messages: Vec<PendingMessage>) -> BTreeMap<Date, Vec<PendingMessage>> {
        let mut days: BTreeMap<Date, Vec<PendingMessage>> = BTreeMap::new();
        for message in messages {
            days.entry(self.day_of(message.content.at_micros)).or_default().push(message);
        }
        days
    }
}

/// Writes the entries of several days.
struct DiaryWriter<'a> {
    reflection: &'a Reflection,
    context: &'a PassContext,
    deadline: Instant,
    stop: &'a CancellationToken,
    on_summary: &'a mut (dyn FnMut(&str) + Send + Sync),
    /// Messages that stay pending in this run.
    postponed: HashSet<i64>,
}

impl DiaryWriter<'_> {
    async fn write_all(&mut self, written: &mut DiaryUpdate) -> Result<(), ReflectionError> {
        loop {
            let wanted = PAGE + self.postponed.len();
            let mut page = self.reflection.memory.pending_messages(wanted).await?;
            let is_last = page.len() < wanted;
            page.retain(|message| !self.postponed.contains(&message.message));
            for (day, messages) in self.context.by_day(page) {
                let pending = ids(&messages);
                if let Err(error) = self.write_day(day, messages, written).await {
                    self.postponed.extend(pending);
                    if !affects_only_this_day(&error) {
                        return Err(error);
                    }
                    tracing::warn!(%error, %day, "the diary of a day stays pending");
                    written.error.get_or_insert(error);
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    async fn write_day(
        &mut self,
        day: Date,
        messages: Vec<PendingMessage>,
        written: &mut DiaryUpdate,
    ) -> Result<(), ReflectionError> {
        let (messages, empty): (Vec<_>, Vec<_>) =
            messages.into_iter().partition(|message| has_content(&message.content.text));
        self.mark_without_content(ids(&empty), written).await?;
        if messages.is_empty() {
            return Ok(());
        }
        self.write_batches(day, messages, written).await
    }

    /// Writes the messages in one batch, or in smaller ones if the model failed before.
    async fn write_batches(
        &mut self,
        day: Date,
        mut messages: Vec<PendingMessage>,
        written: &mut DiaryUpdate,
    ) -> Result<(), ReflectionError> {
        loop {
            let pending = ids(&messages);
            let Some(next) = self.reflection.retries().next_diary_batch(day, &pending) else {
                written.skipped += pending.len();
                self.postponed.extend(pending);
                return Ok(());
            };
            let is_next = |message: &PendingMessage| next.messages.contains(&message.message);
            let (batch, rest): (Vec<_>, Vec<_>) = messages.into_iter().partition(is_next);
            let (before, has_time) = (written.messages, self.has_time());
            let outcome = self.summarise_and_store(day, batch, next.is_cut, written).await;
            let done = written.messages - before;
            let mut retries = self.reflection.retries();
            if done > 0 || outcome.is_ok() {
                retries.diary_succeeded(day);
            }
            if let Err(error) = outcome {
                let is_too_slow = matches!(error, ReflectionError::TooSlow { .. });
                let is_failure = error.is_caused_by_answer() && (has_time || !is_too_slow);
                if is_failure && retries.diary_failed(day, &next.messages[done..], &pending[done..]) {
                    tracing::warn!(%day, "the language model failed at a message too often; the diary skips it");
                }
                return Err(error);
            }
            messages = rest;
        }
    }

    /// Returns `true` if half the time limit is left: with less, a timeout says nothing about the messages.
    fn has_time(&self) -> bool {
        self.time_left() >= self.context.limit / 2
    }

    async fn summarise_and_store(
        &mut self,
        day: Date,
        mut messages: Vec<PendingMessage>,
        is_cut: bool,
        written: &mut DiaryUpdate,
    ) -> Result<(), ReflectionError> {
        let so_far = self.reflection.memory.entry_of_day(day, CONVERSATION_SOURCE).await?;
        let mut chunks: Vec<Chunk> = messages.iter().map(chunk).collect();
        if is_cut {
            let room = room(&self.context.request(day, so_far.as_ref(), &[]));
            for chunk in &mut chunks {
                let Some(beginning) = chunk.beginning(room) else { continue };
                tracing::warn!(%day, "a message is too long for the language model; the diary contains only its beginning");
                *chunk = beginning;
            }
        }
        let limit = self.time_left();
        let request = DiaryRequest { limit, ..self.context.request(day, so_far.as_ref(), &chunks) };
        let model = &*self.reflection.model;
        let (entry, error) = match summarise(model, request, self.stop, self.on_summary).await? {
            DiaryOutcome::Whole(entry) => (entry, None),
            DiaryOutcome::Part { entry, chunks, error } => {
                messages.truncate(chunks);
                (entry, Some(error.unwrap_or(ReflectionError::Unusable)))
            }
            DiaryOutcome::Unusable => return Err(ReflectionError::Unusable),
            DiaryOutcome::Nothing => return self.mark_without_content(ids(&messages), written).await,
        };
        let (count, entry) = (messages.len(), redacted(day, &entry));
        let now = self.context.now_micros();
        let id = self.reflection.memory.continue_entry(entry, so_far, messages, now).await?;
        written.entries.push(id);
        written.messages += count;
        error.map_or(Ok(()), Err)
    }

    async fn mark_without_content(
        &self,
        messages: Vec<i64>,
        written: &mut DiaryUpdate,
    ) -> Result<(), ReflectionError> {
        if !messages.is_empty() {
            written.without_content += messages.len();
            self.reflection.memory.skip_messages(messages, self.context.now_micros()).await?;
        }
        Ok(())
    }

    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

/// Returns `true` if other days may still succeed after this error.
fn affects_only_this_day(error: &ReflectionError) -> bool {
    let is_outdated = matches!(error, ReflectionError::Memory(MemoryError::Refused(Refusal::Outdated)));
    is_outdated || (error.is_caused_by_answer() && !matches!(error, ReflectionError::TooSlow { .. }))
}

fn ids(messages: &[PendingMessage]) -> Vec<i64> {
    messages.iter().map(|message| message.message).collect()
}

fn chunk(message: &PendingMessage) -> Chunk {
    Chunk { speaker: message.content.participant, text: message.content.text.clone() }
}

/// Returns `true` if the text has a word outside redaction marks.
fn has_content(text: &str) -> bool {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[REDACTED") {
        if before.chars().any(char::is_alphanumeric) {
            return true;
        }
        rest = after.split_once(']').map_or("", |(_, rest)| rest);
    }
    rest.chars().any(char::is_alphanumeric)
}

fn redacted(day: Date, entry: &DiaryEntry) -> NewEntry {
    NewEntry {
        day,
        source: CONVERSATION_SOURCE.to_owned(),
        summary: redaction::scrub(&entry.summary),
        topics: redacted_topics(&entry.topics),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::words("I like tea", true)]
    #[case::redacted("[REDACTED_EMAIL] … [REDACTED]!", false)]
    #[case::words_beside_it("mail [REDACTED_EMAIL]", true)]
    #[case::words_behind_it("[REDACTED_EMAIL] is mine", true)]
    #[case::signs("… ?!", false)]
    #[case::another_script("はい", true)]
    fn text_has_content_outside_redaction_marks(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(has_content(text), expected);
    }
}
