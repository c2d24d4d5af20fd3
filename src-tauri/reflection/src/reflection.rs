//! The passes joined with the memory: what each of them reads there and writes there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use llm::ChatModel;
use memory::Memory;

/// Asked in vain so often about the same, a model is not asked about it again.
const MOST_ATTEMPTS: u32 = 3;

/// Reflects on what was said: asks the model, reads and writes the memory. Clones share what they know of failures.
#[derive(Clone)]
pub struct Reflection {
    pub(crate) memory: Memory,
    pub(crate) model: Arc<dyn ChatModel>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Whoever holds it writes the diary or learns: two at once would learn everything twice.
    turn: tokio::sync::Mutex<()>,
    attempts: Mutex<Attempts>,
}

/// What a pass needs to know of the moment and the model.
#[derive(Debug, Clone)]
pub struct Occasion {
    /// When it is.
    pub now: Timestamp,
    /// Where the user is: days begin at midnight there.
    pub zone: TimeZone,
    /// How many tokens the model's context holds.
    pub context_tokens: u32,
    /// How long all of it may take.
    pub limit: Duration,
}

impl Occasion {
    pub(crate) fn now_micros(&self) -> i64 {
        self.now.as_microsecond()
    }

    /// The user's date at that time.
    pub(crate) fn day_of(&self, at_micros: i64) -> Date {
        let at = Timestamp::from_microsecond(at_micros).unwrap_or(self.now);
        Zoned::new(at, self.zone.clone()).date()
    }
}

impl Reflection {
    /// Reflects on this memory with this model.
    pub fn new(memory: Memory, model: Arc<dyn ChatModel>) -> Self {
        Self { memory, model, shared: Arc::default() }
    }

    /// Waits until no other pass of this process writes the diary or learns.
    pub(crate) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.shared.turn.lock().await
    }

    pub(crate) fn attempts(&self) -> MutexGuard<'_, Attempts> {
        self.shared.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How often the model was asked in vain, for as long as the process runs.
#[derive(Default)]
pub(crate) struct Attempts {
    /// The messages of a day, as they were.
    diary: HashMap<Date, (Vec<i64>, u32)>,
    /// By the oldest of the messages that were searched.
    facts: HashMap<i64, u32>,
}

impl Attempts {
    /// Is there no sense in writing of just these messages once more?
    pub(crate) fn has_given_up(&self, day: Date, messages: &[i64]) -> bool {
        self.diary.get(&day).is_some_and(|(of, attempts)| of == messages && *attempts >= MOST_ATTEMPTS)
    }

    pub(crate) fn wrote_in_vain(&mut self, day: Date, messages: Vec<i64>) {
        let (of, attempts) = self.diary.entry(day).or_default();
        *attempts = if *of == messages { *attempts + 1 } else { 1 };
        *of = messages;
    }

    pub(crate) fn wrote(&mut self, day: Date) {
        self.diary.remove(&day);
    }

    /// How many of so many messages are searched next, `first` the oldest: fewer each time it was in vain. `None` when it
    /// was in vain too often.
    pub(crate) fn portion(&self, first: i64, messages: usize) -> Option<usize> {
        let attempts = self.facts.get(&first).copied().unwrap_or_default();
        (attempts < MOST_ATTEMPTS).then(|| (messages >> (2 * attempts)).max(1))
    }

    pub(crate) fn searched_in_vain(&mut self, first: i64) {
        *self.facts.entry(first).or_default() += 1;
    }

    pub(crate) fn searched(&mut self, first: i64) {
        self.facts.remove(&first);
    }
}
