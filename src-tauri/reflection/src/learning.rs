//! Learns from the messages in the diary: extracts facts, finds their evidence, and stores them in the graph.
//!
//! Every message is searched once. The memory knows which messages still wait for the search, so no fact is lost while the
//! model is unavailable.
//!
//! Source: docs/behaviour/memory.md#learning-facts.

mod outcome;
mod evidence; // the user's words that a fact was taken from
mod storing; // stores each fact once in the graph

use std::time::Duration;

use jiff::civil::Date;
use llm::CancellationToken;
use memory::UnsearchedMessage;
use tokio::time::Instant;

pub(crate) use evidence::{SupportedFact, add_fact};
pub use outcome::{LearnedFact, LearningOutcome};
pub(crate) use storing::to_memory_line;

use crate::chunks::Chunk;
use crate::facts::extract;
use crate::{PassContext, Reflection, ReflectionError};
use evidence::supported_facts;
use outcome::PAGE;

impl Reflection {
    /// Searches all messages in the diary that were not searched yet, and stores their facts in the graph.
    ///
    /// Falls open: a fact that cannot be merged is appended. After a failure of the model the messages are searched again in
    /// the next run.
    ///
    /// Cancel-safe: messages of an interrupted search are searched again, and known facts are recognised.
    pub async fn learn(&self, context: &PassContext, stop: &CancellationToken) -> LearningOutcome {
        let _run_lock = self.lock_run().await;
        self.learn_until(Instant::now() + context.limit, context, stop).await
    }

    pub(crate) async fn learn_until(
        &self,
        deadline: Instant,
        context: &PassContext,
        stop: &CancellationToken,
    ) -> LearningOutcome {
        let mut learning = LearningOutcome::default();
        let searching = self.search_all(deadline, context, stop, &mut learning);
        let outcome = tokio::time::timeout_at(deadline, searching).await;
        learning.error = match outcome {
            Ok(outcome) => outcome.err(),
            Err(_) => Some(ReflectionError::TooSlow { limit: context.limit }),
        };
        if let Some(error) = &learning.error {
            tracing::warn!(%error, "some messages will be searched for facts in the next run");
        }
        learning
    }

    async fn search_all(
        &self,
        deadline: Instant,
        context: &PassContext,
        stop: &CancellationToken,
        learning: &mut LearningOutcome,
    ) -> Result<(), ReflectionError> {
        loop {
            let mut messages = self.memory.unsearched_messages(PAGE).await?;
            let Some(first) = messages.first() else { return Ok(()) };
            let (day, oldest) = (context.day_of(first.content.at_micros), first.message);
            messages.retain(|message| context.day_of(message.content.at_micros) == day);
            let size = self.retries().search_size(oldest, messages.len());
            let Some(size) = size else {
                tracing::warn!(
                    "the language model failed at a message too often; it is not searched for facts"
                );
                self.note_searched(&messages[..1], context).await?;
                continue;
            };
            messages.truncate(size);
            // The second half of the time is for placing and merging the facts.
            let limit = deadline.saturating_duration_since(Instant::now()) / 2;
            let outcome = self.search(day, &messages, limit, context, stop, learning).await;
            match &outcome {
                Ok(()) => self.retries().search_succeeded(oldest),
                Err(error) if error.is_caused_by_answer() => self.retries().search_failed(oldest),
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
        context: &PassContext,
        stop: &CancellationToken,
        learning: &mut LearningOutcome,
    ) -> Result<(), ReflectionError> {
        let chunk = |message: &UnsearchedMessage| Chunk {
            speaker: message.content.participant,
            text: message.content.text.clone(),
        };
        let chunks: Vec<Chunk> = messages.iter().map(chunk).collect();
        let extraction = extract(&*self.model, &chunks, day, context.context_tokens, limit, stop).await;
        let (facts, unsupported) = supported_facts(&extraction.facts, messages, day);
        learning.unsupported += unsupported;
        self.store_facts(facts, context.now_micros(), stop, learning).await?;
        self.note_searched(&messages[..extraction.chunks.min(messages.len())], context).await?;
        extraction.error.map_or(Ok(()), Err)
    }

    async fn note_searched(
        &self,
        messages: &[UnsearchedMessage],
        context: &PassContext,
    ) -> Result<(), ReflectionError> {
        let ids = messages.iter().map(|message| message.message).collect();
        Ok(self.memory.mark_searched(ids, context.now_micros()).await?)
    }
}
