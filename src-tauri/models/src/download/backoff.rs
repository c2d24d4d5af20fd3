//! The retries of a download and their delays.

use std::time::Duration;

use net::NetError;

/// Delays before the second to the fifth attempt. They double to relieve an overloaded server. Their sum is half a
/// minute, which is acceptable for a user who watches a progress bar.
const DELAYS: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8), Duration::from_secs(16)];

/// The longest `Retry-After` that is accepted. A server that asks for more counts as unavailable.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// An attempt that received at least this much resets the count: a large model may take many attempts on a bad
/// connection.
const RESET_BYTES: u64 = 1024 * 1024;

/// Counts the failed attempts of one download.
#[derive(Clone)]
pub(super) struct Backoff {
    delays: [Duration; 4],
    failures: usize,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { delays: DELAYS, failures: 0 }
    }
}

impl Backoff {
    /// The usual number of attempts, without delays.
    #[cfg(test)]
    pub(super) fn without_delays() -> Self {
        Self { delays: [Duration::ZERO; 4], failures: 0 }
    }

    /// The delay before the next attempt; `None`: do not retry. `received_bytes` is what the failed attempt received.
    pub(super) fn delay_after(&mut self, error: &NetError, received_bytes: u64) -> Option<Duration> {
        if !error.is_transient() {
            return None;
        }
        if received_bytes >= RESET_BYTES {
            self.failures = 0;
        }
        let default = *self.delays.get(self.failures)?;
        self.failures += 1;
        match error {
            NetError::Status { retry_after: Some(delay), .. } => {
                (*delay <= MAX_RETRY_AFTER).then_some(*delay)
            }
            _ => Some(default),
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

    fn delays(errors: &[(NetError, u64)]) -> Vec<Option<u64>> {
        let mut backoff = Backoff::default();
        errors
            .iter()
            .map(|(error, bytes)| backoff.delay_after(error, *bytes).map(|delay| delay.as_secs()))
            .collect()
    }

    #[test]
    fn delays_double_and_end_after_the_fifth_attempt() {
        let errors = [503, 500, 429, 502, 503].map(|code| (status(code, None), 0));

        assert_eq!(delays(&errors), [Some(2), Some(4), Some(8), Some(16), None]);
    }

    #[test]
    fn retry_after_is_followed_up_to_one_minute() {
        let errors = [(status(429, Some(7)), 0), (status(429, Some(3600)), 0)];

        assert_eq!(delays(&errors), [Some(7), None]);
    }

    #[test]
    fn attempt_that_received_much_data_resets_the_delays() {
        let errors = [0, 0, RESET_BYTES, 0].map(|bytes| (status(503, None), bytes));

        assert_eq!(delays(&errors), [Some(2), Some(4), Some(2), Some(4)]);
    }

    #[test]
    fn permanent_error_is_not_retried() {
        assert_eq!(delays(&[(status(404, None), 0)]), [None]);
    }
}
