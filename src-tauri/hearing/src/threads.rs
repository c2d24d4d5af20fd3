//! How many threads to decode with, while other programs want the processor too.
//!
//! ggml's threads wait for each other by spinning. Two of them on two free cores are nearly twice as fast as one; when
//! another program holds a core they wait for it at every step, and a command takes seconds instead of 0.3 s.

use std::time::Duration;

/// A pass this much slower than the quickest of its kind ran on a crowded machine: more than one thread less costs.
const CROWDED: f64 = 2.2;
/// So many passes use a thread less before all of them are tried again.
const PASSES_WITH_LESS: u32 = 6;
/// The quickest pass is forgotten by this share with every pass: a processor may get slower for good.
const FORGOTTEN: f64 = 1.02;

/// Chooses the threads of each pass by what the last ones took.
#[derive(Debug)]
pub(crate) struct Threads {
    all: usize,
    /// The quickest pass with all threads, in seconds for each position of the encoder.
    quickest: Option<f64>,
    /// Passes left with a thread less.
    with_less: u32,
}

impl Threads {
    /// At most `all` of them.
    pub fn new(all: usize) -> Self {
        Self { all: all.max(1), quickest: None, with_less: 0 }
    }

    /// For the next pass.
    pub fn next(&self) -> usize {
        if self.with_less > 0 { (self.all - 1).max(1) } else { self.all }
    }

    /// Takes note of a pass that was not called off.
    pub fn note(&mut self, positions: usize, took: Duration) {
        if self.with_less > 0 {
            self.with_less -= 1;
            return;
        }
        let cost = took.as_secs_f64() / positions.max(1) as f64;
        let quickest = self.quickest.map_or(cost, |quickest| (quickest * FORGOTTEN).min(cost));
        self.quickest = Some(quickest);
        if cost > quickest * CROWDED {
            self.with_less = PASSES_WITH_LESS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowded_machine_gets_a_thread_less_for_a_while() {
        let mut threads = Threads::new(2);
        threads.note(512, Duration::from_millis(300));
        assert_eq!(threads.next(), 2);

        threads.note(512, Duration::from_millis(900));
        for _ in 0..PASSES_WITH_LESS {
            assert_eq!(threads.next(), 1);
            threads.note(512, Duration::from_millis(500));
        }

        assert_eq!(threads.next(), 2);
    }

    #[test]
    fn longer_sound_is_no_crowd() {
        let mut threads = Threads::new(2);
        threads.note(512, Duration::from_millis(300));
        threads.note(1500, Duration::from_millis(1200));

        assert_eq!(threads.next(), 2);
    }

    #[test]
    fn one_thread_is_the_least() {
        let mut threads = Threads::new(1);
        threads.note(512, Duration::from_millis(100));
        threads.note(512, Duration::from_millis(900));

        assert_eq!(threads.next(), 1);
    }
}
