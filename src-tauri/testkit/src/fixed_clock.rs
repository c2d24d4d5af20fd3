//! A clock that tests set and advance.

use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use vocabulary::Clock;

/// A clock with a fixed time.
pub struct FixedClock {
    now: Mutex<Timestamp>,
}

impl FixedClock {
    /// A clock at this time, such as `2025-09-15T17:53:00Z`.
    ///
    /// # Panics
    ///
    /// `now` is not a valid time.
    pub fn at(now: &str) -> Self {
        Self { now: Mutex::new(now.parse().expect("the test passes a valid time")) }
    }

    /// Advances the clock.
    pub fn advance(&self, by: Duration) {
        let mut now = self.now.lock();
        *now += by;
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        *self.now.lock()
    }
}
