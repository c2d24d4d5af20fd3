//! Connects the passes with the memory.

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use llm::ChatModel;
use memory::Memory;
use parking_lot::{Mutex, MutexGuard};

use crate::retries::RetryTracker;

/// Runs the passes: asks the model, reads and writes the memory. Clones share their lock and their retry counts.
#[derive(Clone)]
pub struct Reflection {
    pub(crate) memory: Memory,
    pub(crate) model: Arc<dyn ChatModel>,
    /// For short tasks: places facts in the graph.
    pub(crate) helper: Arc<dyn ChatModel>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Held while the diary is written or facts are learned: two runs at once would learn every fact twice.
    run_lock: tokio::sync::Mutex<()>,
    retries: Mutex<RetryTracker>,
}

/// Time, place and limits of a pass.
#[derive(Debug, Clone)]
pub struct PassContext {
    /// The current time.
    pub now: Timestamp,
    /// The user's time zone: days begin at midnight there.
    pub zone: TimeZone,
    /// Size of the model's context, in tokens.
    pub context_tokens: u32,
    /// Time limit of the whole pass.
    pub limit: Duration,
}

impl PassContext {
    pub(crate) fn now_micros(&self) -> i64 {
        self.now.as_microsecond()
    }

    /// The date in the user's time zone.
    pub(crate) fn day_of(&self, at_micros: i64) -> Date {
        let at = Timestamp::from_microsecond(at_micros).unwrap_or(self.now);
        Zoned::new(at, self.zone.clone()).date()
    }
}

impl Reflection {
    /// Passes over `memory`, which ask `model`.
    pub fn new(memory: Memory, model: Arc<dyn ChatModel>) -> Self {
        Self { memory, helper: Arc::clone(&model), model, shared: Arc::default() }
    }

    /// With another model for short tasks: the choice of a node for a fact.
    #[must_use]
    pub fn with_helper(self, helper: Arc<dyn ChatModel>) -> Self {
        Self { helper, ..self }
    }

    /// Waits until no other pass of this process writes the diary or learns facts.
    pub(crate) async fn lock_run(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.shared.run_lock.lock().await
    }

    pub(crate) fn retries(&self) -> MutexGuard<'_, RetryTracker> {
        self.shared.retries.lock()
    }
}
