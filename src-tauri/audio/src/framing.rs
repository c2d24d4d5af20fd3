//! Frames of a stream of sound that comes from no device of this machine.

use std::time::Instant;

use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, SAMPLE_RATE_HZ};

use crate::resample;
use crate::wav::SoundUnreadable;

/// Divides a stream of mono samples of any rate into frames. Their times follow from their position in the stream.
pub struct Framer {
    resampler: resample::Stream,
    /// Samples that do not fill a frame yet.
    pending: Vec<f32>,
    started_at: Instant,
    frames: u32,
}

impl Framer {
    /// A stream at this rate, whose first sample was captured at `started_at`.
    ///
    /// # Errors
    ///
    /// [`SoundUnreadable`] when the rate is 0, or cannot be resampled.
    pub fn new(rate_hz: u32, started_at: Instant) -> Result<Self, SoundUnreadable> {
        if rate_hz == 0 {
            return Err(SoundUnreadable("a rate of 0".to_owned()));
        }
        let resampler = resample::Stream::new(rate_hz, SAMPLE_RATE_HZ)
            .map_err(|error| SoundUnreadable(error.to_string()))?;
        Ok(Self { resampler, pending: Vec::new(), started_at, frames: 0 })
    }

    /// The time of the first sample.
    pub fn started_at(&self) -> Instant {
        self.started_at
    }

    /// Adds samples. Returns the frames that they complete.
    pub fn push(&mut self, samples: &[f32]) -> Vec<Frame> {
        self.resampler.push(samples, &mut self.pending);
        let complete = self.pending.len() / FRAME_SAMPLES * FRAME_SAMPLES;
        let mut frames = Vec::with_capacity(complete / FRAME_SAMPLES);
        for samples in self.pending[..complete].as_chunks::<FRAME_SAMPLES>().0 {
            self.frames += 1;
            let captured_at = self.started_at + FRAME_DURATION * self.frames;
            frames.push(Frame { samples: *samples, captured_at });
        }
        self.pending.drain(..complete);
        frames
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn frames_carry_the_time_of_their_place_in_the_stream() {
        let started_at = Instant::now();
        let mut framer = Framer::new(48_000, started_at).unwrap();

        let frames: Vec<Frame> = vec![0.5; 48_000].chunks(1_000).flat_map(|part| framer.push(part)).collect();

        let times: Vec<Duration> = frames.iter().map(|frame| frame.captured_at - started_at).collect();
        assert_eq!(times[..2], [FRAME_DURATION, FRAME_DURATION * 2]);
        assert!((48..=50).contains(&frames.len()), "{} frames", frames.len());
        assert!((frames[25].samples[0] - 0.5).abs() < 0.01);
    }

    #[test]
    fn stream_without_a_rate_is_no_sound() {
        assert!(Framer::new(0, Instant::now()).is_err());
    }
}
