//! The number of threads to decode with when other programs use the processor too.
//!
//! The threads of ggml wait for each other by spinning. Two threads on two free cores are nearly twice as fast as one.
//! When another program uses a core, they wait for it at every step. Source: a question of 2.5 s with base q8_0 on two
//! cores takes 0.28 s with two threads and 0.49 s with one; with a busy process on each core, the median of twelve is 2.0 s
//! with two threads (18.3 s at worst) and 1.06 s with one (1.13 s at worst).

use std::time::Duration;

/// A pass slower than the fastest by this factor ran on a busy machine. One thread less costs less than that.
const BUSY_FACTOR: f64 = 2.2;
/// The number of passes that use one thread less before the next one uses the maximum again.
const REDUCED_PASSES: u32 = 6;
/// The time of the fastest pass grows by this factor with every pass: a processor may become slower for good.
const BASELINE_DECAY: f64 = 1.02;

/// The number of times that the running threads are counted. The lowest count is used: a thread that runs for a
/// moment is no load.
const SAMPLES: usize = 3;
/// The time between two counts.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(1);

/// Chooses the number of threads of each pass: by the threads that run now, and if the system does not tell their
/// number, by the time of the last passes.
#[derive(Debug)]
pub(crate) struct ThreadCount {
    max: usize,
    cores: usize,
    /// The fastest pass with `max` threads, in seconds per position of the encoder.
    fastest: Option<f64>,
    reduced_passes_left: u32,
}

impl ThreadCount {
    /// Uses at most `max` threads on a machine with this number of cores.
    pub fn new(max: usize, cores: usize) -> Self {
        Self { max: max.max(1), cores, fastest: None, reduced_passes_left: 0 }
    }

    /// The number of threads for the next pass. `running` is the number of threads that run now, the calling one included.
    pub fn next(&self, running: Option<usize>) -> usize {
        let by_time = if self.reduced_passes_left > 0 { self.max - 1 } else { self.max };
        let free_cores = running.map_or(self.max, |running| (self.cores + 1).saturating_sub(running));
        by_time.min(free_cores).max(1)
    }

    /// Records the time of a pass that was not cancelled and had this number of threads.
    pub fn record_pass(&mut self, threads: usize, positions: usize, duration: Duration) {
        self.reduced_passes_left = self.reduced_passes_left.saturating_sub(1);
        if threads < self.max {
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

/// The number of threads of all programs that run or wait for a core now, the calling one included; `None` if the
/// system does not tell. Takes up to 2 ms, nothing when no other thread runs.
pub(crate) fn running_threads() -> Option<usize> {
    let count = || running_in(&std::fs::read_to_string("/proc/loadavg").ok()?);
    let mut lowest = count()?;
    for _ in 1..SAMPLES {
        if lowest <= 1 {
            break;
        }
        std::thread::sleep(SAMPLE_INTERVAL);
        lowest = lowest.min(count()?);
    }
    Some(lowest)
}

/// The running threads in the text of `/proc/loadavg`, such as the 3 in `0.20 0.18 0.12 3/80 11206`.
fn running_in(loadavg: &str) -> Option<usize> {
    loadavg.split_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::idle_machine(Some(1), 2)]
    #[case::one_busy_core(Some(2), 1)]
    #[case::all_cores_busy(Some(3), 1)]
    #[case::many_busy_programs(Some(40), 1)]
    #[case::unknown(None, 2)]
    fn threads_use_only_the_free_cores(#[case] running: Option<usize>, #[case] expected: usize) {
        assert_eq!(ThreadCount::new(2, 2).next(running), expected);
    }

    #[test]
    fn spare_core_keeps_all_threads() {
        assert_eq!(ThreadCount::new(4, 8).next(Some(3)), 4);
        assert_eq!(ThreadCount::new(4, 8).next(Some(6)), 3);
    }

    #[rstest]
    #[case("0.20 0.18 0.12 3/80 11206\n", Some(3))]
    #[case("", None)]
    #[case("0.20 0.18 0.12 3", None)]
    fn running_threads_are_read_from_the_load(#[case] loadavg: &str, #[case] expected: Option<usize>) {
        assert_eq!(running_in(loadavg), expected);
    }

    #[test]
    fn busy_machine_gets_one_thread_less_for_some_passes() {
        let mut threads = ThreadCount::new(2, 2);
        threads.record_pass(2, 512, Duration::from_millis(300));
        assert_eq!(threads.next(None), 2);

        threads.record_pass(2, 512, Duration::from_millis(900));
        for _ in 0..REDUCED_PASSES {
            assert_eq!(threads.next(None), 1);
            threads.record_pass(1, 512, Duration::from_millis(500));
        }

        assert_eq!(threads.next(None), 2);
    }

    #[test]
    fn longer_audio_does_not_count_as_a_busy_machine() {
        let mut threads = ThreadCount::new(2, 2);
        threads.record_pass(2, 512, Duration::from_millis(300));
        threads.record_pass(2, 1500, Duration::from_millis(1200));

        assert_eq!(threads.next(None), 2);
    }

    #[test]
    fn single_thread_is_never_reduced_further() {
        let mut threads = ThreadCount::new(1, 1);
        threads.record_pass(1, 512, Duration::from_millis(100));
        threads.record_pass(1, 512, Duration::from_millis(900));

        assert_eq!(threads.next(None), 1);
    }
}
