//! When the result of a pass counts: when it arrives, or after a fixed amount of sound.

use std::collections::VecDeque;
use std::time::Duration;

use crate::config::frames;

/// The way the time that recognition takes is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassTiming {
    /// For a microphone: a result counts when it arrives.
    Live,
    /// For a recording: a result counts after this much more sound, and the next frame waits until it has arrived. The same
    /// recording gives the same words on every machine, whatever its load.
    InSound(Duration),
}

/// Counts frames and decides whether the next event is a frame or the result of a pass.
#[derive(Debug)]
pub(crate) struct PassClock {
    timing: PassTiming,
    frames: usize,
    /// The frame counts at which the results of the queued passes count, in the order of the passes.
    due: VecDeque<usize>,
}

impl PassClock {
    pub fn new(timing: PassTiming) -> Self {
        Self { timing, frames: 0, due: VecDeque::new() }
    }

    pub fn is_live(&self) -> bool {
        self.timing == PassTiming::Live
    }

    pub fn count_frame(&mut self) {
        self.frames += 1;
    }

    /// Notes that a pass was queued. Passes run one after the other.
    pub fn queue_pass(&mut self) {
        if let PassTiming::InSound(duration) = self.timing {
            let starts_at = self.due.back().copied().unwrap_or_default().max(self.frames);
            self.due.push_back(starts_at + frames(duration));
        }
    }

    /// Notes that a search for the name was queued: it takes the time of a frame. Source: 4 ms for a second of sound.
    pub fn queue_check(&mut self) {
        if !self.is_live() {
            self.due.push_back(self.due.back().copied().unwrap_or_default().max(self.frames) + 1);
        }
    }

    /// The time that a pass took, as it counts for the pace of the next ones.
    pub fn end_pass(&mut self, measured: Duration) -> Duration {
        self.due.pop_front();
        match self.timing {
            PassTiming::Live => measured,
            PassTiming::InSound(duration) => duration,
        }
    }

    /// Returns `true` if the next result counts now.
    pub fn takes_results(&self) -> bool {
        self.is_live() || self.is_result_due()
    }

    /// Returns `true` if the next frame may be taken.
    pub fn takes_frames(&self) -> bool {
        !self.is_result_due()
    }

    fn is_result_due(&self) -> bool {
        self.due.front().is_some_and(|due| *due <= self.frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_counts_after_its_amount_of_sound_and_frames_wait_for_it() {
        let mut clock = PassClock::new(PassTiming::InSound(Duration::from_millis(40)));
        clock.queue_pass();
        clock.queue_pass();

        let mut taken = Vec::new();
        for _ in 0..6 {
            if clock.takes_frames() {
                clock.count_frame();
                taken.push("frame");
            } else {
                assert!(clock.takes_results());
                assert_eq!(clock.end_pass(Duration::from_secs(9)), Duration::from_millis(40));
                taken.push("result");
            }
        }

        assert_eq!(taken, ["frame", "frame", "result", "frame", "frame", "result"]);
    }

    #[test]
    fn search_for_the_name_takes_one_frame() {
        let mut clock = PassClock::new(PassTiming::InSound(Duration::from_millis(300)));

        clock.queue_check();
        clock.count_frame();

        assert!(clock.takes_results() && !clock.takes_frames());
    }

    #[test]
    fn live_results_and_frames_never_wait_for_each_other() {
        let mut clock = PassClock::new(PassTiming::Live);

        clock.queue_pass();

        assert!(clock.takes_results() && clock.takes_frames());
        assert_eq!(clock.end_pass(Duration::from_secs(1)), Duration::from_secs(1));
    }
}
