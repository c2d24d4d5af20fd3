//! How many threads to decode with when other programs use the processor too.
//!
//! The threads of ggml wait for each other by spinning. Two threads on two free cores are nearly twice as fast as one.
//! When another program uses a core, they wait for it at every step, and a command takes seconds instead of 0.3 s.

use std::time::Duration;

/// A pass slower than the fastest by this factor ran on a busy machine. One thread less costs less than that.
const BUSY_FACTOR: f64 = 2.2;
/// The number of passes that use one thread less before the next one uses the maximum again.
const REDUCED_PASSES: u32 = 6;
/// The time of the fastest pass grows by this factor with every pass: a processor may become slower for good.
const BASELINE_DECAY: f64 = 1.02;

/// Chooses the number of threads of each pass by the time of the last ones.
#[derive(Debug)]
pub(crate) struct ThreadCount {
    max: usize,
    /// The fastest pass with `max` threads, in seconds per position of the encoder.
    fastest: Option<f64>,
    reduced_passes_left: u32,
}

impl ThreadCount {
    /// Uses at most `max` threads.
    pub fn new(max: usize) -> Self {
        Self { max: max.max(1), fastest: None, reduced_passes_left: 0 }
    }

    /// The number of threads for the next pass.
    pub fn next(&self) -> usize {
        if self.reduced_passes_left > 0 { (self.max - 1).max(1) } else { self.max }
    }

    /// Records the time of a pass that was not cancelled.
    pub fn record_pass(&mut self, positions: usize, duration: Duration) {
        if self.reduced_passes_left > 0 {
            self.reduced_passes_left -= 1;
            return;
        }
        let cost = duration.as_secs_f64() / positions.max(1) as f64;
        let fastest = self.fastest.map_or(cost, |fastest| (fastest * BASELINE_DECAY).min(cost));
        self.fastest = Some(fastest);
        if cost > fastest * BUSY_FACTOR {
            self.reduced_passes_left = REDUCED_PASSES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_machine_gets_one_thread_less_for_some_passes() {
        let mut threads = ThreadCount::new(2);
        threads.record_pass(512, Duration::from_millis(300));
        assert_eq!(threads.next(), 2);

        threads.record_pass(512, Duration::from_millis(900));
        for _ in 0..REDUCED_PASSES {
            assert_eq!(threads.next(), 1);
            threads.record_pass(512, Duration::from_millis(500));
        }

        assert_eq!(threads.next(), 2);
    }

    #[test]
    fn longer_audio_does_not_count_as_a_busy_machine() {
        let mut threads = ThreadCount::new(2);
        threads.record_pass(512, Duration::from_millis(300));
        threads.record_pass(1500, Duration::from_millis(1200));

        assert_eq!(threads.next(), 2);
    }

    #[test]
    fn single_thread_is_never_reduced_further() {
        let mut threads = ThreadCount::new(1);
        threads.record_pass(512, Duration::from_millis(100));
        threads.record_pass(512, Duration::from_millis(900));

        assert_eq!(threads.next(), 1);
    }
}
