//! A file in place of a microphone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, SAMPLE_RATE_HZ};

use super::{Pace, read_wav};
use crate::resample::resample;
use crate::{AudioError, Capture, FrameSender, Microphone, Side, frame_queue};

/// Plays a WAV file as if it were spoken into a microphone, then silence, then ends.
#[derive(Debug, Clone)]
pub struct WavMicrophone {
    path: PathBuf,
    pace: Pace,
    silence_after: Duration,
}

impl WavMicrophone {
    /// The file at `path`, then `silence_after` of silence: recognisers need some to notice that speech ended.
    pub fn new(path: impl Into<PathBuf>, pace: Pace, silence_after: Duration) -> Self {
        Self { path: path.into(), pace, silence_after }
    }
}

impl Microphone for WavMicrophone {
    fn open(&self) -> Result<Capture, AudioError> {
        let (samples, rate_hz) = read_wav(&self.path)?;
        let mut samples = resample(samples, rate_hz, SAMPLE_RATE_HZ).map_err(|error| self.failed(error))?;
        let silence = (self.silence_after.as_secs_f64() * f64::from(SAMPLE_RATE_HZ)) as usize;
        let whole = (samples.len() + silence).div_ceil(FRAME_SAMPLES) * FRAME_SAMPLES;
        samples.resize(whole, 0.0);

        let (frames, receiver) = frame_queue();
        let pace = self.pace;
        // It ends by itself with the file, or with the first frame that nobody takes any more.
        std::thread::Builder::new()
            .name("sound file".into())
            .spawn(move || play(&samples, pace, &frames))
            .map_err(|error| self.failed(error))?;
        Ok(Capture::new(receiver, ()))
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }
}

impl WavMicrophone {
    fn failed(&self, error: impl std::error::Error + Send + Sync + 'static) -> AudioError {
        AudioError::Failed { side: Side::Microphone, device: self.name(), source: Arc::new(error) }
    }
}

fn play(samples: &[f32], pace: Pace, frames: &FrameSender) {
    let began = Instant::now();
    for (n, piece) in samples.chunks_exact(FRAME_SAMPLES).enumerate() {
        // Dated as a device would, so that pauses keep their length however fast the frames are taken.
        let captured_at = began + FRAME_DURATION * (n as u32 + 1);
        if pace == Pace::RealTime {
            std::thread::sleep(captured_at.saturating_duration_since(Instant::now()));
        }
        let mut frame = Frame::silence(captured_at);
        frame.samples.copy_from_slice(piece);
        let is_heard = match pace {
            Pace::RealTime => {
                frames.send(frame);
                frames.is_heard()
            }
            Pace::AsTaken => frames.send_when_taken(frame),
        };
        if !is_heard {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CaptureEvent, write_wav};

    #[test]
    fn a_file_of_any_rate_arrives_whole_as_frames_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tone.wav");
        write_wav(&path, &[0.5; 22_050], 22_050).unwrap();

        let mut capture =
            WavMicrophone::new(&path, Pace::AsTaken, Duration::from_millis(500)).open().unwrap();
        let frames: Vec<Frame> = std::iter::from_fn(|| match capture.frames.blocking_recv() {
            Some(CaptureEvent::Frame(frame)) => Some(frame),
            _ => None,
        })
        .collect();

        assert_eq!(frames.len(), 75);
        assert!((frames[25].samples[0] - 0.5).abs() < 0.01);
        assert_eq!(frames[74].samples, [0.0; FRAME_SAMPLES]);
        assert_eq!(frames[74].captured_at - frames[0].captured_at, FRAME_DURATION * 74);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error =
            WavMicrophone::new("/nowhere/question.wav", Pace::AsTaken, Duration::ZERO).open().err().unwrap();

        assert!(error.trouble().message.contains("/nowhere/question.wav"), "{error}");
    }

    #[test]
    fn a_file_that_is_no_sound_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.wav");
        std::fs::write(&path, "no sound at all").unwrap();

        assert!(matches!(read_wav(&path), Err(AudioError::FileUnreadable { .. })));
    }
}
