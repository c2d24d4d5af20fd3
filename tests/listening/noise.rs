//! The noise of a room beside the speech: white, or recordings such as music and other people.

use std::path::Path;

use crate::clips;

/// The sound beside the speech.
pub enum Noise {
    /// The same power at every frequency.
    White,
    /// Recordings one after another, 16 kHz mono, repeated as long as needed.
    Recorded(Vec<f32>),
}

impl Noise {
    /// The recordings of a folder, `layers` of them at once: one for music, six for people who talk.
    pub fn of_folder(folder: &Path, layers: usize) -> Self {
        let recordings = clips::of_folder(Some(folder));
        assert!(recordings.len() >= layers.max(1), "{} has too few recordings", folder.display());
        let mut mixed = vec![Vec::new(); layers.max(1)];
        for (number, recording) in recordings.iter().enumerate() {
            let layer = number % mixed.len();
            mixed[layer].extend(with_equal_power(recording.samples()));
        }
        let length = mixed.iter().map(Vec::len).min().unwrap_or_default();
        Self::Recorded((0..length).map(|i| mixed.iter().map(|layer| layer[i]).sum()).collect())
    }

    /// Adds noise of this level, root mean square. `seed` chooses the part, the same one in every run.
    pub fn add_to(&self, samples: &mut [f32], level: f64, seed: usize) {
        // A room is never quite silent: -80 dB.
        const QUIET_ROOM: f64 = 1e-4;
        let mut random = Random::new(seed);
        match self {
            Self::Recorded(sound) if level > 0.0 => {
                let start = (random.unit() * sound.len() as f64) as usize;
                let part: Vec<f32> = sound.iter().cycle().skip(start).take(samples.len()).copied().collect();
                let factor = (level / root_mean_square(&part).max(QUIET_ROOM)) as f32;
                for (sample, noise) in samples.iter_mut().zip(part) {
                    *sample += noise * factor;
                }
            }
            Self::Recorded(_) | Self::White => {
                for sample in samples {
                    *sample += (random.normal() * level.max(QUIET_ROOM)) as f32;
                }
            }
        }
    }
}

/// The root mean square of samples.
pub fn root_mean_square(samples: &[f32]) -> f64 {
    let power: f64 = samples.iter().map(|sample| f64::from(*sample).powi(2)).sum();
    (power / samples.len().max(1) as f64).sqrt()
}

fn with_equal_power(samples: &[f32]) -> impl Iterator<Item = f32> {
    let level = root_mean_square(samples).max(f64::EPSILON) as f32;
    samples.iter().map(move |sample| sample / level)
}

/// The same noise in every run.
struct Random(u64);

impl Random {
    fn new(seed: usize) -> Self {
        // Spreads neighbouring seeds over all bits; the factor is 2^64 by the golden ratio.
        Self((seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal, by the central limit theorem.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}
