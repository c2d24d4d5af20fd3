//! The pace of passes, so that the decoder is free when the user stops speaking.

use std::time::Duration;

use vocabulary::SAMPLE_RATE_HZ;

use crate::config::HearingConfig;

/// New sound before the next partial pass: often enough to read along, and the decoder stays free most of the time for
/// the final pass. On two free cores a pass takes 0.3 s. That of Whisper cannot be cancelled before
/// its encoder is done.
const MIN_PARTIAL_INTERVAL: Duration = Duration::from_secs(1);
/// The least new sound before a partial pass, as a multiple of the time of the last pass: a slow decoder stays free two
/// thirds of the time.
const PARTIAL_INTERVAL_FACTOR: u32 = 3;
/// The silence before the final pass, as a part of the time of the last pass. A slow pass that is discarded delays the next
/// one by more than this.
const FINAL_PASS_SILENCE_DIVISOR: u32 = 5;
/// The longest silence before the final pass, except after short speech.
const MAX_FINAL_PASS_SILENCE: Duration = Duration::from_millis(200);
/// A decoder is slow when its last pass took longer.
const SLOW_PASS: Duration = Duration::from_millis(500);
/// Shorter speech is often the name or a greeting before the rest: a slow decoder waits for the end of the utterance.
const SHORT_SPEECH: Duration = Duration::from_millis(900);

/// The speed of the decoder now, and what it allows.
#[derive(Debug, Default)]
pub(crate) struct DecodingPace {
    /// The time of the last quick pass; zero before the first one.
    last_pass: Duration,
}

impl DecodingPace {
    /// Records the time of a partial or final pass.
    pub fn record_pass(&mut self, duration: Duration) {
        self.last_pass = duration;
    }

    /// New samples before the next partial pass.
    pub fn partial_pass_samples(&self) -> usize {
        let interval = MIN_PARTIAL_INTERVAL.max(self.last_pass * PARTIAL_INTERVAL_FACTOR);
        (interval.as_secs_f64() * f64::from(SAMPLE_RATE_HZ)) as usize
    }

    /// Silence after which the final pass of this much speech starts.
    pub fn final_pass_silence(&self, speech: Duration, config: &HearingConfig) -> Duration {
        if self.last_pass > SLOW_PASS && speech < SHORT_SPEECH {
            return config.early_endpoint;
        }
        let silence = (self.last_pass / FINAL_PASS_SILENCE_DIVISOR).min(MAX_FINAL_PASS_SILENCE);
        silence.max(config.final_pass_silence).min(config.early_endpoint)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::{HearingSettings, ListeningSettings};

    use super::*;

    #[rstest]
    #[case::before_the_first_pass(0, 1000, 60, 60)]
    #[case::free_machine(300, 1000, 60, 60)]
    #[case::busy_machine(800, 2400, 300, 160)]
    #[case::very_busy_machine(5000, 15_000, 300, 200)]
    fn slow_decoder_gets_fewer_passes(
        #[case] last_pass_ms: u64,
        #[case] partial_ms: usize,
        #[case] silence_after_a_word_ms: u64,
        #[case] silence_after_a_sentence_ms: u64,
    ) {
        let config = HearingConfig::new(&HearingSettings::default(), &ListeningSettings::default()).unwrap();
        let mut pace = DecodingPace::default();

        pace.record_pass(Duration::from_millis(last_pass_ms));

        assert_eq!(pace.partial_pass_samples(), partial_ms * SAMPLE_RATE_HZ as usize / 1000);
        let silence_ms =
            |speech_ms| pace.final_pass_silence(Duration::from_millis(speech_ms), &config).as_millis();
        assert_eq!(silence_ms(600), u128::from(silence_after_a_word_ms));
        assert_eq!(silence_ms(2000), u128::from(silence_after_a_sentence_ms));
    }
}
