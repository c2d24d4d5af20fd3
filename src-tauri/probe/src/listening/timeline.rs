//! Times of the input as instants.

use std::time::{Duration, Instant};

/// Converts times in seconds, with an arbitrary zero, to instants.
pub(super) struct Timeline {
    zero: Instant,
    zero_secs: f64,
}

impl Timeline {
    /// A timeline that begins one hour before the earliest of these times.
    pub fn around(times: impl IntoIterator<Item = f64>) -> Self {
        let earliest = times.into_iter().fold(0.0, f64::min);
        Self { zero: Instant::now(), zero_secs: earliest - 3600.0 }
    }

    /// The instant of a time.
    pub fn instant(&self, secs: f64) -> Instant {
        self.zero + Duration::try_from_secs_f64((secs - self.zero_secs).max(0.0)).unwrap_or_default()
    }
}
