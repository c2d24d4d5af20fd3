//! Chunks of sound as one recording.

use serde_json::{Map, Value};

use super::event::Event;
use super::refusal::Refusal;
use crate::sound;

/// The rates of sound, in hertz: from telephones to the fastest sound cards.
pub(crate) const RATES_HZ: std::ops::RangeInclusive<u32> = 4_000..=384_000;

/// Most channels of a sound.
const MAX_CHANNELS: u64 = 8;

/// Longest recording, in seconds.
const MAX_SECS: usize = 600;

/// Most samples of a recording: ten minutes of speech at usual rates, and fewer of faster sound. Thirty-two clients may record.
const MAX_SAMPLES: usize = 16 * 1024 * 1024;

/// The form of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    rate_hz: u32,
    /// Bytes of a sample.
    width: usize,
    channels: usize,
}

impl Format {
    /// Reads the form from the data of an event; `None` if it is missing, or no form that is understood.
    pub fn new(data: &Map<String, Value>) -> Option<Self> {
        let number = |key: &str| data.get(key)?.as_u64();
        let rate_hz = u32::try_from(number("rate")?).ok().filter(|rate| RATES_HZ.contains(rate))?;
        let width = number("width").filter(|width| matches!(width, 1 | 2 | 4))?;
        let channels = number("channels").filter(|channels| (1..=MAX_CHANNELS).contains(channels))?;
        Some(Self { rate_hz, width: width as usize, channels: channels as usize })
    }

    /// The form that an event describes.
    pub fn from_event(event: &Event) -> Result<Self, Refusal> {
        Self::new(&event.data).ok_or_else(|| {
            let text = "The sound is in no form that is understood: use 4000 to 384000 hertz, 1, 2 or 4 bytes, and 1 to 8 channels.";
            Refusal::new("bad-format", text)
        })
    }

    /// Samples in a second.
    pub fn rate_hz(self) -> u32 {
        self.rate_hz
    }
}

/// The recording is longer than is taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Reads the bytes of chunks as mono samples of 16 bits.
#[derive(Debug)]
pub(crate) struct Levels {
    format: Format,
    /// The begin of a sample whose end is in the next chunk.
    rest: Vec<u8>,
}

impl Levels {
    pub fn new(format: Format) -> Self {
        Self { format, rest: Vec::new() }
    }

    /// The samples that a chunk completes. Chunks may end within a sample.
    pub fn read(&mut self, chunk: &[u8]) -> Vec<i16> {
        let Format { width, channels, .. } = self.format;
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.extend(chunk);
        let frames = bytes.chunks_exact(width * channels);
        self.rest = frames.remainder().to_vec();
        let mono = frames.map(|frame| {
            let sum: i32 = frame.chunks_exact(width).map(|sample| i32::from(level(sample))).sum();
            (sum / channels as i32) as i16
        });
        mono.collect()
    }
}

/// A recording that grows.
#[derive(Debug)]
pub(crate) struct Recording {
    chunks: Levels,
    levels: Vec<i16>,
}

impl Recording {
    pub fn new(format: Format) -> Self {
        Self { chunks: Levels::new(format), levels: Vec::new() }
    }

    pub fn format(&self) -> Format {
        self.chunks.format
    }

    /// Appends a chunk.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), TooLong> {
        self.levels.extend(self.chunks.read(chunk));
        let most = MAX_SAMPLES.min(MAX_SECS * self.format().rate_hz as usize);
        if self.levels.len() > most { Err(TooLong) } else { Ok(()) }
    }

    /// The recording as a WAV file; `None` if it has no sample.
    pub fn wav(self) -> Result<Option<Vec<u8>>, hound::Error> {
        if self.levels.is_empty() {
            return Ok(None);
        }
        let rate_hz = self.format().rate_hz;
        sound::wav_of_levels(self.levels.into_iter(), rate_hz).map(Some)
    }
}

/// The 16 most significant bits of a little-endian sample. Samples of one byte have no sign.
fn level(sample: &[u8]) -> i16 {
    match *sample {
        [byte] => (i16::from(byte) - 128) << 8,
        [.., low, high] => i16::from_le_bytes([low, high]),
        [] => 0,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn recording(rate_hz: u32, width: usize, channels: usize) -> Recording {
        Recording::new(Format { rate_hz, width, channels })
    }

    #[rstest]
    #[case::one_byte(1, 1, &[128, 255, 0], &[0, 32_512, -32_768])]
    #[case::two_bytes(2, 1, &[1, 0, 0xff, 0x7f], &[1, 32_767])]
    #[case::four_bytes(4, 1, &[9, 9, 1, 0, 0, 0, 0, 0x80], &[1, -32_768])]
    #[case::mean_of_channels(2, 2, &[10, 0, 20, 0], &[15])]
    #[case::end_within_a_sample(2, 1, &[1, 0, 2], &[1])]
    fn samples_become_mono_of_16_bits(
        #[case] width: usize,
        #[case] channels: usize,
        #[case] bytes: &[u8],
        #[case] levels: &[i16],
    ) {
        let mut recording = recording(16_000, width, channels);

        recording.push(bytes).unwrap();

        assert_eq!(recording.levels, levels);
    }

    #[test]
    fn sample_in_two_chunks_is_put_together() {
        let mut recording = recording(16_000, 2, 1);

        recording.push(&[1, 0, 2]).unwrap();
        recording.push(&[0]).unwrap();

        assert_eq!(recording.levels, [1, 2]);
    }

    #[test]
    fn ten_minutes_are_taken_and_no_more() {
        let mut recording = recording(4_000, 1, 1);

        assert_eq!(recording.push(&vec![128; 4_000 * MAX_SECS]), Ok(()));
        assert_eq!(recording.push(&[128]), Err(TooLong));
    }
}
