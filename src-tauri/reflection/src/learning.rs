//! Learns from what the diary has taken in: facts are found, traced to the words that show them, and kept.
//!
//! Every message is searched once. Which ones wait for it stands in the memory, so that no fact is missed when the model
//! is away.
//!
//! Source: behaviour reference, section 3.5, "Write pipeline", and sections 11 (row 30) and 12 (Facts).

mod learned; // what came of it
mod tracing_back; // to the words that show a fact
mod keeping; // in the graph, each fact once

use std::time::Duration;

use jiff::civil::Date;
use llm::CancellationToken;
use memory::UnsearchedMessage;
use tokio::time::Instant;

pub(crate) use keeping::memory_line;
pub use learned::{LearnedFact, Learning};
pub(crate) use tracing_back::{Found, add};

use crate::facts::extract;
use crate::talk::Chunk;
use crate::{PassContext, Reflection, ReflectionError};
use learned::PAGE;
use tracing_back::traced;

impl Reflection {
    /// Searches for facts in all that the diary has taken in since the last time, and keeps them in the graph.
    ///
    /// Falls open: a fact that cannot be merged is appended. What the model could not search waits for the next time.
    ///
    /// Cancel-safe: what was not searched to its end is searched again, and its facts are recognised.
    pub async fn learn(&self, occasion: &PassContext, stop: &CancellationToken) -> Learning {
        let _turn = self.turn().await;
        self.learn_until(Instant::now() + occasion.limit, occasion, stop).await
    }

    pub(crate) async fn learn_until(
        &self,
        deadline: Instant,
        occasion: &PassContext,
        stop: &CancellationToken,
    ) -> Learning {
        let mut learning = Learning::default();
        let searching = self.search_all(deadline, occasion, stop, &mut learning);
        let outcome = tokio::time::timeout_at(deadline, searching).await;
        learning.unfinished = match outcome {
            Ok(outcome) => outcome.err(),
            Err(_) => Some(ReflectionError::TooSlow { limit: occasion.limit }),
        };
        if let Some(error) = &learning.unfinished {
            tracing::warn!(%error, "some of what was said is searched for facts the next time");
        }
        learning
    }

    async fn search_all(
        &self,
        deadline: Instant,
        occasion: &PassContext,
        stop: &CancellationToken,
        learning: &mut Learning,
    ) -> Result<(), ReflectionError> {
        loop {
            let mut messages = self.memory.unsearched_messages(PAGE).await?;
            let Some(first) = messages.first() else { return Ok(()) };
            let (day, oldest) = (occasion.day_of(first.content.at_micros), first.message);
            messages.retain(|message| occasion.day_of(message.content.at_micros) == day);
            let portion = self.attempts().portion(oldest, messages.len());
            let Some(portion) = portion else {
                tracing::warn!(
                    "a message holds no fact that the language model could find; the diary has it"
                );
                self.note_searched(&messages[..1], occasion).await?;
                continue;
            };
            messages.truncate(portion);
            // The second half is for placing and merging what the first half finds.
            let limit = deadline.saturating_duration_since(Instant::now()) / 2;
            let outcome = self.search(day, &messages, limit, occasion, stop, learning).await;
            match &outcome {
                Ok(()) => self.attempts().searched(oldest),
                Err(error) if error.is_of_the_answer() => self.attempts().searched_in_vain(oldest),
                Err(_) => {}
            }
            outcome?;
        }
    }

    /// Searches messages of one day.
    async fn search(
        &self,
        day: Date,
        messages: &[UnsearchedMessage],
        limit: Duration,
        occasion: &PassContext,
        stop: &CancellationToken,
        learning: &mut Learning,
    ) -> Result<(), ReflectionError> {
        let chunk = |message: &UnsearchedMessage| Chunk {
            speaker: message.content.participant,
            text: message.content.text.clone(),
        };
        let chunks: Vec<Chunk> = messages.iter().map(chunk).collect();
        let extraction = extract(&*self.model, &chunks, day, occasion.context_tokens, limit, stop).await;
        let (found, without_witness) = traced(&extraction.facts, messages, day);
        learning.without_witness += without_witness;
        self.keep(found, occasion.now_micros(), stop, learning).await?;
        self.note_searched(&messages[..extraction.chunks.min(messages.len())], occasion).await?;
        extraction.error.map_or(Ok(()), Err)
    }

    async fn note_searched(
        &self,
        messages: &[UnsearchedMessage],
        occasion: &PassContext,
    ) -> Result<(), ReflectionError> {
        let ids = messages.iter().map(|message| message.message).collect();
        Ok(self.memory.mark_searched(ids, occasion.now_micros()).await?)
    }
}
