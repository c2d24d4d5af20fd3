//! Asks the model to write the entry of a day from the dialogue.
//!
//! Source: docs/behaviour/memory.md#diary and docs/behaviour/memory.md#clean-diary.

mod entry;
mod prompt;
mod parsing;
mod cleaning; // removes sentences that the prompt forbids

use std::time::Duration;

use jiff::civil::Date;
use llm::{CancellationToken, ChatModel};
use tokio::time::Instant;

pub use entry::DiaryEntry;
pub use parsing::parse_summary_reply;

use crate::ReflectionError;
use crate::asking::{ModelQuestion, ask_streaming};
use crate::chunks::{Batch, Chunk, batches, room_beside};
use cleaning::cleaned;
use parsing::{SummaryFilter, read_entry};

/// Time limit of an entry. Source: `llm_chat_timeout_sec` of imported settings.
pub const DIARY_LIMIT: Duration = Duration::from_secs(180);

/// Time limit of the diary when the program exits.
///
/// The reference uses 45 s. Here unwritten messages stay in the database and are written after the next start, so the user
/// does not wait for a slow model.
pub const DIARY_LIMIT_AT_SHUTDOWN: Duration = Duration::from_secs(10);

/// Tokens of an answer: the 400 words that the prompt allows, at three tokens per word.
const ANSWER_TOKENS: u32 = 1200;

/// The input for an entry.
#[derive(Clone, Copy)]
pub struct DiaryRequest<'a> {
    /// The current date in the user's time zone.
    pub today: Date,
    /// The existing entry of the day.
    pub so_far: Option<&'a str>,
    /// The dialogue since then, redacted, oldest first. A long one is read in several steps.
    pub chunks: &'a [Chunk],
    /// Size of the model's context, in tokens.
    pub context_tokens: u32,
    /// Time limit of all steps together: [`DIARY_LIMIT`] or [`DIARY_LIMIT_AT_SHUTDOWN`].
    pub limit: Duration,
}

/// The outcome of [`summarise`].
#[derive(Debug)]
pub enum DiaryOutcome {
    /// The new entry with the whole dialogue. It replaces the existing one.
    Whole(DiaryEntry),
    /// The new entry with the first chunks only. The other chunks stay pending.
    Part {
        /// The entry. It replaces the existing one.
        entry: DiaryEntry,
        /// Number of chunks in the entry, at least one.
        chunks: usize,
        /// Why the other chunks are missing. `None` when the model's answer was unusable.
        error: Option<ReflectionError>,
    },
    /// The model's answer was unusable: everything stays pending.
    Unusable,
    /// The dialogue is empty.
    Nothing,
}

/// Writes the entry of a day. `on_summary` gets the summary as it is written; of several steps, only that of the last.
///
/// Cancel-safe: it stores nothing.
///
/// # Errors
///
/// When the model failed at the first step.
pub async fn summarise(
    model: &dyn ChatModel,
    request: DiaryRequest<'_>,
    stop: &CancellationToken,
    on_summary: &mut (dyn FnMut(&str) + Send + Sync),
) -> Result<DiaryOutcome, ReflectionError> {
    let deadline = Instant::now() + request.limit;
    let batches = batches(request.chunks, room(&request));
    let mut written: Option<(DiaryEntry, usize)> = None;
    for (batch, place) in batches.iter().zip(1..) {
        let so_far = written.as_ref().map_or(request.so_far.unwrap_or_default(), |(entry, _)| &entry.summary);
        let step = Step { request: &request, batch, so_far, deadline };
        let outcome = match place == batches.len() {
            true => step.write(model, stop, on_summary).await,
            false => step.write(model, stop, &mut |_| {}).await,
        };
        match outcome {
            Ok(Some(entry)) => written = Some((entry, batch.chunks_complete)),
            Ok(None) => return partial_outcome(written, None),
            Err(error) => return partial_outcome(written, Some(error)),
        }
    }
    Ok(written.map_or(DiaryOutcome::Nothing, |(entry, _)| DiaryOutcome::Whole(entry)))
}

/// Returns `true` if one step can read all chunks.
pub(crate) fn fits_one_step(request: &DiaryRequest<'_>) -> bool {
    batches(request.chunks, room(request)).len() <= 1
}

fn partial_outcome(
    written: Option<(DiaryEntry, usize)>,
    error: Option<ReflectionError>,
) -> Result<DiaryOutcome, ReflectionError> {
    // A part without one complete chunk is useless.
    match (written.filter(|(_, chunks)| *chunks > 0), error) {
        (Some((entry, chunks)), error) => Ok(DiaryOutcome::Part { entry, chunks, error }),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(DiaryOutcome::Unusable),
    }
}

/// Tokens of dialogue that one step can read.
pub(crate) fn room(request: &DiaryRequest<'_>) -> usize {
    let (example, entry) = prompt::example(&[]);
    // A later step also reads the entry of the step before, which is at most as long as an answer.
    room_beside(
        request.context_tokens,
        2 * ANSWER_TOKENS,
        &[&prompt::task(), &example, &entry, request.so_far.unwrap_or_default()],
    )
}

/// One question of [`summarise`].
struct Step<'a> {
    request: &'a DiaryRequest<'a>,
    batch: &'a Batch,
    so_far: &'a str,
    deadline: Instant,
}

impl Step<'_> {
    async fn write(
        &self,
        model: &dyn ChatModel,
        stop: &CancellationToken,
        on_summary: &mut (dyn FnMut(&str) + Send + Sync),
    ) -> Result<Option<DiaryEntry>, ReflectionError> {
        let material = prompt::material(self.request.today, self.so_far, &self.batch.lines);
        let limit = self.deadline.saturating_duration_since(Instant::now());
        let question = ModelQuestion {
            examples: vec![prompt::example(&self.batch.lines)],
            ..ModelQuestion::new(prompt::task(), material, limit, ANSWER_TOKENS)
        };
        let mut filter = SummaryFilter::new();
        let reply = ask_streaming(model, question, stop, &mut |piece| {
            let shown = filter.push(piece);
            if !shown.is_empty() {
                on_summary(&shown);
            }
        })
        .await?;
        let mut sources = self.batch.lines.clone();
        sources.push(self.so_far.to_owned());
        let entry = read_entry(&reply).and_then(|entry| cleaned(entry, &sources));
        let is_entry = |entry: &DiaryEntry| {
            // Small models copy the prompt.
            !loses_earlier_entry(self.so_far, &entry.summary) && !prompt::task().contains(&*entry.summary.0)
        };
        Ok(entry.filter(is_entry))
    }
}

/// Returns `true` if most of the earlier entry is missing. Such an answer is rejected: a model that was confused by a
/// long day must not delete it.
fn loses_earlier_entry(so_far: &str, summary: &str) -> bool {
    /// A shorter entry may lose any share of its length.
    const LONG_BYTES: usize = 400;
    /// A rewritten entry without repetitions keeps more than a third of its length.
    const KEPT_SHARE: usize = 3;
    so_far.len() > LONG_BYTES && summary.len() < so_far.len() / KEPT_SHARE
}

#[cfg(test)]
mod tests;
