//! Samples as bytes.

use std::io::Cursor;

use assistant::VoiceSound;

/// 16-bit samples, little-endian.
pub(crate) fn pcm(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| level(*sample).to_le_bytes()).collect()
}

/// A WAV file of 16 bits.
pub(crate) fn wav(sound: &VoiceSound) -> Result<Vec<u8>, hound::Error> {
    wav_of_levels(sound.samples.iter().map(|sample| level(*sample)), sound.rate_hz)
}

/// A WAV file of mono samples of 16 bits.
pub(crate) fn wav_of_levels(
    levels: impl Iterator<Item = i16>,
    rate_hz: u32,
) -> Result<Vec<u8>, hound::Error> {
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: rate_hz,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut file = Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec)?;
    for level in levels {
        writer.write_sample(level)?;
    }
    writer.finalize()?;
    Ok(file.into_inner())
}

/// Samples of 16 bits as fractions of full scale.
pub(crate) fn samples(levels: &[i16]) -> Vec<f32> {
    levels.iter().map(|level| f32::from(*level) / f32::from(i16::MAX)).collect()
}

fn level(sample: f32) -> i16 {
    (sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_little_endian_and_clipped() {
        assert_eq!(pcm(&[0.0, 1.0, -2.0]), [0, 0, 0xff, 0x7f, 0x01, 0x80]);
    }

    #[test]
    fn wav_is_read_back() {
        let sound = VoiceSound { samples: vec![0.0, 0.5, -0.5], rate_hz: 22_050 };

        let mut reader = hound::WavReader::new(Cursor::new(wav(&sound).unwrap())).unwrap();

        assert_eq!(reader.spec().sample_rate, 22_050);
        assert_eq!(reader.samples::<i16>().map(Result::unwrap).collect::<Vec<_>>(), [0, 16_383, -16_383]);
    }
}
