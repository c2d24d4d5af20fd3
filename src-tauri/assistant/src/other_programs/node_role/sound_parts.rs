//! A sound that is still coming, as parts that play one after the other.

use std::time::Duration;

use speaking::Speech;
use vocabulary::energy_rms;

/// The least sound in a part, unless nothing more comes for a while: as long as it plays, a network may stumble.
const PART: Duration = Duration::from_millis(400);

/// The longest wait for more of a sound that ends quietly so far: a sentence or a clause ends there. Source: the pause between
/// two sentences, docs/behaviour/speaking.md#pauses.
pub(super) const PATIENCE: Duration = Duration::from_millis(200);

/// The number of such waits for more of a sound that ends within a word: a network stumbles rather than that a word ends so.
const WAITS_WITHIN_A_WORD: u32 = 5;

/// The share of the energy of a sound that is silence beside it, as a ratio of root mean squares.
const QUIET: f32 = 0.1;

/// The length of the pieces among which the quietest one is looked for.
const BLOCK: Duration = Duration::from_millis(5);

/// The samples that came and were not passed on.
#[derive(Debug)]
pub(super) struct SoundParts {
    samples: Vec<f32>,
    rate_hz: u32,
}

impl SoundParts {
    pub fn new(rate_hz: u32) -> Self {
        Self { samples: Vec::new(), rate_hz }
    }

    /// Adds samples. Returns the next part if there are enough for one.
    ///
    /// It ends where the sound is quietest: a loudspeaker of another rate resamples each part alone, which is heard as a click
    /// within a loud vowel.
    pub fn add(&mut self, samples: &[f32]) -> Option<Speech> {
        self.samples.extend_from_slice(samples);
        let least = samples_of(PART, self.rate_hz);
        // The cut is looked for behind the least sound.
        if self.samples.len() < least + least / 2 {
            return None;
        }
        let (from, block) = (self.samples.len() - least / 2, samples_of(BLOCK, self.rate_hz).max(1));
        let energies = self.samples[from..].chunks_exact(block).map(energy_rms);
        let quietest = energies.enumerate().min_by(|(_, one), (_, other)| one.total_cmp(other));
        let end = from + quietest.map_or(0, |(at, _)| at * block + block / 2);
        let rest = self.samples.split_off(end);
        let samples = std::mem::replace(&mut self.samples, rest);
        Some(Speech { samples, rate_hz: self.rate_hz })
    }

    /// All that came and was not passed on, after `waits` in a row in which nothing more came; `None` if more should come first:
    /// the sound ends within a word.
    pub fn so_far(&mut self, waits: u32) -> Option<Speech> {
        let may_end = self.ends_quietly() || waits >= WAITS_WITHIN_A_WORD;
        if self.samples.is_empty() || !may_end {
            return None;
        }
        Some(Speech { samples: std::mem::take(&mut self.samples), rate_hz: self.rate_hz })
    }

    fn ends_quietly(&self) -> bool {
        let end = self.samples.len().saturating_sub(samples_of(BLOCK, self.rate_hz).max(1));
        energy_rms(&self.samples[end..]) <= QUIET * energy_rms(&self.samples)
    }

    /// The rest of the sound.
    pub fn rest(self) -> Speech {
        Speech { samples: self.samples, rate_hz: self.rate_hz }
    }
}

fn samples_of(duration: Duration, rate_hz: u32) -> usize {
    (duration.as_secs_f64() * f64::from(rate_hz)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE_HZ: u32 = 1_000;

    #[test]
    fn part_ends_where_the_sound_is_quietest() {
        let mut parts = SoundParts::new(RATE_HZ);
        let mut samples = vec![0.5; 600];
        samples[500..505].fill(0.0);

        assert_eq!(parts.add(&samples[..599]), None, "that is too short");
        let part = parts.add(&samples[599..]).unwrap();

        assert_eq!((part.samples.len(), part.rate_hz), (502, RATE_HZ));
        assert_eq!([part.samples, parts.rest().samples].concat(), samples);
    }

    #[test]
    fn short_sound_is_passed_on_at_once_only_where_a_word_ends() {
        let (mut within, mut behind) = (SoundParts::new(RATE_HZ), SoundParts::new(RATE_HZ));
        assert_eq!((within.add(&[0.5; 300]), behind.add(&[0.5; 300])), (None, None), "both are short");
        behind.add(&[0.0; 20]);

        let first = [within.so_far(1), behind.so_far(1)].map(|part| part.map(|part| part.samples.len()));
        let later = [within.so_far(5), behind.so_far(5)].map(|part| part.map(|part| part.samples.len()));

        assert_eq!((first, later), ([None, Some(320)], [Some(300), None]));
    }

    #[test]
    fn part_has_the_least_sound_even_if_the_quietest_place_is_before_it() {
        let mut parts = SoundParts::new(RATE_HZ);
        let mut samples = vec![0.5; 1_200];
        samples[..400].fill(0.0);

        let made: Vec<usize> =
            samples.chunks(50).filter_map(|chunk| parts.add(chunk)).map(|part| part.samples.len()).collect();

        assert!(made.len() >= 2 && made.iter().all(|length| *length >= 400), "{made:?}");
    }

    #[test]
    fn long_sound_that_came_at_once_is_cut_near_its_end() {
        let mut parts = SoundParts::new(RATE_HZ);

        let part = parts.add(&vec![0.5; 3_000]).unwrap();

        assert!(part.samples.len() >= 2_800, "{}", part.samples.len());
        assert_eq!(part.samples.len() + parts.rest().samples.len(), 3_000);
    }
}
