//! From one rate to another.

use rubato::audioadapter_buffers::direct::SequentialSlice;
use rubato::{Fft, FixedSync, Resampler};

/// Samples that a [`Stream`] hands out at a time, at its new rate: one frame's worth.
const BLOCK: usize = vocabulary::FRAME_SAMPLES;

/// Changes the rate of a stream of mono samples, some at a time.
pub(crate) struct Stream {
    /// `None` when both rates are the same.
    fft: Option<Fft<f32>>,
    /// Samples that do not fill a block yet.
    waiting: Vec<f32>,
    block: Vec<f32>,
}

impl Stream {
    /// From `from_hz` to `to_hz`; neither may be 0.
    pub(crate) fn new(from_hz: u32, to_hz: u32) -> Result<Self, rubato::ResamplerConstructionError> {
        let fft = (from_hz != to_hz)
            .then(|| Fft::new(from_hz as usize, to_hz as usize, BLOCK, 1, FixedSync::Output))
            .transpose()?;
        let room = fft.as_ref().map_or(0, Resampler::output_frames_max);
        Ok(Self { fft, waiting: Vec::new(), block: vec![0.0; room] })
    }

    /// Takes samples of the old rate and appends what they give at the new rate to `out`.
    pub(crate) fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        let Some(fft) = &mut self.fft else {
            out.extend_from_slice(samples);
            return;
        };
        self.waiting.extend_from_slice(samples);
        let mut taken = 0;
        while self.waiting.len() - taken >= fft.input_frames_next() {
            let (used, made) = resample_block(fft, &self.waiting[taken..], &mut self.block);
            taken += used;
            out.extend_from_slice(&self.block[..made]);
        }
        self.waiting.drain(..taken);
    }
}

/// Changes the rate of a whole sound. Nothing is added at either end.
pub(crate) fn resample(
    samples: Vec<f32>,
    from_hz: u32,
    to_hz: u32,
) -> Result<Vec<f32>, rubato::ResamplerConstructionError> {
    if from_hz == to_hz || samples.is_empty() {
        return Ok(samples);
    }
    let mut fft = Fft::<f32>::new(from_hz as usize, to_hz as usize, 1024, 1, FixedSync::Both)?;
    let input = SequentialSlice::new(&samples, 1, samples.len()).expect("one channel of all samples fits");
    let mut made = fft
        .process_all(&input, samples.len(), None)
        .expect("the output was sized by the resampler itself")
        .take_data();
    made.truncate((samples.len() as u64 * u64::from(to_hz)).div_ceil(u64::from(from_hz)) as usize);
    Ok(made)
}

/// One block: how many samples were used, and how many made.
fn resample_block(fft: &mut Fft<f32>, input: &[f32], output: &mut [f32]) -> (usize, usize) {
    let (used, room) = (fft.input_frames_next(), output.len());
    let input = SequentialSlice::new(&input[..used], 1, used).expect("one channel of all samples fits");
    let mut output = SequentialSlice::new_mut(output, 1, room).expect("one channel of all samples fits");
    fft.process_into_buffer(&input, &mut output, None).expect("both buffers have the sizes it asked for")
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

    /// Times the wave rises through zero, per second.
    fn pitch(samples: &[f32], rate_hz: u32) -> f32 {
        let rises = samples.windows(2).filter(|w| w[0] < 0.0 && w[1] >= 0.0).count();
        rises as f32 * rate_hz as f32 / samples.len() as f32
    }

    #[rstest]
    #[case::a_usual_card(48_000)]
    #[case::a_compact_disc(44_100)]
    #[case::a_telephone(8_000)]
    #[case::an_odd_rate(11_025)]
    #[case::our_own(16_000)]
    fn a_tone_keeps_its_pitch_and_loudness_however_it_is_cut_up(#[case] from_hz: u32) {
        let mut stream = Stream::new(from_hz, 16_000).unwrap();
        let mut out = Vec::new();

        for piece in tone(440.0, from_hz, 1.0).chunks(333) {
            stream.push(piece, &mut out);
        }

        let steady = &out[2_000..];
        assert!((pitch(steady, 16_000) - 440.0).abs() < 3.0, "{}", pitch(steady, 16_000));
        assert!((vocabulary::energy_rms(steady) - 0.707).abs() < 0.02);
    }

    #[rstest]
    #[case(22_050, 48_000)]
    #[case(24_000, 16_000)]
    #[case(24_000, 24_000)]
    fn a_whole_sound_keeps_its_length(#[case] from_hz: u32, #[case] to_hz: u32) {
        let made = resample(tone(300.0, from_hz, 0.7), from_hz, to_hz).unwrap();

        assert!((made.len() as f32 / to_hz as f32 - 0.7).abs() < 0.001);
        assert!((pitch(&made, to_hz) - 300.0).abs() < 5.0);
    }

    #[test]
    fn no_sound_is_no_sound_at_any_rate() {
        assert_eq!(resample(Vec::new(), 22_050, 48_000), Ok(Vec::new()));
    }
}
