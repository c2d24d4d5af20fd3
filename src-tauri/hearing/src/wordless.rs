//! Sound in which recognition found no words, kept for the utterance that follows.
//!
//! In noise the recogniser may find nothing in the name alone, and the name and the rest together are clear.

use std::time::{Duration, Instant};

use crate::segmenter::UtteranceAudio;

/// The longest gap to an utterance that the sound belongs to. A person who says the name and goes on pauses for less.
const MAX_GAP: Duration = Duration::from_secs(1);
/// Longer sound without words is noise, such as a door or a machine, and no name.
const MAX_LENGTH: Duration = Duration::from_secs(3);

/// Sound with a larger share of our own voice is what the canceller left of that, and no name.
const MAX_ECHO_SHARE: f32 = 0.5;

/// The last utterance without words.
#[derive(Default)]
pub(crate) struct WordlessSound {
    last: Option<UtteranceAudio>,
}

impl WordlessSound {
    /// Keeps the sound of an utterance in place of the one before.
    pub fn keep(&mut self, audio: UtteranceAudio) {
        let length = audio.ended_at.saturating_duration_since(audio.started_at);
        let may_be_name = length <= MAX_LENGTH && audio.echo.value() < MAX_ECHO_SHARE;
        self.last = may_be_name.then_some(audio);
    }

    /// Takes the sound that belongs to an utterance that starts at this time.
    pub fn take_before(&mut self, started_at: Instant) -> Option<UtteranceAudio> {
        let is_just_before = |audio: &UtteranceAudio| {
            started_at > audio.started_at && started_at.saturating_duration_since(audio.ended_at) <= MAX_GAP
        };
        self.last.take().filter(is_just_before)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::{FRAME_SAMPLES, Frame};

    use super::*;
    use crate::echo_share::EchoShare;

    #[rstest]
    #[case::follows_at_once(500, 200, true)]
    #[case::follows_too_late(500, 1001, false)]
    #[case::is_too_long(3001, 200, false)]
    fn short_sound_belongs_to_an_utterance_that_follows_soon(
        #[case] length_ms: u64,
        #[case] gap_ms: u64,
        #[case] belongs: bool,
    ) {
        let started_at = Instant::now();
        let ended_at = started_at + Duration::from_millis(length_ms);
        let mut wordless = WordlessSound::default();

        wordless.keep(UtteranceAudio {
            samples: vec![0.1; 16],
            started_at,
            ended_at,
            captured_until: ended_at,
            energy_rms: 0.1,
            echo: EchoShare::default(),
        });
        let next = ended_at + Duration::from_millis(gap_ms);

        assert_eq!(wordless.take_before(next).is_some(), belongs);
        assert!(wordless.take_before(next).is_none(), "it is taken once");
    }

    #[rstest]
    #[case::of_our_voice(0.1, false)]
    #[case::of_the_room(0.0, true)]
    fn rest_of_our_own_voice_belongs_to_no_utterance(#[case] echo_rms: f32, #[case] belongs: bool) {
        let started_at = Instant::now();
        let ended_at = started_at + Duration::from_millis(500);
        let (mut wordless, mut echo) = (WordlessSound::default(), EchoShare::default());
        echo.add(&Frame { echo_rms, ..Frame::new([0.01; FRAME_SAMPLES], ended_at) });

        let samples = vec![0.01; 16];
        let audio = UtteranceAudio {
            samples,
            started_at,
            ended_at,
            captured_until: ended_at,
            energy_rms: 0.01,
            echo,
        };
        wordless.keep(audio);

        let next = ended_at + Duration::from_millis(200);
        assert_eq!(wordless.take_before(next).is_some(), belongs);
    }
}
