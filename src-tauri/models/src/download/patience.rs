//! How often, and after how long, a download is tried again.

use std::time::Duration;

use net::NetError;

/// Waits before the second to the fifth attempt. Doubling gives a struggling hub room; half a minute in all is what a
/// person at a progress bar puts up with.
const WAITS: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8), Duration::from_secs(16)];

/// A hub that wants to be left alone for longer is as good as down.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// An attempt that brought so many bytes begins the count anew: on a bad line a large model takes many attempts.
const WORTHWHILE_BYTES: u64 = 1024 * 1024;

/// Counts the attempts of one download.
#[derive(Clone)]
pub(super) struct Patience {
    waits: [Duration; 4],
    failures: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self { waits: WAITS, failures: 0 }
    }
}

impl Patience {
    /// As many attempts, but one right after the other.
    #[cfg(test)]
    pub(super) fn without_waiting() -> Self {
        Self { waits: [Duration::ZERO; 4], failures: 0 }
    }

    /// How long to wait before the next attempt; `None` when there should be none. `gained` are the bytes that the
    /// failed attempt brought.
    pub(super) fn after(&mut self, error: &NetError, gained: u64) -> Option<Duration> {
        if !error.is_transient() {
            return None;
        }
        if gained >= WORTHWHILE_BYTES {
            self.failures = 0;
        }
        let own = *self.waits.get(self.failures)?;
        self.failures += 1;
        match error {
            NetError::Status { retry_after: Some(asked), .. } => (*asked <= LONGEST_WAIT).then_some(*asked),
            _ => Some(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(code: u16, retry_after: Option<u64>) -> NetError {
        let retry_after = retry_after.map(Duration::from_secs);
        NetError::Status { host: "hub".into(), code, excerpt: String::new().into(), retry_after }
    }

    fn waits(errors: &[(NetError, u64)]) -> Vec<Option<u64>> {
        let mut patience = Patience::default();
        errors
            .iter()
            .map(|(error, gained)| patience.after(error, *gained).map(|wait| wait.as_secs()))
            .collect()
    }

    #[test]
    fn waits_longer_each_time_and_gives_up_after_the_fifth_attempt() {
        let errors = [503, 500, 429, 502, 503].map(|code| (status(code, None), 0));

        assert_eq!(waits(&errors), [Some(2), Some(4), Some(8), Some(16), None]);
    }

    #[test]
    fn waits_as_long_as_the_hub_asks_for_within_reason() {
        let errors = [(status(429, Some(7)), 0), (status(429, Some(3600)), 0)];

        assert_eq!(waits(&errors), [Some(7), None]);
    }

    #[test]
    fn an_attempt_that_brought_much_begins_the_count_anew() {
        let errors = [0, 0, WORTHWHILE_BYTES, 0].map(|gained| (status(503, None), gained));

        assert_eq!(waits(&errors), [Some(2), Some(4), Some(2), Some(4)]);
    }

    #[test]
    fn what_will_not_change_is_not_tried_again() {
        assert_eq!(waits(&[(status(404, None), 0)]), [None]);
    }
}
