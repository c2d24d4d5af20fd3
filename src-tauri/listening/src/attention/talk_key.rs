//! The talk key, and the follow-up window that it opens.

use std::time::{Duration, Instant};

use super::Attention;
use crate::hot_window::HotWindowChange;

impl Attention {
    /// Opens the hot window for a query after the talk key was tapped.
    pub fn await_query_by_key(&mut self, now: Instant) -> HotWindowChange {
        let change = self.await_query(now);
        self.is_opened_by_key = true;
        change
    }

    /// Opens the hot window while the talk key is held.
    pub fn hold_key(&mut self, now: Instant) -> HotWindowChange {
        /// Longer than any user holds a key: if its release was lost, listening must end.
        const MAX_HOLD: Duration = Duration::from_secs(60);
        if !self.hot_window.is_open() {
            self.hot_window.start_span(now);
        }
        self.is_opened_by_key = true;
        // The next words are a new query.
        self.forget_queries();
        self.hot_window.open(now, MAX_HOLD)
    }

    /// Closes the hot window soon after the talk key was released: the current utterance still counts.
    pub fn release_key(&mut self, now: Instant) {
        /// Speech that started just before is reported within this time. Source: two voiced frames, and the pre-roll.
        const MAX_DETECTION_DELAY: Duration = Duration::from_millis(400);
        self.hot_window.close_at(now + MAX_DETECTION_DELAY);
    }

    /// Discards the current utterance and closes the hot window.
    pub fn discard(&mut self, now: Instant) -> Option<HotWindowChange> {
        self.discarded_until = Some(now);
        self.forget_queries();
        self.close_hot_window(now)
    }
}
