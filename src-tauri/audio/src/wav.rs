//! WAV files, and devices that read and write them.

use std::io::{BufWriter, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod microphone;
mod loudspeaker;

pub use loudspeaker::WavLoudspeaker;
pub use microphone::WavMicrophone;

use vocabulary::SAMPLE_RATE_HZ;

use crate::AudioError;
use crate::resample::resample;

/// The speed of a file that replaces a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Like a device: a second of sound takes a second.
    RealTime,
    /// As fast as the frames are received, or the sounds are queued.
    Unlimited,
}

/// Reads a WAV file of any format as mono samples, -1.0 to 1.0, with its rate in hertz.
///
/// # Errors
///
/// [`AudioError::FileUnreadable`] when the file does not exist or is not a WAV file.
pub fn read_wav(path: &Path) -> Result<(Vec<f32>, u32), AudioError> {
    let unreadable = |error| AudioError::FileUnreadable { path: path.to_owned(), source: Arc::new(error) };
    let reader = hound::WavReader::open(path).map_err(unreadable)?;
    mono_samples(reader).map_err(unreadable)
}

/// The rates of sound files, in hertz: from telephones to the fastest sound cards. A header may claim any other, and resampling
/// would then take memory without end.
const RATES_HZ: RangeInclusive<u32> = 4_000..=384_000;

/// Decodes a WAV file of any format to mono samples at [`SAMPLE_RATE_HZ`], -1.0 to 1.0.
///
/// # Errors
///
/// [`SoundUnreadable`] when it is not a WAV file, or a damaged one.
pub fn decode_speech(wav: &[u8]) -> Result<Vec<f32>, SoundUnreadable> {
    let unreadable = |error: &dyn std::error::Error| SoundUnreadable(error.to_string());
    let reader = hound::WavReader::new(wav).map_err(|error| unreadable(&error))?;
    let (samples, rate_hz) = mono_samples(reader).map_err(|error| unreadable(&error))?;
    resample(samples, rate_hz, SAMPLE_RATE_HZ).map_err(|error| unreadable(&error))
}

/// A whole sound at another rate. Neither rate may be 0.
///
/// # Errors
///
/// [`SoundUnreadable`] when the rates do not go together.
pub fn resampled(samples: Vec<f32>, from_hz: u32, to_hz: u32) -> Result<Vec<f32>, SoundUnreadable> {
    resample(samples, from_hz, to_hz).map_err(|error| SoundUnreadable(error.to_string()))
}

/// The bytes are not a WAV file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is no WAV file that can be read: {0}")]
pub struct SoundUnreadable(pub(crate) String);

fn mono_samples<R: Read>(mut reader: hound::WavReader<R>) -> Result<(Vec<f32>, u32), hound::Error> {
    let spec = reader.spec();
    if !RATES_HZ.contains(&spec.sample_rate) || spec.channels == 0 {
        return Err(hound::Error::FormatError("a rate that no sound has, or no channels"));
    }
    let all: Vec<f32> = match spec.sample_format {
        hound::SampleFormat::Float => reader.samples::<f32>().collect::<Result<_, _>>(),
        hound::SampleFormat::Int => {
            let full_scale = 2.0_f32.powi(i32::from(spec.bits_per_sample) - 1);
            reader.samples::<i32>().map(|s| s.map(|s| s as f32 / full_scale)).collect()
        }
    }?;
    let channels = usize::from(spec.channels);
    let mono = all
        .chunks_exact(channels)
        .map(|sample_of_each_channel| sample_of_each_channel.iter().sum::<f32>() / channels as f32);
    Ok((mono.collect(), spec.sample_rate))
}

/// Writes mono samples as a WAV file of 16 bits.
///
/// # Errors
///
/// [`AudioError::FileUnwritable`] when the folder does not exist, is not writable, or the disk is full.
pub fn write_wav(path: &Path, samples: &[f32], rate_hz: u32) -> Result<(), AudioError> {
    let mut file = WavFile::create(path, rate_hz)?;
    file.append(samples)
}

/// An open WAV file. It is valid after every [`append`](Self::append), even if the program ends then.
struct WavFile {
    path: PathBuf,
    writer: hound::WavWriter<BufWriter<std::fs::File>>,
}

impl WavFile {
    fn create(path: &Path, rate_hz: u32) -> Result<Self, AudioError> {
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: rate_hz,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        let create = || {
            let mut writer = hound::WavWriter::create(path, spec)?;
            writer.flush()?;
            Ok(writer)
        };
        let writer = create().map_err(|error| unwritable(path, error))?;
        Ok(Self { path: path.to_owned(), writer })
    }

    fn append(&mut self, samples: &[f32]) -> Result<(), AudioError> {
        let mut append = || {
            for sample in samples {
                self.writer.write_sample((sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16)?;
            }
            self.writer.flush()
        };
        append().map_err(|error| unwritable(&self.path, error))
    }
}

fn unwritable(path: &Path, error: hound::Error) -> AudioError {
    AudioError::FileUnwritable { path: path.to_owned(), source: Arc::new(error) }
}
