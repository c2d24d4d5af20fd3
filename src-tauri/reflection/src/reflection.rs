//! The passes joined with the memory: what each of them reads there and writes there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use llm::ChatModel;
use memory::Memory;

use crate::attempts::Attempts;

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
pub struct PassContext {
    /// When it is.
    pub now: Timestamp,
    /// Where the user is: days begin at midnight there.
    pub zone: TimeZone,
    /// How many tokens the model's context holds.
    pub context_tokens: u32,
    /// How long all of it may take.
    pub limit: Duration,
}

impl PassContext {
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
