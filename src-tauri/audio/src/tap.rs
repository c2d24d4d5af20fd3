//! The samples that a loudspeaker plays, taken where the callback of the sound system gets them.

use std::time::{Duration, Instant};

use rtrb::{Consumer, Producer, RingBuffer};
use rubato::ResamplerConstructionError;
use vocabulary::SAMPLE_RATE_HZ;

use crate::echo::PlayedSound;
use crate::resample;

/// Silence that is tapped after a sound: sounds with shorter pauses between them keep the clock of the device.
const SILENCE_AFTER: Duration = Duration::from_secs(1);
/// Sound in the ring. The speaker thread takes it every 5 ms while something plays, and every 250 ms during the silence.
const RING_DURATION: Duration = Duration::from_secs(2);
/// Starts in the ring: there is at most one in [`SILENCE_AFTER`], unless the ring of samples was full.
const MAX_STARTS: usize = 8;

/// The side of the callback: no lock, no allocation.
pub(crate) struct Tap {
    samples: Producer<f32>,
    starts: Producer<Start>,
    /// Samples tapped so far.
    count: u64,
    silence_after: u32,
    /// Samples of silence still to tap; 0 between two runs of sound.
    silence_left: u32,
}

/// The start of a run of sound.
struct Start {
    /// Samples tapped before it.
    position: u64,
    at: Instant,
}

/// The side of the speaker thread.
pub(crate) struct TapReader {
    samples: Consumer<f32>,
    starts: Consumer<Start>,
    rate_hz: u32,
    /// Samples read so far.
    count: u64,
    /// A start whose samples have not all been read before it.
    next_start: Option<Start>,
    resampler: Option<resample::Stream>,
    original: Vec<f32>,
    resampled: Vec<f32>,
}

impl Tap {
    /// A tap of sound with this rate.
    pub(crate) fn new(rate_hz: u32) -> (Self, TapReader) {
        let samples_of = |duration: Duration| (duration.as_secs_f64() * f64::from(rate_hz)) as u32;
        let (samples, tapped) = RingBuffer::new(samples_of(RING_DURATION) as usize);
        let (starts, tapped_starts) = RingBuffer::new(MAX_STARTS);
        let silence_after = samples_of(SILENCE_AFTER).max(1);
        let reader = TapReader {
            samples: tapped,
            starts: tapped_starts,
            rate_hz,
            count: 0,
            next_start: None,
            resampler: None,
            original: Vec::new(),
            resampled: Vec::new(),
        };
        (Self { samples, starts, count: 0, silence_after, silence_left: 0 }, reader)
    }

    /// Takes a sample on its way to the device.
    pub(crate) fn push(&mut self, sample: f32, is_playing: bool) {
        if is_playing {
            if self.silence_left == 0
                && self.starts.push(Start { position: self.count, at: Instant::now() }).is_err()
            {
                return;
            }
            self.silence_left = self.silence_after;
        } else if self.silence_left == 0 {
            return;
        } else {
            self.silence_left -= 1;
        }
        match self.samples.push(sample) {
            Ok(()) => self.count += 1,
            // Samples are missing from here on, so that the next one starts a new run.
            Err(_) => self.silence_left = 0,
        }
    }
}

impl TapReader {
    /// Adds the new samples to `played`.
    pub(crate) fn pass_on(&mut self, played: &PlayedSound) -> Result<(), ResamplerConstructionError> {
        loop {
            // Samples first: those of a start that is seen were pushed after it.
            let slots = self.samples.slots() as u64;
            if self.next_start.is_none() {
                self.next_start = self.starts.pop().ok();
            }
            let before_start = match &self.next_start {
                Some(start) => slots.min(start.position.saturating_sub(self.count)),
                None => slots,
            };
            self.pass_on_samples(before_start as usize, played);
            match self.next_start.take_if(|start| start.position == self.count) {
                Some(start) => {
                    self.resampler = Some(resample::Stream::new(self.rate_hz, SAMPLE_RATE_HZ)?);
                    played.start(start.at);
                }
                None => return Ok(()),
            }
        }
    }

    fn pass_on_samples(&mut self, count: usize, played: &PlayedSound) {
        let Ok(chunk) = self.samples.read_chunk(count) else { return };
        let (older, newer) = chunk.as_slices();
        self.original.extend_from_slice(older);
        self.original.extend_from_slice(newer);
        chunk.commit_all();
        self.count += count as u64;
        if let Some(resampler) = &mut self.resampler {
            resampler.push(&self.original, &mut self.resampled);
            played.push(&self.resampled);
        }
        self.original.clear();
        self.resampled.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed_on(reader: &mut TapReader, played: &PlayedSound) -> Vec<Vec<f32>> {
        reader.pass_on(played).unwrap();
        played.runs()
    }

    #[test]
    fn short_pause_keeps_the_run_and_a_long_one_starts_another() {
        let (mut tap, mut reader) = Tap::new(SAMPLE_RATE_HZ);
        let played = PlayedSound::default();

        tap.push(0.5, true);
        (0..3).for_each(|_| tap.push(0.0, false));
        tap.push(0.25, true);
        (0..2 * SAMPLE_RATE_HZ).for_each(|_| tap.push(0.0, false));
        let first = passed_on(&mut reader, &played);
        tap.push(0.125, true);
        let second = passed_on(&mut reader, &played);

        assert_eq!(first[0][..5], [0.5, 0.0, 0.0, 0.0, 0.25]);
        assert_eq!(first[0].len(), 5 + SAMPLE_RATE_HZ as usize);
        assert_eq!((second.len(), &second[1][..]), (2, &[0.125][..]));
    }

    #[test]
    fn nothing_is_tapped_while_nothing_plays() {
        let (mut tap, mut reader) = Tap::new(48_000);

        (0..1_000).for_each(|_| tap.push(0.0, false));

        assert!(passed_on(&mut reader, &PlayedSound::default()).is_empty());
    }

    #[test]
    fn run_after_a_full_ring_has_a_start_of_its_own() {
        let (mut tap, mut reader) = Tap::new(SAMPLE_RATE_HZ);
        let played = PlayedSound::default();

        (0..3 * SAMPLE_RATE_HZ).for_each(|_| tap.push(0.5, true));
        reader.pass_on(&played).unwrap();
        tap.push(0.25, true);

        assert_eq!(passed_on(&mut reader, &played).last(), Some(&vec![0.25]));
    }
}
