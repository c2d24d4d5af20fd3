//! Decides when the diary is written: in pauses, when many messages are pending, and before the program ends.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use llm::ChatModel;
use memory::{Memory, is_due};
use reflection::{DIARY_LIMIT, DIARY_LIMIT_AT_SHUTDOWN, PassContext, Reflection, ReflectionError};
use replying::{ReplyEngine, ReplyingConfig};
use settings::Settings;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use vocabulary::AssistantState;
use vocabulary::Clock;

use crate::models_in_use::warm_up::warm_prefix;
use crate::state::is_quiet;

/// The pause between two checks whether the diary is due. Source: docs/behaviour/memory.md#diary.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// The time that the user must have been silent before many pending messages are written.
const PAUSE: Duration = Duration::from_secs(60);

/// The number of times that the wait doubles after passes that the user interrupted: up to 16 minutes.
const MOST_DOUBLINGS: u32 = 4;

/// Decides when the diary is written, and writes it. Clones share their passes.
#[derive(Clone)]
pub(crate) struct DiaryScheduler {
    pub memory: watch::Receiver<Option<Memory>>,
    pub model: Arc<dyn ChatModel>,
    /// Files the facts.
    pub helper: Arc<dyn ChatModel>,
    /// Its prompt is loaded into the model's prefix cache again after each pass.
    pub replier: ReplyEngine,
    pub clock: Arc<dyn Clock>,
    pub settings: watch::Receiver<Settings>,
    /// The state of the assistant: a pass ends when the user speaks.
    pub state: watch::Receiver<AssistantState>,
    /// Shared by the clones: the last pass must know the failed attempts of the ones before.
    pub reflection: Arc<OnceLock<Reflection>>,
}

impl DiaryScheduler {
    /// Writes the diary whenever it is due, until `stop` is cancelled.
    pub async fn run(self, stop: CancellationToken) {
        let mut opened = self.memory.clone();
        let waited = stop.run_until_cancelled(opened.wait_for(Option::is_some)).await;
        let Some(Ok(memory)) = waited.map(|opened| opened.map(|memory| memory.clone())) else { return };
        let Some(memory) = memory else { return };
        let reflection = self.reflection(&memory);
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // An interrupted pass starts from the beginning, so the next one comes later each time.
        let (mut interruptions, mut not_before) = (0, Instant::now());
        while stop.run_until_cancelled(look.tick()).await.is_some() {
            if Instant::now() >= not_before
                && self.is_wanted()
                && self.is_quiet()
                && self.is_due(&memory, reflection).await
            {
                let mut state = self.state.clone();
                tokio::select! {
                    () = self.write(reflection, DIARY_LIMIT, &stop) => interruptions = 0,
                    // The model works for the user first. What is not written stays pending.
                    Ok(_) = state.wait_for(|state| !is_quiet(*state)) => {
                        tracing::info!("the diary waits until nobody speaks");
                        interruptions = (interruptions + 1).min(MOST_DOUBLINGS);
                        not_before = Instant::now() + LOOK_EVERY * 2_u32.pow(interruptions);
                    }
                }
                // The pass replaced the reply prompt in the model's prefix cache, also when it was interrupted.
                if let Err(error) = warm_prefix(&*self.model, &self.replier).await {
                    tracing::debug!(%error, "the model was not warmed again");
                }
            }
        }
    }

    /// Writes what is pending before the program ends.
    pub async fn write_last(&self) {
        let Some(memory) = self.memory.borrow().clone().filter(|_| self.is_wanted()) else { return };
        if memory.pending_span().await.is_ok_and(|waiting| waiting.is_some()) {
            let to_the_end = CancellationToken::new();
            let writing = self.write(self.reflection(&memory), DIARY_LIMIT_AT_SHUTDOWN, &to_the_end);
            if tokio::time::timeout(DIARY_LIMIT_AT_SHUTDOWN, writing).await.is_err() {
                tracing::info!("the diary was not done in time; the rest is written after the next start");
            }
        }
    }

    /// Created once: it counts the failed attempts of its passes.
    fn reflection(&self, memory: &Memory) -> &Reflection {
        self.reflection.get_or_init(|| {
            Reflection::new(memory.clone(), Arc::clone(&self.model)).with_helper(Arc::clone(&self.helper))
        })
    }

    fn is_wanted(&self) -> bool {
        let settings = self.settings.borrow();
        settings.memory.diary && settings.memory.remember
    }

    fn is_quiet(&self) -> bool {
        is_quiet(*self.state.borrow())
    }

    async fn is_due(&self, memory: &Memory, reflection: &Reflection) -> bool {
        self.is_due_or_why_not(memory, reflection).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "it is not known whether the diary is due");
            false
        })
    }

    /// On idle, when facts are still to be found, and on size: what no longer fits one summary is written in a pause,
    /// without waiting for the end of the conversation.
    async fn is_due_or_why_not(
        &self,
        memory: &Memory,
        reflection: &Reflection,
    ) -> Result<bool, ReflectionError> {
        if !memory.unsearched_messages(1).await?.is_empty() {
            return Ok(true);
        }
        let Some(context) = self.context(DIARY_LIMIT) else { return Ok(false) };
        let window = Duration::from_secs(self.settings.borrow().memory.dialogue_window_secs);
        let pending = reflection.pending(&context).await?;
        let now = context.now.as_microsecond();
        // A message dated in the future, by a clock that was ahead, is no sign of a conversation.
        let is_paused = |(_, newest): (i64, i64)| u128::from(now.abs_diff(newest)) >= PAUSE.as_micros();
        Ok((pending.is_large && pending.oldest_and_newest.is_some_and(is_paused))
            || is_due(pending.oldest_and_newest, now, window))
    }

    /// `None` when the settings cannot be used.
    fn context(&self, limit: Duration) -> Option<PassContext> {
        let settings = self.settings.borrow();
        let config = ReplyingConfig::try_from(&*settings).ok()?;
        Some(PassContext {
            now: self.clock.now(),
            zone: config.zone(),
            context_tokens: u32::try_from(settings.llm.context_tokens).unwrap_or(u32::MAX),
            limit,
        })
    }

    async fn write(&self, reflection: &Reflection, limit: Duration, stop: &CancellationToken) {
        let Some(context) = self.context(limit) else { return };
        match reflection.write_diary(&context, stop, &mut |_| {}).await {
            Ok(written) => tracing::info!(
                entries = written.entries.len(),
                messages = written.messages,
                facts = written.learning.learned.len(),
                "the diary was written"
            ),
            // No trouble for the user: nothing is lost, and the next pass tries again.
            Err(error) => tracing::info!(%error, "the diary could not be written for now"),
        }
    }
}

#[cfg(test)]
mod tests;
