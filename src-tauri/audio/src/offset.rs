//! The constant offset of a microphone.

/// The part of the last output that stays in the next one: all below about 20 Hz is taken out, and no voice is that low.
const KEPT: f32 = 0.992;

/// Takes a constant offset out of a stream of samples at [`vocabulary::SAMPLE_RATE_HZ`]. Cheap cards add one. It would be taken
/// for the loudness of the background, and shown as a level.
#[derive(Debug, Default)]
pub(crate) struct OffsetFilter {
    /// The last sample before and after the filter; `None` before the first one.
    last: Option<(f32, f32)>,
}

impl OffsetFilter {
    /// Filters the next samples of the stream.
    pub(crate) fn apply(&mut self, samples: &mut [f32]) {
        for sample in samples {
            // It begins at rest, so that an offset makes no click at the start.
            let (before, after) = self.last.unwrap_or((*sample, 0.0));
            let filtered = *sample - before + KEPT * after;
            // A driver may deliver what is no number: the filter must not keep it.
            self.last = filtered.is_finite().then_some((*sample, filtered));
            *sample = if filtered.is_finite() { filtered } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use vocabulary::{SAMPLE_RATE_HZ, energy_rms};

    use super::*;

    const OFFSET: f32 = 0.2;

    /// A second of a tone with the offset, filtered in parts.
    fn filtered(hz: f32, loudness: f32) -> Vec<f32> {
        let step = hz * std::f32::consts::TAU / SAMPLE_RATE_HZ as f32;
        let mut samples: Vec<f32> =
            (0..SAMPLE_RATE_HZ).map(|n| OFFSET + loudness * (n as f32 * step).sin()).collect();
        let mut filter = OffsetFilter::default();
        samples.chunks_mut(333).for_each(|part| filter.apply(part));
        samples
    }

    #[test]
    fn silence_with_an_offset_is_silence() {
        let silence = filtered(0.0, 0.0);

        assert!(silence.iter().all(|sample| sample.abs() < 1e-6));
    }

    #[rstest]
    #[case::lowest_voice(80.0)]
    #[case::usual_voice(220.0)]
    #[case::hiss(6_000.0)]
    fn voice_beside_an_offset_keeps_its_loudness(#[case] hz: f32) {
        let heard = filtered(hz, 0.1);

        let steady = &heard[SAMPLE_RATE_HZ as usize / 2..];
        let mean = steady.iter().sum::<f32>() / steady.len() as f32;
        assert!(mean.abs() < 0.002, "{mean}");
        assert!((energy_rms(steady) / 0.0707 - 1.0).abs() < 0.05, "{}", energy_rms(steady));
    }

    #[test]
    fn offset_that_begins_later_fades_within_a_tenth_of_a_second() {
        let mut samples = [vec![0.0; 100], vec![OFFSET; SAMPLE_RATE_HZ as usize]].concat();

        OffsetFilter::default().apply(&mut samples);

        assert!(energy_rms(&samples[100 + SAMPLE_RATE_HZ as usize / 10..]) < 0.001);
    }
}
