//! The loudness of 80 bands of the mel scale, a hundred times a second, as Kaldi computes it.
//!
//! Source: the model was trained on `torchaudio.compliance.kaldi.fbank(num_mel_bins=80, dither=0)`, less the mean of each
//! band.

use ndarray::{Array2, Axis, s};
use vocabulary::SAMPLE_RATE_HZ;

/// Bands of the mel scale.
pub(super) const BANDS: usize = 80;
/// The length of a window: 25 ms.
const WINDOW: usize = SAMPLE_RATE_HZ as usize / 40;
/// The distance between windows: 10 ms.
const STEP: usize = SAMPLE_RATE_HZ as usize / 100;
/// Windows are filled up to this power of two.
const SPECTRUM: usize = 512;
/// The bins of the spectrum that a band can have; the last one, half the sampling rate, is in none.
const BINS: usize = SPECTRUM / 2;
/// The lower edge of the lowest band.
const LOWEST_HZ: f64 = 20.0;
/// The share of the sample before that is taken off each sample.
const PREEMPHASIS: f64 = 0.97;
/// The exponent that makes a Povey window of a Hann window.
const POVEY: f64 = 0.85;

/// The tables that turn windows of samples into bands.
pub(super) struct MelBands {
    /// Window and Fourier transform in one: the real parts of each bin, then the imaginary parts.
    transform: Array2<f32>,
    bands: Array2<f32>,
}

impl MelBands {
    pub fn new() -> Self {
        let angle = std::f64::consts::TAU / SPECTRUM as f64;
        let transform = Array2::from_shape_fn((WINDOW, 2 * BINS), |(at, bin)| {
            let turn = std::f64::consts::TAU * at as f64 / (WINDOW - 1) as f64;
            let weight = (0.5 - 0.5 * turn.cos()).powf(POVEY);
            let phase = angle * ((at * (bin % BINS)) % SPECTRUM) as f64;
            (weight * if bin < BINS { phase.cos() } else { phase.sin() }) as f32
        });
        let mel = |hz: f64| 1127.0 * (1.0 + hz / 700.0).ln();
        let lowest = mel(LOWEST_HZ);
        let width = (mel(f64::from(SAMPLE_RATE_HZ) / 2.0) - lowest) / (BANDS + 1) as f64;
        let bands = Array2::from_shape_fn((BINS, BANDS), |(bin, band)| {
            let at = mel(bin as f64 * f64::from(SAMPLE_RATE_HZ) / SPECTRUM as f64);
            let from = lowest + band as f64 * width;
            ((at - from) / width).min((from + 2.0 * width - at) / width).max(0.0) as f32
        });
        Self { transform, bands }
    }

    /// The bands of mono samples at 16 kHz, one row for each 10 ms. `None` for less than one window.
    pub fn of(&self, samples: &[f32]) -> Option<Array2<f32>> {
        let rows = samples.len().checked_sub(WINDOW)? / STEP + 1;
        let mut windows = Array2::<f32>::zeros((rows, WINDOW));
        for (row, mut window) in windows.rows_mut().into_iter().enumerate() {
            let samples = &samples[row * STEP..][..WINDOW];
            let mean = samples.iter().map(|sample| f64::from(*sample)).sum::<f64>() / WINDOW as f64;
            let mut before = f64::from(samples[0]) - mean;
            for (to, sample) in window.iter_mut().zip(samples) {
                let sample = f64::from(*sample) - mean;
                // Kaldi counts in steps of a 16-bit sample.
                *to = ((sample - PREEMPHASIS * before) * 32768.0) as f32;
                before = sample;
            }
        }
        let spectrum = windows.dot(&self.transform);
        let (real, imaginary) = (spectrum.slice(s![.., ..BINS]), spectrum.slice(s![.., BINS..]));
        let power = &real * &real + &imaginary * &imaginary;
        let mut bands = power.dot(&self.bands).mapv(|power| power.max(f32::EPSILON).ln());
        let mean = bands.mean_axis(Axis(0))?;
        bands -= &mean;
        Some(bands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tone_is_loudest_in_the_band_of_its_frequency() {
        // A tone that comes and goes: what stays the same is taken out with the mean.
        let tone = |at: usize| {
            let secs = at as f32 / SAMPLE_RATE_HZ as f32;
            let is_on = ((secs * 10.0) as usize).is_multiple_of(2);
            if is_on { (secs * 1000.0 * std::f32::consts::TAU).sin() * 0.3 } else { 0.0 }
        };
        let samples: Vec<f32> = (0..8000).map(tone).collect();

        let bands = MelBands::new().of(&samples).unwrap();

        let row = bands.row(4);
        let loudest = (0..BANDS).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap();
        // 1000 Hz is 1000 mel; the middle of band 27 is 28 widths of 34.7 mel above 32 mel.
        assert_eq!((bands.dim(), loudest), ((48, BANDS), 27));
    }

    #[test]
    fn less_than_a_window_has_no_bands() {
        assert!(MelBands::new().of(&[0.1; WINDOW - 1]).is_none());
    }
}
