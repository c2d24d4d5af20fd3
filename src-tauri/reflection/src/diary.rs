//! Writes what was said today into one entry of the diary.
//!
//! Source: behaviour reference, sections 3.2 and 3.3, and section 11, rows 13 and 14.

mod entry;
mod prompt;
mod parsing;
mod cleaning; // of what should not have been written

use std::time::Duration;

use jiff::civil::Date;
use llm::{CancellationToken, ChatModel};
use tokio::time::Instant;

pub use entry::DiaryEntry;
pub use parsing::parse_summary_reply;

use crate::ReflectionError;
use crate::asking::{Question, Randomness, ask_aloud};
use crate::talk::{Batch, Chunk, batches, room_beside};
use cleaning::cleaned;
use parsing::{SummaryWatch, read_entry};

/// How long an entry may take. Source: behaviour reference, `llm_chat_timeout_sec`.
pub const DIARY_LIMIT: Duration = Duration::from_secs(180);

/// How long the diary may take when the program is ending.
///
/// The reference takes 45 s. Here what is not written waits in the database and is written after the next start, so nobody
/// needs to wait for a slow model.
pub const DIARY_LIMIT_AT_SHUTDOWN: Duration = Duration::from_secs(10);

/// Tokens of an answer: the 400 words the prompt allows, in languages that need three tokens to a word.
const ANSWER_TOKENS: u32 = 1200;

/// What an entry is written from.
#[derive(Clone, Copy)]
pub struct DiaryRequest<'a> {
    /// Today where the user is.
    pub today: Date,
    /// What the diary says about today already.
    pub so_far: Option<&'a str>,
    /// What was said since, redacted, oldest first. All of it is read, in several steps where it is much.
    pub chunks: &'a [Chunk],
    /// How many tokens the model's context holds.
    pub context_tokens: u32,
    /// How long all of it may take: [`DIARY_LIMIT`] or [`DIARY_LIMIT_AT_SHUTDOWN`].
    pub limit: Duration,
}

/// What came of it.
#[derive(Debug)]
pub enum DiaryOutcome {
    /// Everything that was said is in this entry, which takes the place of the earlier one.
    Whole(DiaryEntry),
    /// Only the first chunks are in this entry; the rest stays pending.
    Part {
        /// The entry, which takes the place of the earlier one.
        entry: DiaryEntry,
        /// How many chunks are in it; at least one.
        chunks: usize,
        /// Why not the rest; `None` when the model's answer made no sense.
        error: Option<ReflectionError>,
    },
    /// The model's answer made no sense: nothing is written, everything stays pending.
    Unusable,
    /// Nothing was said.
    Nothing,
}

/// Writes today's entry. `on_summary` is told of the summary as it is written; where several steps are needed, of the
/// last one.
///
/// Cancel-safe: what was not returned was not written.
///
/// # Errors
///
/// Why the model could not be asked, when not even a part of the entry came about.
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
            Ok(None) => return stopped_short(written, None),
            Err(error) => return stopped_short(written, Some(error)),
        }
    }
    Ok(written.map_or(DiaryOutcome::Nothing, |(entry, _)| DiaryOutcome::Whole(entry)))
}

/// Is all of it read in one step?
pub(crate) fn fits_one_step(request: &DiaryRequest<'_>) -> bool {
    batches(request.chunks, room(request)).len() <= 1
}

fn stopped_short(
    written: Option<(DiaryEntry, usize)>,
    error: Option<ReflectionError>,
) -> Result<DiaryOutcome, ReflectionError> {
    // A part that holds no chunk to its end is as good as none.
    match (written.filter(|(_, chunks)| *chunks > 0), error) {
        (Some((entry, chunks)), error) => Ok(DiaryOutcome::Part { entry, chunks, error }),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(DiaryOutcome::Unusable),
    }
}

/// How many tokens of what was said one step reads.
pub(crate) fn room(request: &DiaryRequest<'_>) -> usize {
    let (example, entry) = prompt::example(&[]);
    // Later steps feed on the entry of the one before, which is as long as an answer at most.
    room_beside(
        request.context_tokens,
        2 * ANSWER_TOKENS,
        &[&prompt::task(), &example, &entry, request.so_far.unwrap_or_default()],
    )
}

/// One question of several.
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
        let question = Question {
            task: prompt::task(),
            material: prompt::material(self.request.today, self.so_far, &self.batch.lines),
            limit: self.deadline.saturating_duration_since(Instant::now()),
            max_tokens: ANSWER_TOKENS,
            randomness: Randomness::None,
            examples: vec![prompt::example(&self.batch.lines)],
            format: None,
        };
        let mut watch = SummaryWatch::new();
        let reply = ask_aloud(model, question, stop, &mut |piece| {
            let shown = watch.grow(piece);
            if !shown.is_empty() {
                on_summary(&shown);
            }
        })
        .await?;
        let mut said = self.batch.lines.clone();
        said.push(self.so_far.to_owned());
        let entry = read_entry(&reply).and_then(|entry| cleaned(entry, &said));
        let is_entry = |entry: &DiaryEntry| {
            // Small models copy the prompt.
            !forgets_the_day(self.so_far, &entry.summary) && !prompt::task().contains(&*entry.summary.0)
        };
        Ok(entry.filter(is_entry))
    }
}

/// Has the entry lost most of what was there? Then it is no continuation: a model that was confused by a long day
/// must not wipe it out.
fn forgets_the_day(so_far: &str, summary: &str) -> bool {
    /// Shorter entries may be put into far fewer words.
    const LONG_BYTES: usize = 400;
    /// Said more tersely, with repetitions gone, an entry still keeps more than this share.
    const KEPT_SHARE: usize = 3;
    so_far.len() > LONG_BYTES && summary.len() < so_far.len() / KEPT_SHARE
}

#[cfg(test)]
mod tests;
