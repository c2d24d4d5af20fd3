//! The spectrogram that Smart Turn reads: that of Whisper, over eight seconds.
//!
//! Source: the feature extraction beside the model (BSD-2-Clause), which has the numbers of Whisper's own.

use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{RealFftPlanner, RealToComplex};
use vocabulary::SAMPLE_RATE_HZ;

/// The sound that the model reads, in samples: eight seconds.
const WINDOW_SAMPLES: usize = SAMPLE_RATE_HZ as usize * 8;
/// The samples of one spectrum, 25 ms.
const FFT_SAMPLES: usize = 400;
/// The samples between two spectra, 10 ms.
const HOP_SAMPLES: usize = 160;
/// The frequencies of a spectrum.
const BINS: usize = FFT_SAMPLES / 2 + 1;
/// The bands of the mel scale.
pub(super) const MELS: usize = 80;
/// The columns of the spectrogram.
pub(super) const FEATURE_FRAMES: usize = WINDOW_SAMPLES / HOP_SAMPLES;
/// Added to the variance, so that silence is not divided by zero.
const VARIANCE_FLOOR: f64 = 1e-7;
/// The least power of a band.
const POWER_FLOOR: f32 = 1e-10;
/// Bands are cut off this far below the loudest one, in powers of ten.
const DYNAMIC_RANGE: f32 = 8.0;

/// Computes spectrograms. Holds its window, its filters and its buffers.
pub(super) struct LogMel {
    fft: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    bands: Vec<Band>,
    frame: Vec<f32>,
    spectrum: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

/// A triangle of the mel scale: its first frequency and the weights from there on.
struct Band {
    first: usize,
    weights: Vec<f32>,
}

impl LogMel {
    pub fn new() -> Self {
        let fft = RealFftPlanner::new().plan_fft_forward(FFT_SAMPLES);
        let (frame, spectrum, scratch) =
            (fft.make_input_vec(), fft.make_output_vec(), fft.make_scratch_vec());
        Self { window: hann_window(), bands: bands(), frame, spectrum, scratch, fft }
    }

    /// The spectrogram of the last eight seconds, band by band. Shorter sound has silence before it.
    pub fn of_end(&mut self, samples: &[f32]) -> Vec<f32> {
        let sound = normalised_end(samples);
        let mut features = vec![0.0_f32; MELS * FEATURE_FRAMES];
        let mut loudest = f32::NEG_INFINITY;
        for column in 0..FEATURE_FRAMES {
            let powers = self.powers(&sound, column * HOP_SAMPLES);
            for (row, band) in self.bands.iter().enumerate() {
                let weighted = band.weights.iter().zip(&powers[band.first..]);
                let power: f32 = weighted.map(|(weight, power)| weight * power).sum();
                let logarithm = power.max(POWER_FLOOR).log10();
                loudest = loudest.max(logarithm);
                features[row * FEATURE_FRAMES + column] = logarithm;
            }
        }
        for feature in &mut features {
            *feature = (feature.max(loudest - DYNAMIC_RANGE) + 4.0) / 4.0;
        }
        features
    }

    /// The power of each frequency around this sample. Beyond both ends the sound is mirrored.
    fn powers(&mut self, sound: &[f32], centre: usize) -> [f32; BINS] {
        for (i, (sample, weight)) in self.frame.iter_mut().zip(&self.window).enumerate() {
            let place = (centre + i).abs_diff(FFT_SAMPLES / 2);
            let place = if place < sound.len() { place } else { 2 * (sound.len() - 1) - place };
            *sample = sound[place] * weight;
        }
        self.fft
            .process_with_scratch(&mut self.frame, &mut self.spectrum, &mut self.scratch)
            .expect("the buffers are those of the plan");
        std::array::from_fn(|bin| self.spectrum[bin].norm_sqr())
    }
}

/// The last eight seconds with silence before them if there are fewer, with a mean of zero and a variance of one.
fn normalised_end(samples: &[f32]) -> Vec<f32> {
    let end = &samples[samples.len().saturating_sub(WINDOW_SAMPLES)..];
    let length = WINDOW_SAMPLES as f64;
    let mean = end.iter().map(|sample| f64::from(*sample)).sum::<f64>() / length;
    let power = end.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>() / length;
    let scale = 1.0 / (power - mean * mean + VARIANCE_FLOOR).sqrt();
    let silence = std::iter::repeat_n(0.0, WINDOW_SAMPLES - end.len());
    silence.chain(end.iter().copied()).map(|sample| ((f64::from(sample) - mean) * scale) as f32).collect()
}

fn hann_window() -> Vec<f32> {
    let step = std::f64::consts::TAU / FFT_SAMPLES as f64;
    (0..FFT_SAMPLES).map(|i| (0.5 - 0.5 * (i as f64 * step).cos()) as f32).collect()
}

/// The triangles of the mel scale, each with an area of one.
fn bands() -> Vec<Band> {
    let highest = mels_of(f64::from(SAMPLE_RATE_HZ) / 2.0);
    let corner_hz = |i: usize| hz_of(highest * i as f64 / (MELS + 1) as f64);
    (0..MELS).map(|i| Band::triangle(corner_hz(i), corner_hz(i + 1), corner_hz(i + 2))).collect()
}

impl Band {
    fn triangle(low_hz: f64, centre_hz: f64, high_hz: f64) -> Self {
        let weight = |bin: usize| {
            let hz = bin as f64 * f64::from(SAMPLE_RATE_HZ) / FFT_SAMPLES as f64;
            let rising = (hz - low_hz) / (centre_hz - low_hz);
            let falling = (high_hz - hz) / (high_hz - centre_hz);
            rising.min(falling).max(0.0) * 2.0 / (high_hz - low_hz)
        };
        let first = (0..BINS).find(|bin| weight(*bin) > 0.0).unwrap_or_default();
        let weights = (first..BINS).map(weight).take_while(|weight| *weight > 0.0);
        Self { first, weights: weights.map(|weight| weight as f32).collect() }
    }
}

/// The frequency above which the mel scale of Slaney is logarithmic, and its mels there.
const LINEAR_UP_TO_HZ: f64 = 1000.0;
const LINEAR_UP_TO_MELS: f64 = 15.0;

/// Mels per factor of e above that frequency. Source: Slaney, Auditory Toolbox: 27 steps up to 6.4 kHz.
fn mels_per_e() -> f64 {
    27.0 / 6.4_f64.ln()
}

fn mels_of(hz: f64) -> f64 {
    if hz < LINEAR_UP_TO_HZ {
        return hz * LINEAR_UP_TO_MELS / LINEAR_UP_TO_HZ;
    }
    LINEAR_UP_TO_MELS + (hz / LINEAR_UP_TO_HZ).ln() * mels_per_e()
}

fn hz_of(mels: f64) -> f64 {
    if mels < LINEAR_UP_TO_MELS {
        return mels * LINEAR_UP_TO_HZ / LINEAR_UP_TO_MELS;
    }
    LINEAR_UP_TO_HZ * ((mels - LINEAR_UP_TO_MELS) / mels_per_e()).exp()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// A tone that rises from 200 Hz by 600 Hz in a second, over one of 3 kHz.
    fn sweep(secs: usize) -> Vec<f32> {
        let tau = std::f64::consts::TAU;
        let sample = |i: usize| {
            let t = i as f64 / f64::from(SAMPLE_RATE_HZ);
            0.3 * (tau * (200.0 * t + 300.0 * t * t)).sin() + 0.05 * (tau * 3000.0 * t).sin()
        };
        (0..secs * SAMPLE_RATE_HZ as usize).map(|i| sample(i) as f32).collect()
    }

    // Band, column, and the number that the feature extraction beside the model computes there.
    #[rstest]
    #[case::shorter_than_the_window(2, &[
        (0, 0, -0.1744), (4, 600, 1.6615), (5, 600, 1.6434), (59, 600, 0.6279), (13, 650, 1.7903), (14, 650, 1.4441),
        (20, 700, 1.7779), (29, 750, 1.7554), (34, 799, 1.7547), (35, 799, 1.7470), (59, 799, 0.3037),
    ])]
    #[case::longer_than_the_window(10, &[
        (34, 0, 1.5343), (35, 0, 1.4914), (59, 0, 0.7572), (51, 200, 1.5744), (52, 200, 1.1954), (61, 400, 1.5201),
        (59, 400, 0.1170), (68, 600, 1.5143), (69, 600, 0.4416), (73, 799, 1.4793), (59, 799, 0.1225),
    ])]
    fn spectrogram_equals_that_of_the_model(#[case] secs: usize, #[case] expected: &[(usize, usize, f32)]) {
        let features = LogMel::new().of_end(&sweep(secs));

        for (band, column, number) in expected {
            let computed = features[band * FEATURE_FRAMES + column];
            assert!((computed - number).abs() < 1e-3, "{band}, {column}: {computed} in place of {number}");
        }
    }

    #[rstest]
    #[case::nothing(0)]
    #[case::one_sample(1)]
    #[case::silence(WINDOW_SAMPLES)]
    fn sound_without_speech_has_a_spectrogram(#[case] samples: usize) {
        let features = LogMel::new().of_end(&vec![0.0; samples]);

        assert_eq!(features.len(), MELS * FEATURE_FRAMES);
        assert!(features.iter().all(|feature| feature.is_finite()));
    }
}
