//! A WAV file instead of a microphone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vocabulary::{FRAME_DURATION, FRAME_SAMPLES, Frame, SAMPLE_RATE_HZ};

use super::{Pace, read_wav};
use crate::resample::resample;
use crate::{AudioError, Capture, FrameSender, Microphone, Side, frame_queue};

/// Delivers the sound of a WAV file as frames, then silence, then ends.
#[derive(Debug, Clone)]
pub struct WavMicrophone {
    path: PathBuf,
    pace: Pace,
    silence_after: Duration,
}

impl WavMicrophone {
    /// The file at `path`, then `silence_after` of silence, which lets `hearing` notice the end of speech.
    pub fn new(path: impl Into<PathBuf>, pace: Pace, silence_after: Duration) -> Self {
        Self { path: path.into(), pace, silence_after }
    }
}

impl Microphone for WavMicrophone {
    fn open(&self) -> Result<Capture, AudioError> {
        let (samples, rate_hz) = read_wav(&self.path)?;
        let mut samples = resample(samples, rate_hz, SAMPLE_RATE_HZ).map_err(|error| self.failed(error))?;
        let silence = (self.silence_after.as_secs_f64() * f64::from(SAMPLE_RATE_HZ)) as usize;
        let length = (samples.len() + silence).div_ceil(FRAME_SAMPLES) * FRAME_SAMPLES;
        samples.resize(length, 0.0);

        let (frames, receiver) = frame_queue();
        let pace = self.pace;
        // The thread ends with the file, or when the receiver is dropped, so it needs no handle.
        std::thread::Builder::new()
            .name("sound file".into())
            .spawn(move || play(&samples, Instant::now(), pace, &frames))
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

fn play(samples: &[f32], started_at: Instant, pace: Pace, frames: &FrameSender) {
    for (n, chunk) in samples.chunks_exact(FRAME_SAMPLES).enumerate() {
        // The times are those of a device, so that pauses keep their length at any pace.
        let captured_at = started_at + FRAME_DURATION * (n as u32 + 1);
        if pace == Pace::RealTime {
            std::thread::sleep(captured_at.saturating_duration_since(Instant::now()));
        }
        let mut frame = Frame::silence(captured_at);
        frame.samples.copy_from_slice(chunk);
        // A recording waits for a slow reader: every machine hears all of it.
        if !frames.send_blocking(frame) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CaptureEvent, write_wav};

    #[test]
    fn file_of_any_rate_is_delivered_completely_as_frames() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tone.wav");
        write_wav(&path, &[0.5; 22_050], 22_050).unwrap();

        let mut capture =
            WavMicrophone::new(&path, Pace::Unlimited, Duration::from_millis(500)).open().unwrap();
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

    /// A busy machine reads later than the recording plays.
    #[test]
    fn reader_that_is_late_gets_every_frame() {
        let (sender, mut receiver) = frame_queue();
        let started_at = Instant::now().checked_sub(Duration::from_secs(10)).unwrap();
        let samples = vec![0.5; 200 * FRAME_SAMPLES];

        let playing = std::thread::spawn(move || play(&samples, started_at, Pace::RealTime, &sender));
        let has_stopped = || playing.is_finished() || receiver.len() == crate::frames::FRAME_QUEUE_LENGTH;
        while !has_stopped() {
            std::thread::yield_now();
        }
        let frames = std::iter::from_fn(|| receiver.blocking_recv()).count();

        assert_eq!((frames, receiver.dropped()), (200, 0));
    }

    #[test]
    fn error_for_a_missing_file_contains_its_path() {
        let error = WavMicrophone::new("/nowhere/question.wav", Pace::Unlimited, Duration::ZERO)
            .open()
            .err()
            .unwrap();

        assert!(error.trouble().message.contains("/nowhere/question.wav"), "{error}");
    }

    #[test]
    fn file_without_wav_content_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.wav");
        std::fs::write(&path, "no sound at all").unwrap();

        assert!(matches!(read_wav(&path), Err(AudioError::FileUnreadable { .. })));
    }
}
