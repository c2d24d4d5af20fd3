//! The number of requests that a program may make in a minute.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Counts the requests of the last minute.
#[derive(Debug, Default)]
pub(crate) struct Limiter(Mutex<HashMap<String, VecDeque<Instant>>>);

const MINUTE: Duration = Duration::from_secs(60);

impl Limiter {
    /// Counts a request of this program. `Err` is the time after which it may ask again.
    pub fn admit(&self, program: &str, per_minute: u64, now: Instant) -> Result<(), Duration> {
        let mut counted = self.0.lock();
        let requests = counted.entry(program.to_owned()).or_default();
        forget(requests, now);
        let limit = usize::try_from(per_minute).unwrap_or(usize::MAX);
        match requests.front() {
            Some(oldest) if requests.len() >= limit => Err(MINUTE - now.saturating_duration_since(*oldest)),
            _ => {
                requests.push_back(now);
                Ok(())
            }
        }
    }

    /// Forgets requests that are older than a minute, and programs that made no other.
    pub fn forget_old(&self, now: Instant) {
        self.0.lock().retain(|_, requests| {
            forget(requests, now);
            !requests.is_empty()
        });
    }
}

fn forget(requests: &mut VecDeque<Instant>, now: Instant) {
    while requests.front().is_some_and(|at| now.saturating_duration_since(*at) >= MINUTE) {
        requests.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_may_ask_so_often_in_a_minute() {
        let (limiter, begin) = (Limiter::default(), Instant::now());
        let after = |seconds| begin + Duration::from_secs(seconds);

        assert_eq!(limiter.admit("bot", 2, begin), Ok(()));
        assert_eq!(limiter.admit("bot", 2, after(10)), Ok(()));
        assert_eq!(limiter.admit("bot", 2, after(20)), Err(Duration::from_secs(40)));
        assert_eq!(limiter.admit("node", 2, after(20)), Ok(()));
        assert_eq!(limiter.admit("bot", 2, after(60)), Ok(()));
        assert_eq!(limiter.admit("bot", 2, after(61)), Err(Duration::from_secs(9)));
    }

    #[test]
    fn program_that_asks_no_more_is_forgotten() {
        let (limiter, begin) = (Limiter::default(), Instant::now());
        let _ = limiter.admit("bot", 2, begin);

        limiter.forget_old(begin + MINUTE);

        assert!(limiter.0.lock().is_empty());
    }
}
