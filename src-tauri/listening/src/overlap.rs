//! The part of an utterance that was said over our voice, by its time alone.
//!
//! Source: docs/behaviour/listening.md#follow-up-window.

/// The time before the end of our speech at which a voice that begins is no echo: people answer a question before its last
/// sound. A piece of our own voice that was misheard began 0.21 s before.
const EARLY_ANSWER_SECS: f64 = 0.15;

/// The part of an utterance that was said over our voice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// It began after our speech or in its last moment, or most of it was said after it.
    Little,
    /// It began while we spoke, and most of it was said before our echo had ended.
    Most,
    /// It ended while our echo could still be heard: twice as long as usual in a room or with a loudspeaker that is slow, if
    /// most of it is before the end of our speech.
    All,
}

/// A stretch of time in seconds, on the timeline of our speech.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Span {
    pub started_secs: f64,
    pub ended_secs: f64,
}

/// The time that is quiet or echo, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margins {
    /// The quiet at the start of an utterance, before its first voiced frame.
    pub pre_roll_secs: f64,
    /// The longest delay of our echo.
    pub tolerance_secs: f64,
}

impl Overlap {
    /// The overlap of an utterance with our speech, whose echo ends `tolerance_secs` after it.
    pub fn new(utterance: Span, speech: Span, margins: Margins) -> Self {
        let Margins { pre_roll_secs, tolerance_secs } = margins;
        if utterance.ended_secs <= speech.started_secs {
            return Self::Little;
        }
        let voice_started_secs = utterance.started_secs + pre_roll_secs;
        let during_secs = speech.ended_secs - voice_started_secs.max(speech.started_secs);
        let after_secs = utterance.ended_secs - speech.ended_secs;
        let longest_secs = if during_secs > after_secs { tolerance_secs * 2.0 } else { tolerance_secs };
        if after_secs <= longest_secs {
            return Self::All;
        }
        let middle_secs = f64::midpoint(voice_started_secs, utterance.ended_secs);
        let has_begun_before = voice_started_secs < speech.ended_secs - EARLY_ANSWER_SECS;
        if has_begun_before && middle_secs < speech.ended_secs + tolerance_secs {
            Self::Most
        } else {
            Self::Little
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Times are from the end of our speech, which lasts five seconds.
    #[rstest]
    #[case::before_our_speech(-7.0, -5.5, Overlap::Little)]
    #[case::inside_our_speech(-3.0, -1.0, Overlap::All)]
    #[case::echo_that_ends_with_its_tail(-1.0, 0.3, Overlap::All)]
    #[case::echo_of_a_slow_loudspeaker(-1.0, 0.6, Overlap::All)]
    #[case::echo_of_a_slower_one(-1.0, 0.8, Overlap::Most)]
    #[case::piece_of_an_echo_around_the_end(-0.45, 0.45, Overlap::Most)]
    #[case::from_before_our_speech(-6.0, 0.8, Overlap::Most)]
    #[case::most_of_it_after_the_echo(-0.5, 0.9, Overlap::Little)]
    #[case::user_starts_a_little_early(-0.44, 1.8, Overlap::Little)]
    #[case::voice_that_starts_at_the_end(-0.23, 0.4, Overlap::Little)]
    #[case::answer_that_starts_just_before_the_end(-0.38, 0.4, Overlap::Little)]
    #[case::voice_that_starts_a_little_before_the_end(-0.4, 0.4, Overlap::Most)]
    #[case::after_our_speech(0.5, 1.5, Overlap::Little)]
    fn utterance_belongs_to_our_speech_by_its_time(
        #[case] started_secs: f64,
        #[case] ended_secs: f64,
        #[case] expected: Overlap,
    ) {
        let speech = Span { started_secs: -5.0, ended_secs: 0.0 };
        let margins = Margins { pre_roll_secs: 0.24, tolerance_secs: 0.3 };

        assert_eq!(Overlap::new(Span { started_secs, ended_secs }, speech, margins), expected);
    }

    /// The same voice begins 0.2 s before the end of our speech, with as much quiet before it as the settings say.
    #[rstest]
    #[case::no_pre_roll(0.0)]
    #[case::usual_pre_roll(0.24)]
    #[case::longest_pre_roll(1.0)]
    fn quiet_before_the_voice_does_not_count(#[case] pre_roll_secs: f64) {
        let speech = Span { started_secs: -5.0, ended_secs: 0.0 };
        let margins = Margins { pre_roll_secs, tolerance_secs: 0.3 };
        let overlap_of = |voice_started_secs: f64| {
            let heard = Span { started_secs: voice_started_secs - pre_roll_secs, ended_secs: 0.4 };
            Overlap::new(heard, speech, margins)
        };

        assert_eq!(overlap_of(-0.2), Overlap::Most);
        assert_eq!(overlap_of(-0.1), Overlap::Little);
    }
}
