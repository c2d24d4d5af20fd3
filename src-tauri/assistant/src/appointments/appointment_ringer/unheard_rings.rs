//! Rings of which nothing was heard yet: they wait behind other words, and a stop drops them with those words.
//!
//! Plain values, asked with the time: no queue and no clock.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use vocabulary::{ReplyId, Ring};

/// From one look at a ring to the next. A dropped ring comes again after one or two of them, so that the user can go on
/// speaking first.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// A ring that waits for longer, while nothing else is heard, has no loudspeaker. Its card says it.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(60);

/// The number of times that something sounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounds {
    /// The tone and the sentence, once.
    One,
    /// The tone goes on until somebody stops it, for a minute.
    UntilStopped,
}

/// The rings that were queued and not heard, oldest first.
#[derive(Default)]
pub(super) struct UnheardRings(Vec<UnheardRing>);

struct UnheardRing {
    ring: Ring,
    rounds: Rounds,
    /// Names its sound in the queue of our voice.
    reply: ReplyId,
    /// Cancelled by the stop that drops it.
    stop: CancellationToken,
    /// The last look found it dropped.
    is_dropped: bool,
    look_at: Instant,
    given_up_at: Instant,
}

enum Look {
    Wait,
    RingAgain,
    GiveUp,
}

impl UnheardRings {
    /// Adds a ring that was queued as a part of `reply`, and that `stop` drops.
    pub fn add(
        &mut self,
        ring: Ring,
        rounds: Rounds,
        reply: ReplyId,
        stop: CancellationToken,
        queued_at: Instant,
    ) {
        self.0.push(UnheardRing {
            ring,
            rounds,
            reply,
            stop,
            is_dropped: false,
            look_at: queued_at + LOOK_EVERY,
            given_up_at: queued_at + GIVEN_UP_AFTER,
        });
    }

    /// Forgets the ring of this appointment: it was settled, or rings anew.
    pub fn forget(&mut self, appointment: i64) {
        self.0.retain(|unheard| unheard.ring.appointment != appointment);
    }

    /// Returns `true` if nothing of the ring of this appointment was heard.
    pub fn contains(&self, appointment: i64) -> bool {
        self.0.iter().any(|unheard| unheard.ring.appointment == appointment)
    }

    /// Notes that this reply began to sound.
    pub fn note_heard(&mut self, reply: ReplyId) {
        self.0.retain(|unheard| unheard.reply != reply);
    }

    /// Returns `true` if a stop has dropped one of them, so that it is about to ring again.
    pub fn has_dropped(&self) -> bool {
        self.0.iter().any(|unheard| unheard.stop.is_cancelled())
    }

    /// When [`UnheardRings::take_dropped`] has something to do.
    pub fn next_look(&self) -> Option<Instant> {
        self.0.iter().map(|unheard| unheard.look_at).min()
    }

    /// Takes the rings that a stop has dropped and that ring again now: not while another voice is heard.
    pub fn take_dropped(&mut self, now: Instant, voice_is_heard: bool) -> Vec<(Ring, Rounds)> {
        let mut dropped = Vec::new();
        self.0.retain_mut(|unheard| match unheard.look(now, voice_is_heard) {
            Look::Wait => true,
            Look::RingAgain => {
                dropped.push((unheard.ring.clone(), unheard.rounds));
                false
            }
            Look::GiveUp => false,
        });
        dropped
    }
}

impl UnheardRing {
    fn look(&mut self, now: Instant, voice_is_heard: bool) -> Look {
        if now < self.look_at {
            return Look::Wait;
        }
        self.look_at = now + LOOK_EVERY;
        if voice_is_heard {
            self.given_up_at = now + GIVEN_UP_AFTER;
            return Look::Wait;
        }
        // Rung at the look after: the news that it had begun may have been on its way when the stop came.
        if self.is_dropped {
            return Look::RingAgain;
        }
        self.is_dropped = self.stop.is_cancelled();
        if !self.is_dropped && now >= self.given_up_at { Look::GiveUp } else { Look::Wait }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::{Language, Private, RingKind};

    use super::*;

    const REPLY: ReplyId = ReplyId(7);
    const APPOINTMENT: i64 = 1;

    /// A reminder that was queued now, its token, and the time.
    fn queued() -> (UnheardRings, CancellationToken, Instant) {
        let ring = Ring {
            appointment: APPOINTMENT,
            kind: RingKind::Reminder,
            text: Private("Reminder: call Anna.".to_owned()),
            language: Language::new("en").unwrap(),
            due_at: "2025-11-22T12:00:00Z".parse().unwrap(),
            is_missed: false,
        };
        let (mut rings, stop, now) = (UnheardRings::default(), CancellationToken::new(), Instant::now());
        rings.add(ring, Rounds::One, REPLY, stop.clone(), now);
        (rings, stop, now)
    }

    /// The seconds at which it rings again, looked at each second, while a voice is heard until `voice_until`.
    fn rings_at(rings: &mut UnheardRings, since: Instant, voice_until: u64) -> Vec<u64> {
        let rings_again = |second: &u64| {
            let now = since + Duration::from_secs(*second);
            !rings.take_dropped(now, *second < voice_until).is_empty()
        };
        (0..300).filter(rings_again).collect()
    }

    #[rstest]
    #[case::nobody_speaks(0, &[6])]
    #[case::another_voice_is_heard(100, &[105])]
    fn dropped_ring_comes_again_once(#[case] voice_until: u64, #[case] expected: &[u64]) {
        let (mut rings, stop, now) = queued();

        stop.cancel();

        assert!(rings.has_dropped());
        assert_eq!(rings_at(&mut rings, now, voice_until), expected);
        assert_eq!(rings.next_look(), None);
    }

    #[rstest]
    #[case::settled(|rings: &mut UnheardRings| rings.forget(APPOINTMENT))]
    #[case::had_begun_when_the_stop_came(|rings: &mut UnheardRings| rings.note_heard(REPLY))]
    fn ring_that_is_over_does_not_come_again(#[case] ends: fn(&mut UnheardRings)) {
        let (mut rings, stop, now) = queued();
        stop.cancel();

        // Its end may be known late.
        assert!(rings.take_dropped(now + LOOK_EVERY, false).is_empty());
        ends(&mut rings);

        assert!(rings_at(&mut rings, now, 0).is_empty());
    }

    #[test]
    fn ring_without_a_loudspeaker_is_given_up_after_a_minute() {
        let (mut rings, stop, now) = queued();
        for secs in (3..=60).step_by(3) {
            assert!(rings.next_look().is_some(), "{secs}");
            rings.take_dropped(now + Duration::from_secs(secs), false);
        }

        stop.cancel();

        assert_eq!((rings.next_look(), rings.has_dropped()), (None, false));
    }
}
