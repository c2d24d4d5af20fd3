//! Reads WAV from a pipe. Programs do not know its length when they write the header, so the header may be wrong.

use crate::Speech;

/// Reads samples of 16 bits up to the end of the data, and mixes the channels. `None` when `bytes` is no such WAV.
pub(crate) fn read_wav_stream(bytes: &[u8]) -> Option<Speech> {
    let chunks = bytes.strip_prefix(b"RIFF").and_then(|rest| rest.get(4..))?.strip_prefix(b"WAVE")?;
    let format = chunk(chunks, b"fmt ")?;
    let number = |at: usize| Some(u16::from_le_bytes(format.get(at..at + 2)?.try_into().ok()?));
    let (channels, bits) = (usize::from(number(2)?), number(14)?);
    let rate_hz = u32::from_le_bytes(format.get(4..8)?.try_into().ok()?);
    if channels == 0 || bits != 16 || rate_hz == 0 {
        return None;
    }
    let groups = chunk(chunks, b"data")?.chunks_exact(2 * channels);
    let samples = groups.map(|group| {
        let sum: f32 = group.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]]))).sum();
        sum / channels as f32 / 32_768.0
    });
    Some(Speech { samples: samples.collect(), rate_hz })
}

/// The content of the chunk with this name, as far as it is present.
fn chunk<'a>(mut chunks: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    loop {
        let chunk_name = chunks.get(..4)?;
        let length = u32::from_le_bytes(chunks.get(4..8)?.try_into().ok()?) as usize;
        let content = chunks.get(8..)?;
        if chunk_name == name {
            return Some(&content[..length.min(content.len())]);
        }
        // Chunks start at even positions.
        chunks = content.get(length.checked_add(length % 2)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wav(length: u32, samples: &[i16]) -> Vec<u8> {
        let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
        bytes.extend(22_050_u32.to_le_bytes());
        bytes.extend(44_100_u32.to_le_bytes());
        bytes.extend(b"\x02\0\x10\0LIST\x03\0\0\0abc\0data");
        bytes.extend(length.to_le_bytes());
        bytes.extend(samples.iter().flat_map(|s| s.to_le_bytes()));
        bytes
    }

    #[test]
    fn length_beyond_the_end_reads_all_present_samples() {
        let speech = read_wav_stream(&wav(0x7fff_f000, &[16_384, -16_384])).unwrap();

        assert_eq!((speech.samples, speech.rate_hz), (vec![0.5, -0.5], 22_050));
    }

    #[test]
    fn correct_length_ends_the_samples() {
        assert_eq!(read_wav_stream(&wav(2, &[16_384, 7])).unwrap().samples, [0.5]);
    }

    #[test]
    fn bytes_that_are_no_wav_give_none() {
        assert_eq!(read_wav_stream(b"mbrola not found"), None);
        assert_eq!(read_wav_stream(b""), None);
        assert_eq!(read_wav_stream(&wav(4, &[1, 2])[..30]), None);
    }
}
