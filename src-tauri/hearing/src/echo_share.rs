//! The part of an utterance that is our own voice, by its energy.

use vocabulary::{Frame, energy_rms};

/// A frame is mostly our own voice when at least this share of its energy was taken out, 6 dB.
const MOSTLY_ECHO: f32 = 0.75;
/// Frames with less energy, relative to the loudest one, tell nothing, 22 dB: what the canceller leaves in the quiet behind our
/// voice may count as voiced. Source: replies in the computed room of `tests/echo_share.rs`. With half of it four of nine
/// utterances of our voice are no echo any more; no user, down to 16 dB below our voice, is taken for echo.
const MIN_ENERGY: f32 = 0.006;

/// The energies of the voiced frames of an utterance.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct EchoShare {
    frames: Vec<FrameEnergy>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct FrameEnergy {
    left: f32,
    taken_out: f32,
}

impl FrameEnergy {
    fn heard(self) -> f32 {
        self.left + self.taken_out
    }

    fn is_echo(self) -> bool {
        self.taken_out > 0.0 && self.taken_out >= self.heard() * MOSTLY_ECHO
    }
}

impl EchoShare {
    /// Adds a voiced frame.
    pub fn add(&mut self, frame: &Frame) {
        let (left, taken_out) = (energy_rms(&frame.samples).powi(2), frame.echo_rms.powi(2));
        self.frames.push(FrameEnergy { left, taken_out });
    }

    /// Adds the frames of another part of the utterance.
    pub fn join(&mut self, other: Self) {
        self.frames.extend(other.frames);
    }

    /// The share of voiced frames that are mostly our own voice, 0.0 to 1.0.
    pub fn value(&self) -> f32 {
        let loudest = self.frames.iter().map(|frame| frame.heard()).fold(0.0, f32::max);
        let loud = self.frames.iter().filter(|frame| frame.heard() >= loudest * MIN_ENERGY);
        let (frames, echo_frames) =
            loud.fold((0_u32, 0_u32), |(all, echo), frame| (all + 1, echo + u32::from(frame.is_echo())));
        echo_frames as f32 / frames.max(1) as f32
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use rstest::rstest;
    use vocabulary::FRAME_SAMPLES;

    use super::*;

    /// Each frame has a loudness that is left, and one that was taken out.
    #[rstest]
    #[case::nothing_plays(&[(0.1, 0.0), (0.1, 0.0)], 0.0)]
    #[case::our_voice(&[(0.01, 0.1), (0.03, 0.1)], 1.0)]
    #[case::our_voice_and_the_rest_of_it(&[(0.01, 0.1), (0.001, 0.0), (0.001, 0.0)], 1.0)]
    #[case::user_as_loud_as_our_voice(&[(0.1, 0.1), (0.1, 0.1)], 0.0)]
    #[case::user_behind_our_voice(&[(0.01, 0.1), (0.1, 0.0), (0.1, 0.0), (0.1, 0.0)], 0.25)]
    #[case::quiet_user_behind_our_voice(&[(0.01, 0.1), (0.03, 0.0)], 0.5)]
    #[case::user_21_db_below_our_voice(&[(0.01, 0.1), (0.0085, 0.0)], 0.5)]
    #[case::silence(&[(0.0, 0.0)], 0.0)]
    #[case::nothing(&[], 0.0)]
    fn share_counts_frames_that_are_mostly_taken_out(#[case] frames: &[(f32, f32)], #[case] expected: f32) {
        let mut share = EchoShare::default();

        for (left, echo_rms) in frames {
            let frame = Frame { echo_rms: *echo_rms, ..Frame::new([*left; FRAME_SAMPLES], Instant::now()) };
            share.add(&frame);
        }

        assert!((share.value() - expected).abs() < 1e-6, "{}", share.value());
    }
}
