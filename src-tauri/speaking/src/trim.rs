//! The silence that voices put around what they say: in front it is a delay, behind it makes pauses uneven.

use std::time::Duration;

use crate::Speech;

/// Quieter than this share of the loudest moment is silence: -46 dB. Voices breathe out at some -50 dB.
const SILENT_SHARE: f32 = 0.005;
/// Kept in front, so that a soft first consonant is not cut.
const KEPT_BEFORE: Duration = Duration::from_millis(15);
/// Kept behind, so that a last vowel may fade.
const KEPT_AFTER: Duration = Duration::from_millis(50);

/// Cuts the silence at both ends; a sound of nothing but silence becomes none.
pub(crate) fn trim_silence(mut speech: Speech) -> Speech {
    let loudest = speech.samples.iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));
    let is_heard = |sample: &f32| loudest > 0.0 && sample.abs() > loudest * SILENT_SHARE;
    let Some(first) = speech.samples.iter().position(is_heard) else {
        speech.samples.clear();
        return speech;
    };
    let last = speech.samples.iter().rposition(is_heard).unwrap_or(first);
    let end = (last + 1 + samples_in(KEPT_AFTER, speech.rate_hz)).min(speech.samples.len());
    speech.samples.truncate(end);
    speech.samples.drain(..first.saturating_sub(samples_in(KEPT_BEFORE, speech.rate_hz)));
    speech
}

/// Puts silence in front.
pub(crate) fn silence_before(speech: &mut Speech, silence: Duration) {
    let silence = samples_in(silence, speech.rate_hz);
    speech.samples.splice(..0, std::iter::repeat_n(0.0, silence));
}

fn samples_in(span: Duration, rate_hz: u32) -> usize {
    (span.as_secs_f64() * f64::from(rate_hz)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_breath_is_left_of_the_silence_around_a_word() {
        let mut samples = vec![0.0; 1_000];
        samples.extend(vec![0.8; 500]);
        samples.extend(vec![0.001; 1_000]);

        let trimmed = trim_silence(Speech { samples, rate_hz: 1_000 });

        assert_eq!(trimmed.samples.len(), 15 + 500 + 50);
    }

    #[test]
    fn silence_alone_becomes_nothing() {
        assert!(trim_silence(Speech { samples: vec![0.0; 100], rate_hz: 1_000 }).samples.is_empty());
    }
}
