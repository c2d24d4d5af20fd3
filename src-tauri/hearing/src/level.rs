//! The level of the microphone, for the meter on the screen.

use vocabulary::{FRAME_SAMPLES, energy_dbfs};

/// Frames per level: ten levels a second.
const FRAMES_PER_LEVEL: usize = 5;

/// Measures the level of every [`FRAMES_PER_LEVEL`] frames.
#[derive(Default)]
pub(crate) struct LevelMeter {
    samples: Vec<f32>,
}

impl LevelMeter {
    /// Adds a frame. Returns the level in decibels relative to full scale when enough frames are collected.
    pub fn push(&mut self, samples: &[f32; FRAME_SAMPLES]) -> Option<f32> {
        self.samples.extend_from_slice(samples);
        if self.samples.len() < FRAMES_PER_LEVEL * FRAME_SAMPLES {
            return None;
        }
        let dbfs = energy_dbfs(&self.samples).ok();
        self.samples.clear();
        dbfs
    }
}
