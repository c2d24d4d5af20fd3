//! The tones that wait: an earcon, and the tune while we think.
//!
//! Plain values, asked with the time: no speaker and no clock.

use std::time::Duration;

use tokio::time::Instant;

use crate::Earcon;

/// Quicker replies have no tune.
const TUNE_DELAY: Duration = Duration::from_millis(1_500);
/// An earcon that cannot begin within this time is left out: it would tell of something that is over.
const EARCON_PATIENCE: Duration = Duration::from_millis(400);

/// A tone that may begin now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DueTone {
    Earcon(Earcon),
    /// One pulse of the tune. It stays due until the tune ends.
    Tune,
}

/// The earcon and the tune that wait.
#[derive(Debug, Default)]
pub(super) struct WaitingTones {
    /// The begin of the tune, while we think.
    tune_at: Option<Instant>,
    /// The earcon that waits for the speaker to open, and the time it was asked for.
    earcon: Option<(Earcon, Instant)>,
}

impl WaitingTones {
    /// Lets this earcon wait in place of another one.
    pub fn signal(&mut self, earcon: Earcon, at: Instant) {
        self.earcon = Some((earcon, at));
    }

    /// Forgets the earcon: it was not wanted, or cannot be heard.
    pub fn drop_earcon(&mut self) {
        self.earcon = None;
    }

    /// Learns that we began to think, or ended it.
    pub fn follow_thinking(&mut self, is_thinking: bool, now: Instant) {
        self.tune_at = is_thinking.then(|| now + TUNE_DELAY);
    }

    /// Lets the tune wait anew, because another request may be worked on already.
    pub fn restart_tune(&mut self, now: Instant) {
        self.tune_at = self.tune_at.map(|_| now + TUNE_DELAY);
    }

    /// When the tune begins, unless that time has come.
    pub fn tune_due(&self, now: Instant) -> Option<Instant> {
        self.tune_at.filter(|at| *at > now)
    }

    /// The tone that is due, the earcon first. `may_begin_tune` is `true` if nothing else is heard.
    pub fn due(&mut self, now: Instant, may_begin_tune: bool) -> Option<DueTone> {
        self.earcon.take_if(|(_, at)| now.duration_since(*at) > EARCON_PATIENCE);
        match self.earcon {
            Some((earcon, _)) => Some(DueTone::Earcon(earcon)),
            None => (may_begin_tune && self.tune_at.is_some_and(|at| at <= now)).then_some(DueTone::Tune),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earcon_goes_before_the_tune_and_is_left_out_when_it_is_late() {
        let (mut tones, now) = (WaitingTones::default(), Instant::now());
        tones.follow_thinking(true, now);
        let later = now + TUNE_DELAY;
        tones.signal(Earcon::Accepted, later);

        assert_eq!(tones.due(later, true), Some(DueTone::Earcon(Earcon::Accepted)));
        assert_eq!(tones.due(later + EARCON_PATIENCE + Duration::from_millis(1), true), Some(DueTone::Tune));
        assert_eq!(tones.due(later, false), None);
    }

    #[test]
    fn tune_waits_anew_after_a_stop_and_ends_with_the_thought() {
        let (mut tones, now) = (WaitingTones::default(), Instant::now());
        tones.restart_tune(now);
        assert_eq!(tones.tune_due(now), None);

        tones.follow_thinking(true, now);
        tones.restart_tune(now + TUNE_DELAY);

        assert_eq!(tones.due(now + TUNE_DELAY, true), None);
        assert_eq!(tones.tune_due(now + TUNE_DELAY), Some(now + TUNE_DELAY * 2));
        tones.follow_thinking(false, now);
        assert_eq!(tones.due(now + TUNE_DELAY * 3, true), None);
    }
}
