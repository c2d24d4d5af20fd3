//! Frames of a stream of sound that comes from no device of this machine.

use std::time::{Duration, Instant};

use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, SAMPLE_RATE_HZ};

use crate::resample;
use crate::wav::SoundUnreadable;

/// Divides a stream of mono samples of any rate into frames.
pub struct Framer {
    rate_hz: u32,
    resampler: resample::Stream,
    /// Samples that do not fill a frame yet.
    pending: Vec<f32>,
    started_at: Instant,
    frames: u32,
    /// The time of the newest frame.
    newest_at: Instant,
}

impl Framer {
    /// A stream at this rate, whose first sample was captured at `started_at`.
    ///
    /// # Errors
    ///
    /// [`SoundUnreadable`] when the rate is 0, or cannot be resampled.
    pub fn new(rate_hz: u32, started_at: Instant) -> Result<Self, SoundUnreadable> {
        let resampler = resampler(rate_hz)?;
        Ok(Self { rate_hz, resampler, pending: Vec::new(), started_at, frames: 0, newest_at: started_at })
    }

    /// The samples have this rate from here on.
    ///
    /// # Errors
    ///
    /// The same as of [`Framer::new`]; then the rate stays.
    pub fn set_rate(&mut self, rate_hz: u32) -> Result<(), SoundUnreadable> {
        if rate_hz != self.rate_hz {
            self.resampler = resampler(rate_hz)?;
            self.rate_hz = rate_hz;
        }
        Ok(())
    }

    /// The time of the first sample.
    pub fn started_at(&self) -> Instant {
        self.started_at
    }

    /// Adds samples of a recording. Returns the frames that they complete, with the times of their places in it.
    pub fn push(&mut self, samples: &[f32]) -> Vec<Frame> {
        let (started_at, before) = (self.started_at, self.frames);
        let frames = self.complete(samples, |n, _| started_at + FRAME_DURATION * (before + n));
        self.frames += frames.len() as u32;
        frames
    }

    /// Adds samples of a live stream, the newest of which was captured at `newest_at`. Returns the frames that they complete.
    /// The times never go back, however unevenly the samples arrive.
    pub fn push_live(&mut self, samples: &[f32], newest_at: Instant) -> Vec<Frame> {
        let earliest = self.newest_at;
        let frames = self.complete(samples, |_, newer| {
            let age = Duration::from_secs_f64(newer as f64 / f64::from(SAMPLE_RATE_HZ));
            newest_at.checked_sub(age).unwrap_or(newest_at).max(earliest)
        });
        self.newest_at = frames.last().map_or(earliest, |newest| newest.captured_at);
        frames
    }

    /// The complete frames. `captured_at` is told the number of a frame, from 1, and how many samples are newer.
    fn complete(&mut self, samples: &[f32], captured_at: impl Fn(u32, usize) -> Instant) -> Vec<Frame> {
        self.resampler.push(samples, &mut self.pending);
        let all = self.pending.len();
        let complete = self.pending.as_chunks::<FRAME_SAMPLES>().0;
        let frames: Vec<Frame> = (1..)
            .zip(complete)
            .map(|(n, samples): (u32, _)| {
                let newer = all - n as usize * FRAME_SAMPLES;
                Frame::new(*samples, captured_at(n, newer))
            })
            .collect();
        self.pending.drain(..frames.len() * FRAME_SAMPLES);
        frames
    }
}

fn resampler(rate_hz: u32) -> Result<resample::Stream, SoundUnreadable> {
    if rate_hz == 0 {
        return Err(SoundUnreadable("a rate of 0".to_owned()));
    }
    resample::Stream::new(rate_hz, SAMPLE_RATE_HZ).map_err(|error| SoundUnreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
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
    fn live_frames_are_as_old_as_the_samples_after_them() {
        let start = Instant::now();
        let (later, back) = (start + Duration::from_secs(2), start + Duration::from_secs(1));
        let mut framer = Framer::new(16_000, start).unwrap();

        let frames = framer.push_live(&[0.5; FRAME_SAMPLES * 2 + 160], later);
        let late = framer.push_live(&[0.5; FRAME_SAMPLES], back);

        let ages: Vec<Duration> = frames.iter().map(|frame| later - frame.captured_at).collect();
        assert_eq!(ages, [Duration::from_millis(30), Duration::from_millis(10)]);
        assert_eq!(late[0].captured_at, frames[1].captured_at);
    }

    #[test]
    fn stream_without_a_rate_is_no_sound() {
        assert!(Framer::new(0, Instant::now()).is_err());
    }
}
