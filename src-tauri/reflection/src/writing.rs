//! Writes the diary of what was said since the last time, day by day, and learns from it.
//!
//! Source: behaviour reference, section 3.2, and section 11, rows 13 and 14.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use jiff::civil::Date;
use llm::CancellationToken;
use memory::{Entry, EntryId, MemoryError, NewEntry, PendingMessage, Refusal};
use tokio::time::Instant;

use crate::diary::{DiaryEntry, DiaryOutcome, DiaryRequest, fits_one_step, room, summarise};
use crate::learning::Learning;
use crate::talk::Chunk;
use crate::{PassContext, Reflection, ReflectionError};

/// The source of the entries that are written here; others were imported.
pub const CONVERSATION: &str = "conversation";

/// Messages read at a time: more than most people say in a day.
const PAGE: usize = 1000;

/// What the diary has not taken in, without what was given up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pending {
    /// When the oldest and the newest of it was said: microseconds since 1970 UTC; `None` when nothing waits.
    pub since: Option<(i64, i64)>,
    /// Of one day there is more than the model takes in at once.
    pub is_much: bool,
}

/// What came of writing the diary.
#[derive(Debug, Default)]
pub struct Written {
    /// The entries, the oldest day first.
    pub entries: Vec<EntryId>,
    /// How many messages are in them.
    pub messages: usize,
    /// How many messages hold nothing for a diary.
    pub passed_over: usize,
    /// How many messages wait for the next start, or for new ones beside them: about these the model was asked in vain too
    /// often.
    pub given_up: usize,
    /// Why the rest waits for the next time.
    pub unfinished: Option<ReflectionError>,
    /// What was learned. Its failures are none of the diary's.
    pub learning: Learning,
}

impl Reflection {
    /// What there is to write.
    ///
    /// # Errors
    ///
    /// [`ReflectionError::Memory`] when the database cannot be read.
    pub async fn pending(&self, occasion: &PassContext) -> Result<Pending, ReflectionError> {
        let mut pending = Pending::default();
        for (day, mut messages) in occasion.by_day(self.memory.pending_messages(PAGE).await?) {
            let hopeful = self.attempts().hopeful(day, &ids(&messages));
            messages.retain(|message| hopeful.contains(&message.message));
            for PendingMessage { content, .. } in &messages {
                let (oldest, newest) = pending.since.unwrap_or((content.at_micros, content.at_micros));
                pending.since = Some((oldest.min(content.at_micros), newest.max(content.at_micros)));
            }
            let so_far = self.memory.entry_of_day(day, CONVERSATION).await?;
            let chunks: Vec<Chunk> = messages.iter().map(chunk).collect();
            pending.is_much |= !fits_one_step(&occasion.request(day, so_far.as_ref(), &chunks));
        }
        Ok(pending)
    }

    /// Writes all that the diary has not taken in: an entry for each of the user's days, which continues the one that is
    /// there. Then learns from what the diary has taken in, now or earlier. What comes in meanwhile waits for the next
    /// time, or is written as well. `on_summary` is told of each summary as it is written.
    ///
    /// What does not fit into the time limit waits for the next time, and so does what the model failed at.
    ///
    /// Cancel-safe: what is not written yet stays pending.
    ///
    /// # Errors
    ///
    /// Why nothing was written although something waits. Once one entry is written, [`Written::unfinished`] says why the
    /// others are not.
    pub async fn write_diary(
        &self,
        occasion: &PassContext,
        stop: &CancellationToken,
        on_summary: &mut (dyn FnMut(&str) + Send + Sync),
    ) -> Result<Written, ReflectionError> {
        let _turn = self.turn().await;
        let deadline = Instant::now() + occasion.limit;
        let mut days = Days { reflection: self, occasion, deadline, stop, on_summary, left: HashSet::new() };
        let mut written = Written::default();
        if let Err(error) = days.write_all(&mut written).await {
            written.unfinished = Some(error);
        }
        match written.unfinished.take() {
            Some(error) if written.entries.is_empty() => Err(error),
            unfinished => {
                written.unfinished = unfinished;
                written.learning = self.learn_until(deadline, occasion, stop).await;
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

/// The writing of several days.
struct Days<'a> {
    reflection: &'a Reflection,
    occasion: &'a PassContext,
    deadline: Instant,
    stop: &'a CancellationToken,
    on_summary: &'a mut (dyn FnMut(&str) + Send + Sync),
    /// Messages that stay pending this time.
    left: HashSet<i64>,
}

impl Days<'_> {
    async fn write_all(&mut self, written: &mut Written) -> Result<(), ReflectionError> {
        loop {
            let wanted = PAGE + self.left.len();
            let mut page = self.reflection.memory.pending_messages(wanted).await?;
            let is_last = page.len() < wanted;
            page.retain(|message| !self.left.contains(&message.message));
            for (day, messages) in self.occasion.by_day(page) {
                let pending = ids(&messages);
                if let Err(error) = self.write_day(day, messages, written).await {
                    self.left.extend(pending);
                    if !concerns_this_day_alone(&error) {
                        return Err(error);
                    }
                    tracing::warn!(%error, %day, "the diary of a day waits for the next time");
                    written.unfinished.get_or_insert(error);
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
        written: &mut Written,
    ) -> Result<(), ReflectionError> {
        let (messages, empty): (Vec<_>, Vec<_>) =
            messages.into_iter().partition(|message| says_something(&message.content.text));
        self.pass_over(ids(&empty), written).await?;
        if messages.is_empty() {
            return Ok(());
        }
        self.write_portions(day, messages, written).await
    }

    /// Writes all that makes sense, at first in one piece; what the model failed at before in smaller ones.
    async fn write_portions(
        &mut self,
        day: Date,
        mut messages: Vec<PendingMessage>,
        written: &mut Written,
    ) -> Result<(), ReflectionError> {
        loop {
            let pending = ids(&messages);
            let Some(next) = self.reflection.attempts().next_to_write(day, &pending) else {
                written.given_up += pending.len();
                self.left.extend(pending);
                return Ok(());
            };
            let is_next = |message: &PendingMessage| next.messages.contains(&message.message);
            let (portion, rest): (Vec<_>, Vec<_>) = messages.into_iter().partition(is_next);
            let (before, has_time) = (written.messages, self.has_time());
            let outcome = self.summarise_and_keep(day, portion, next.is_cut, written).await;
            let done = written.messages - before;
            let mut attempts = self.reflection.attempts();
            if done > 0 || outcome.is_ok() {
                attempts.wrote(day);
            }
            if let Err(error) = outcome {
                let is_too_slow = matches!(error, ReflectionError::TooSlow { .. });
                let is_in_vain = error.is_of_the_answer() && (has_time || !is_too_slow);
                if is_in_vain && attempts.wrote_in_vain(day, &next.messages[done..], &pending[done..]) {
                    tracing::warn!(%day, "the language model finds no words for a message; the diary goes on without it");
                }
                return Err(error);
            }
            messages = rest;
        }
    }

    /// Is enough left of the time limit to say that the model is too slow for something?
    fn has_time(&self) -> bool {
        self.time_left() >= self.occasion.limit / 2
    }

    async fn summarise_and_keep(
        &mut self,
        day: Date,
        mut messages: Vec<PendingMessage>,
        is_cut: bool,
        written: &mut Written,
    ) -> Result<(), ReflectionError> {
        let so_far = self.reflection.memory.entry_of_day(day, CONVERSATION).await?;
        let mut chunks: Vec<Chunk> = messages.iter().map(chunk).collect();
        if is_cut {
            let room = room(&self.occasion.request(day, so_far.as_ref(), &[]));
            for chunk in &mut chunks {
                let Some(beginning) = chunk.beginning(room) else { continue };
                tracing::warn!(%day, "a message is too long for the language model; the diary has its beginning");
                *chunk = beginning;
            }
        }
        let limit = self.time_left();
        let request = DiaryRequest { limit, ..self.occasion.request(day, so_far.as_ref(), &chunks) };
        let model = &*self.reflection.model;
        let (entry, why_not_all) = match summarise(model, request, self.stop, self.on_summary).await? {
            DiaryOutcome::Whole(entry) => (entry, None),
            DiaryOutcome::Part { entry, chunks, error } => {
                messages.truncate(chunks);
                (entry, Some(error.unwrap_or(ReflectionError::Unusable)))
            }
            DiaryOutcome::Unusable => return Err(ReflectionError::Unusable),
            DiaryOutcome::Nothing => return self.pass_over(ids(&messages), written).await,
        };
        let (count, entry) = (messages.len(), redacted(day, &entry));
        let now = self.occasion.now_micros();
        let id = self.reflection.memory.continue_entry(entry, so_far, messages, now).await?;
        written.entries.push(id);
        written.messages += count;
        why_not_all.map_or(Ok(()), Err)
    }

    async fn pass_over(&self, messages: Vec<i64>, written: &mut Written) -> Result<(), ReflectionError> {
        if !messages.is_empty() {
            written.passed_over += messages.len();
            self.reflection.memory.skip_messages(messages, self.occasion.now_micros()).await?;
        }
        Ok(())
    }

    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

/// Another day may fare better after this.
fn concerns_this_day_alone(error: &ReflectionError) -> bool {
    let is_outdated = matches!(error, ReflectionError::Memory(MemoryError::Refused(Refusal::Outdated)));
    is_outdated || (error.is_of_the_answer() && !matches!(error, ReflectionError::TooSlow { .. }))
}

fn ids(messages: &[PendingMessage]) -> Vec<i64> {
    messages.iter().map(|message| message.message).collect()
}

fn chunk(message: &PendingMessage) -> Chunk {
    Chunk { speaker: message.content.participant, text: message.content.text.clone() }
}

/// Is there a word beside what was redacted?
fn says_something(text: &str) -> bool {
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
    let topics = redaction::scrub(&entry.topics);
    let topics = topics.split(',').map(str::trim).filter(|topic| !topic.is_empty());
    NewEntry {
        day,
        source: CONVERSATION.to_owned(),
        summary: redaction::scrub(&entry.summary),
        topics: topics.map(str::to_owned).collect(),
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
    fn knows_what_holds_nothing_for_a_diary(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(says_something(text), expected);
    }
}
