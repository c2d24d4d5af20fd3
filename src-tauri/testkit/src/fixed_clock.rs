//! A clock that stands still until it is moved.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use vocabulary::Clock;

/// Tells the time it was set to.
pub struct FixedClock {
    now: Mutex<Timestamp>,
}

impl FixedClock {
    /// A clock that stands at this time, written as `2025-09-15T17:53:00Z`.
    ///
    /// # Panics
    ///
    /// When that is no time.
    pub fn at(now: &str) -> Self {
        Self { now: Mutex::new(now.parse().expect("the test wrote a time")) }
    }

    /// Moves it on.
    pub fn advance(&self, by: Duration) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now += by;
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
