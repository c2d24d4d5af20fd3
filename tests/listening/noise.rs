//! The noise of a room beside the speech: white, other people, or music.

use std::path::Path;

use testkit::music;

use crate::clips::{self, Clip};

/// The sound beside the speech.
pub enum Noise {
    /// The same power at every frequency.
    White,
    /// Recordings one after another, 16 kHz mono, repeated as long as needed.
    Recorded(Vec<f32>),
    /// Voices that talk at once.
    Babble(Vec<Talker>),
}

/// A voice of a crowd.
pub struct Talker {
    voice: String,
    /// Its sentences one after another, 16 kHz mono, repeated as long as needed.
    speech: Vec<f32>,
}

/// The fewest voices that are a crowd: with fewer, single words are understood.
const MIN_TALKERS: usize = 6;

impl Noise {
    /// The recordings of a folder, `layers` of them at once: one for music, six for people who talk.
    pub fn from_folder(folder: &Path, layers: usize) -> Self {
        let recordings = clips::in_folder(Some(folder));
        assert!(recordings.len() >= layers.max(1), "{} has too few recordings", folder.display());
        let mut mixed = vec![Vec::new(); layers.max(1)];
        for (number, recording) in recordings.iter().enumerate() {
            let layer = number % mixed.len();
            mixed[layer].extend(with_equal_power(recording.samples()));
        }
        let length = mixed.iter().map(Vec::len).min().unwrap_or_default();
        Self::Recorded((0..length).map(|i| mixed.iter().map(|layer| layer[i]).sum()).collect())
    }

    /// The voices of these clips, all at once.
    pub fn of_crowd(clips: &[Clip]) -> Self {
        let mut crowd: Vec<Talker> = Vec::new();
        for clip in clips {
            let speech = with_equal_power(clip.samples());
            match crowd.iter_mut().find(|talker| talker.voice == clip.voice()) {
                Some(talker) => talker.speech.extend(speech),
                None => crowd.push(Talker { voice: clip.voice().to_owned(), speech: speech.collect() }),
            }
        }
        Self::Babble(crowd)
    }

    /// Synthetic music.
    pub fn of_music() -> Self {
        Self::Recorded(music())
    }

    /// Adds noise of this level, root mean square, in which `speaker` is not heard. `seed` chooses the part, the same one in
    /// every run.
    pub fn add_to(&self, samples: &mut [f32], level: f64, seed: usize, speaker: &str) {
        // A room is never quite silent: -80 dB.
        const QUIET_ROOM: f64 = 1e-4;
        let mut random = Random::new(seed);
        let sound = match self {
            // Clean clips are the same for every kind of noise.
            _ if level <= 0.0 => None,
            Self::White => None,
            Self::Recorded(sound) => Some(part_of(sound, samples.len(), &mut random)),
            Self::Babble(crowd) => Some(babble(crowd, samples.len(), speaker, &mut random)),
        };
        match sound {
            Some(sound) => {
                let factor = (level / root_mean_square(&sound).max(QUIET_ROOM)) as f32;
                for (sample, noise) in samples.iter_mut().zip(sound) {
                    *sample += noise * factor;
                }
            }
            None => {
                for sample in samples {
                    *sample += (random.normal() * level.max(QUIET_ROOM)) as f32;
                }
            }
        }
    }
}

/// A part of a sound that begins anywhere in it.
fn part_of(sound: &[f32], length: usize, random: &mut Random) -> Vec<f32> {
    let start = (random.unit() * sound.len() as f64) as usize;
    sound.iter().cycle().skip(start).take(length).copied().collect()
}

/// All voices but that of the speaker.
fn babble(crowd: &[Talker], length: usize, speaker: &str, random: &mut Random) -> Vec<f32> {
    let others = crowd.iter().filter(|talker| talker.voice != speaker);
    let parts: Vec<Vec<f32>> = others.map(|talker| part_of(&talker.speech, length, random)).collect();
    assert!(parts.len() >= MIN_TALKERS, "babble needs {MIN_TALKERS} voices beside {speaker}");
    (0..length).map(|i| parts.iter().map(|part| part[i]).sum()).collect()
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
