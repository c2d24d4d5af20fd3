//! Resampling.

use rubato::audioadapter_buffers::direct::SequentialSlice;
use rubato::{
    Async, FixedAsync, Resampler, ResamplerConstructionError, SincInterpolationParameters,
    SincInterpolationType, WindowFunction, calculate_cutoff,
};

/// Samples that a [`Stream`] returns at a time, at its new rate: those of one frame.
const BLOCK_SAMPLES: usize = vocabulary::FRAME_SAMPLES;

/// The length of the filter in samples of the lower rate. It delays sound by half of this: 4 ms from 48 kHz to 16 kHz.
/// Half of the loudness passes at 0.94 of the highest frequency that both rates can represent, all of it below 0.87.
const FILTER_LENGTH: usize = 128;

/// The most phases of the filter, 1.3 MB: enough from the rate of any voice to any card of up to 384 kHz.
const MAX_PHASES: usize = 2_560;

/// Resamples a stream of mono samples.
pub(crate) struct Stream {
    /// `None` when both rates are the same.
    filter: Option<Async<f32>>,
    /// Samples that do not fill a block yet.
    pending: Vec<f32>,
    block: Vec<f32>,
}

impl Stream {
    /// Resamples from `from_hz` to `to_hz`; neither may be 0.
    pub(crate) fn new(from_hz: u32, to_hz: u32) -> Result<Self, ResamplerConstructionError> {
        let filter = (from_hz != to_hz).then(|| filter(from_hz, to_hz, BLOCK_SAMPLES)).transpose()?;
        let room = filter.as_ref().map_or(0, Resampler::output_frames_max);
        Ok(Self { filter, pending: Vec::new(), block: vec![0.0; room] })
    }

    /// Adds samples of the old rate, and appends the samples of the new rate to `out`.
    pub(crate) fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        let Some(filter) = &mut self.filter else {
            out.extend_from_slice(samples);
            return;
        };
        self.pending.extend_from_slice(samples);
        let mut consumed = 0;
        while self.pending.len() - consumed >= filter.input_frames_next() {
            let (used, output_length) = resample_block(filter, &self.pending[consumed..], &mut self.block);
            consumed += used;
            out.extend_from_slice(&self.block[..output_length]);
        }
        self.pending.drain(..consumed);
    }
}

/// Resamples a whole sound. Nothing is added at the start or the end.
pub(crate) fn resample(
    samples: Vec<f32>,
    from_hz: u32,
    to_hz: u32,
) -> Result<Vec<f32>, ResamplerConstructionError> {
    if from_hz == to_hz || samples.is_empty() {
        return Ok(samples);
    }
    let mut filter = filter(from_hz, to_hz, 1_024)?;
    let input = SequentialSlice::new(&samples, 1, samples.len()).expect("one channel of all samples fits");
    let mut output = filter
        .process_all(&input, samples.len(), None)
        .expect("the output was sized by the resampler itself")
        .take_data();
    output.truncate((samples.len() as u64 * u64::from(to_hz)).div_ceil(u64::from(from_hz)) as usize);
    Ok(output)
}

/// The filter from one rate to the other. It returns `block` samples at a time.
///
/// Between usual rates, each new sample has one of a few phases between two old ones, so no sample is interpolated.
fn filter(from_hz: u32, to_hz: u32, block: usize) -> Result<Async<f32>, ResamplerConstructionError> {
    let phases = (to_hz / greatest_common_divisor(from_hz, to_hz)) as usize;
    let is_exact = phases <= MAX_PHASES;
    let window = WindowFunction::BlackmanHarris;
    let parameters = SincInterpolationParameters {
        // Its length is in samples of the old rate.
        sinc_len: FILTER_LENGTH * (from_hz.div_ceil(to_hz) as usize),
        f_cutoff: Some(calculate_cutoff(FILTER_LENGTH, window)),
        oversampling_factor: if is_exact { phases } else { 256 },
        interpolation: if is_exact { SincInterpolationType::Nearest } else { SincInterpolationType::Cubic },
        window,
    };
    let ratio = f64::from(to_hz) / f64::from(from_hz);
    Async::new_sinc(ratio, 1.0, &parameters, block, 1, FixedAsync::Output)
}

fn greatest_common_divisor(one: u32, other: u32) -> u32 {
    match other {
        0 => one,
        other => greatest_common_divisor(other, one % other),
    }
}

/// Resamples one block. Returns the number of samples read and written.
fn resample_block(filter: &mut Async<f32>, input: &[f32], output: &mut [f32]) -> (usize, usize) {
    let (used, room) = (filter.input_frames_next(), output.len());
    let input = SequentialSlice::new(&input[..used], 1, used).expect("one channel of all samples fits");
    let mut output = SequentialSlice::new_mut(output, 1, room).expect("one channel of all samples fits");
    filter.process_into_buffer(&input, &mut output, None).expect("both buffers have the sizes it asked for")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn tone(hz: f32, rate_hz: u32, secs: f32) -> Vec<f32> {
        (0..(rate_hz as f32 * secs) as usize)
            .map(|n| (n as f32 * hz * std::f32::consts::TAU / rate_hz as f32).sin())
            .collect()
    }

    /// The frequency in hertz: how often the wave rises through zero per second.
    fn pitch(samples: &[f32], rate_hz: u32) -> f32 {
        let rises = samples.windows(2).filter(|w| w[0] < 0.0 && w[1] >= 0.0).count();
        rises as f32 * rate_hz as f32 / samples.len() as f32
    }

    #[rstest]
    #[case::common_sound_card(48_000)]
    #[case::compact_disc_rate(44_100)]
    #[case::telephone_rate(8_000)]
    #[case::uncommon_rate(11_025)]
    #[case::studio_rate(192_000)]
    #[case::rate_without_common_divisor(44_101)]
    #[case::the_same_rate(16_000)]
    fn streamed_tone_keeps_its_pitch_and_loudness(#[case] from_hz: u32) {
        let mut stream = Stream::new(from_hz, 16_000).unwrap();
        let mut out = Vec::new();

        for chunk in tone(440.0, from_hz, 1.0).chunks(333) {
            stream.push(chunk, &mut out);
        }

        let steady = &out[2_000..];
        assert!((pitch(steady, 16_000) - 440.0).abs() < 3.0, "{}", pitch(steady, 16_000));
        assert!((vocabulary::energy_rms(steady) - 0.707).abs() < 0.02);
    }

    #[rstest]
    #[case(22_050, 48_000)]
    #[case(24_000, 16_000)]
    #[case(24_000, 24_000)]
    fn whole_sound_keeps_its_duration_and_pitch(#[case] from_hz: u32, #[case] to_hz: u32) {
        let output = resample(tone(300.0, from_hz, 0.7), from_hz, to_hz).unwrap();

        assert!((output.len() as f32 / to_hz as f32 - 0.7).abs() < 0.001);
        assert!((pitch(&output, to_hz) - 300.0).abs() < 5.0);
    }

    #[rstest]
    #[case::common_sound_card(48_000)]
    #[case::compact_disc_rate(44_100)]
    fn frequencies_above_the_new_limit_are_removed(#[case] from_hz: u32) {
        let output = resample(tone(9_000.0, from_hz, 0.5), from_hz, 16_000).unwrap();

        let steady = &output[1_000..7_000];
        assert!(vocabulary::energy_rms(steady) < 0.001, "{}", vocabulary::energy_rms(steady));
    }

    #[rstest]
    #[case::down(48_000, 16_000, 6_900.0)]
    #[case::up(22_050, 48_000, 9_500.0)]
    fn frequencies_below_both_limits_keep_their_loudness(
        #[case] from_hz: u32,
        #[case] to_hz: u32,
        #[case] hz: f32,
    ) {
        let output = resample(tone(hz, from_hz, 0.5), from_hz, to_hz).unwrap();

        let steady = &output[1_000..7_000];
        assert!((vocabulary::energy_rms(steady) - 0.707).abs() < 0.01, "{}", vocabulary::energy_rms(steady));
    }

    #[test]
    fn resampling_no_samples_returns_no_samples() {
        assert_eq!(resample(Vec::new(), 22_050, 48_000), Ok(Vec::new()));
    }
}
