//! Trims the silence before and after synthesised speech: it causes delays and pauses of different lengths.

use std::time::Duration;

use crate::Speech;

/// Samples below this share of the loudest sample are silence: -46 dB. The breath of voices is at about -50 dB.
const SILENCE_THRESHOLD: f32 = 0.005;
/// The silence to keep before the speech, so that a soft first consonant is not cut off.
const MARGIN_BEFORE: Duration = Duration::from_millis(15);
/// The silence to keep after the speech, so that the last vowel can fade.
const MARGIN_AFTER: Duration = Duration::from_millis(50);

/// Removes the silence before and after the speech. Nothing is left of silence alone.
pub(crate) fn trim_silence(mut speech: Speech) -> Speech {
    let loudest = speech.samples.iter().fold(0.0_f32, |loudest, sample| loudest.max(sample.abs()));
    let is_audible = |sample: &f32| loudest > 0.0 && sample.abs() > loudest * SILENCE_THRESHOLD;
    let Some(first) = speech.samples.iter().position(is_audible) else {
        speech.samples.clear();
        return speech;
    };
    let last = speech.samples.iter().rposition(is_audible).unwrap_or(first);
    let end = (last + 1 + samples_of(MARGIN_AFTER, speech.rate_hz)).min(speech.samples.len());
    speech.samples.truncate(end);
    speech.samples.drain(..first.saturating_sub(samples_of(MARGIN_BEFORE, speech.rate_hz)));
    speech
}

pub(crate) fn prepend_silence(speech: &mut Speech, silence: Duration) {
    let silence = samples_of(silence, speech.rate_hz);
    speech.samples.splice(..0, std::iter::repeat_n(0.0, silence));
}

fn samples_of(duration: Duration, rate_hz: u32) -> usize {
    (duration.as_secs_f64() * f64::from(rate_hz)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_margins_of_silence_around_speech_are_kept() {
        let mut samples = vec![0.0; 1_000];
        samples.extend(vec![0.8; 500]);
        samples.extend(vec![0.001; 1_000]);

        let trimmed = trim_silence(Speech { samples, rate_hz: 1_000 });

        assert_eq!(trimmed.samples.len(), 15 + 500 + 50);
    }

    #[test]
    fn silence_alone_is_trimmed_to_no_samples() {
        assert!(trim_silence(Speech { samples: vec![0.0; 100], rate_hz: 1_000 }).samples.is_empty());
    }
}
