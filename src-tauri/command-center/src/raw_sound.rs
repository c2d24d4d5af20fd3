//! Sound of a server: samples without a header of their own, described by headers of HTTP.

/// The header with the samples per second.
const RATE_HEADER: &str = "X-Audio-Sample-Rate";
/// The header with the number of channels.
const CHANNELS_HEADER: &str = "X-Audio-Channels";
/// The header with the bytes per sample.
const WIDTH_HEADER: &str = "X-Audio-Sample-Width";

/// The rate that a server means without a header, in hertz. Source: the Command Center protocol.
const DEFAULT_RATE_HZ: u32 = 22_050;

/// The rates that a voice can have, in hertz. Source: telephones and studio sound.
const RATES_HZ: std::ops::RangeInclusive<u32> = 8_000..=192_000;

/// Most channels. Source: surround sound.
const MAX_CHANNELS: usize = 8;

/// The form of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawSoundFormat {
    rate_hz: u32,
    channels: usize,
}

/// The server describes a sound that is not read here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the server sends sound of an unknown form ({header}: {value})")]
pub struct UnreadableSound {
    header: &'static str,
    value: String,
}

impl RawSoundFormat {
    /// Reads the headers of a response. A header that is missing has the usual value: 22,050 Hz, one channel, 16 bits.
    ///
    /// # Errors
    ///
    /// [`UnreadableSound`] for a header that is no number, and for samples that do not have 16 bits.
    pub fn from_headers<'h>(header: impl Fn(&str) -> Option<&'h str>) -> Result<Self, UnreadableSound> {
        let number = |name: &'static str, usual: u32, is_possible: &dyn Fn(u32) -> bool| {
            let Some(value) = header(name) else { return Ok(usual) };
            let number = value.trim().parse().ok().filter(|number| is_possible(*number));
            number.ok_or_else(|| UnreadableSound { header: name, value: value.to_owned() })
        };
        let rate_hz = number(RATE_HEADER, DEFAULT_RATE_HZ, &|rate| RATES_HZ.contains(&rate))?;
        let channels =
            number(CHANNELS_HEADER, 1, &|channels| (1..=MAX_CHANNELS).contains(&(channels as usize)))?;
        number(WIDTH_HEADER, 2, &|bytes| bytes == 2)?;
        Ok(Self { rate_hz, channels: channels as usize })
    }

    /// Samples per second.
    pub fn rate_hz(self) -> u32 {
        self.rate_hz
    }

    /// Begins to read the samples.
    pub fn reader(self) -> RawSoundReader {
        RawSoundReader { format: self, cut: Vec::new() }
    }
}

/// Reads the samples of a sound that comes in chunks.
#[derive(Debug)]
pub struct RawSoundReader {
    format: RawSoundFormat,
    /// The beginning of a frame whose end is in the next chunk.
    cut: Vec<u8>,
}

impl RawSoundReader {
    /// Mixes the channels of 16-bit samples, little-endian, to mono samples from -1.0 to 1.0. A chunk may end within a sample: the
    /// next one goes on there.
    pub fn read(&mut self, chunk: &[u8]) -> Vec<f32> {
        self.cut.extend_from_slice(chunk);
        let scale = 32_768.0 * self.format.channels as f32;
        let frames = self.cut.chunks_exact(2 * self.format.channels);
        let rest = frames.remainder().to_vec();
        let samples = frames.map(|frame| {
            let levels =
                frame.chunks_exact(2).map(|level| f32::from(i16::from_le_bytes([level[0], level[1]])));
            levels.sum::<f32>() / scale
        });
        let samples = samples.collect();
        self.cut = rest;
        samples
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn format(headers: &[(&str, &'static str)]) -> Result<RawSoundFormat, UnreadableSound> {
        RawSoundFormat::from_headers(|name| {
            headers.iter().find(|(header, _)| *header == name).map(|(_, value)| *value)
        })
    }

    #[test]
    fn sound_without_headers_has_the_usual_form() {
        let usual = format(&[]).unwrap();

        let samples = usual.reader().read(&[0x00, 0x40, 0x00, 0xc0, 0x01]);

        assert_eq!((samples, usual.rate_hz()), (vec![0.5, -0.5], 22_050));
    }

    #[test]
    fn channels_are_mixed() {
        let stereo = format(&[(CHANNELS_HEADER, "2"), (RATE_HEADER, "48000")]).unwrap();

        let samples = stereo.reader().read(&[0x00, 0x40, 0x00, 0x00]);

        assert_eq!((samples, stereo.rate_hz()), (vec![0.25], 48_000));
    }

    #[test]
    fn sound_may_be_cut_anywhere() {
        let bytes = [0x00, 0x40, 0x00, 0x00, 0x00, 0xc0, 0x00, 0xc0];
        let stereo = format(&[(CHANNELS_HEADER, "2")]).unwrap();
        for length in 1..=bytes.len() {
            let mut reader = stereo.reader();

            let samples: Vec<f32> = bytes.chunks(length).flat_map(|chunk| reader.read(chunk)).collect();

            assert_eq!(samples, [0.25, -0.5], "in chunks of {length} bytes");
        }
    }

    #[rstest]
    #[case::other_width(WIDTH_HEADER, "4")]
    #[case::no_number(RATE_HEADER, "fast")]
    #[case::no_rate(RATE_HEADER, "0")]
    #[case::no_channel(CHANNELS_HEADER, "0")]
    #[case::too_many_channels(CHANNELS_HEADER, "4000000000")]
    fn unknown_form_is_refused(#[case] name: &'static str, #[case] value: &'static str) {
        let refused = format(&[(name, value)]).unwrap_err();

        assert!(refused.to_string().contains(&format!("{name}: {value}")), "{refused}");
    }
}
