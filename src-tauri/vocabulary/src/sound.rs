//! Sound as the path carries it: mono frames at one rate.

use std::time::{Duration, Instant};

/// Speech models are trained on 16 kHz mono; `audio` resamples at the edge, nothing else ever does.
pub const SAMPLE_RATE_HZ: u32 = 16_000;

/// Samples in one [`Frame`]: 20 ms at [`SAMPLE_RATE_HZ`].
pub const FRAME_SAMPLES: usize = 320;

/// The time that one [`Frame`] lasts.
pub const FRAME_DURATION: Duration = Duration::from_millis(20);

/// 20 ms of mono samples at [`SAMPLE_RATE_HZ`], each between -1.0 and 1.0.
#[derive(Clone, PartialEq)]
pub struct Frame {
    /// The samples, oldest first.
    pub samples: [f32; FRAME_SAMPLES],
    /// When the last of the samples was captured.
    pub captured_at: Instant,
    /// The loudness of our own voice that was taken out of it, root mean square; 0.0 for none.
    pub echo_rms: f32,
}

impl Frame {
    /// A frame captured at `captured_at`, from which nothing was taken.
    pub fn new(samples: [f32; FRAME_SAMPLES], captured_at: Instant) -> Self {
        Self { samples, captured_at, echo_rms: 0.0 }
    }

    /// A frame of silence captured at `captured_at`.
    pub fn silence(captured_at: Instant) -> Self {
        Self::new([0.0; FRAME_SAMPLES], captured_at)
    }
}

impl std::fmt::Debug for Frame {
    /// Shows the energy, never the samples: what people say does not belong in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame").field("rms", &energy_rms(&self.samples)).finish_non_exhaustive()
    }
}

/// There was nothing to measure.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("an energy was asked of no samples")]
pub struct NoSamples;

/// Energy in decibels relative to full scale: `0.0` is the loudest possible, silence tends to `-inf`.
///
/// # Errors
///
/// [`NoSamples`] when there is nothing to measure: silence has an energy, an empty slice has none.
pub fn energy_dbfs(samples: &[f32]) -> Result<f32, NoSamples> {
    if samples.is_empty() {
        return Err(NoSamples);
    }
    Ok(20.0 * energy_rms(samples).log10())
}

/// Root mean square of the samples, between 0.0 and 1.0; 0.0 for none.
pub fn energy_rms(samples: &[f32]) -> f32 {
    if samples.is_empty() {
        return 0.0;
    }
    (samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_scale_is_zero_decibels_and_nothing_has_no_energy() {
        assert_eq!(energy_dbfs(&[1.0, -1.0]), Ok(0.0));
        assert_eq!(energy_dbfs(&[0.0]), Ok(f32::NEG_INFINITY));
        assert_eq!(energy_dbfs(&[]), Err(NoSamples));
    }
}
