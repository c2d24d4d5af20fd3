//! A WAV file instead of a loudspeaker.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{Pace, WavFile};
use crate::resample::resample;
use crate::{AudioError, Loudspeaker, PlayEnd, PlayHandle, PlayReporter, Playback, Side};

/// The rate of the whole file: that of the better voices. Sounds with other rates are resampled.
const FILE_RATE_HZ: u32 = 24_000;

/// Writes all sounds to a WAV file, one after the other. Pauses without a queued sound are not in the file.
#[derive(Clone)]
pub struct WavLoudspeaker {
    path: PathBuf,
    pace: Pace,
    file: Arc<Mutex<WavFile>>,
}

impl WavLoudspeaker {
    /// Creates the file at once, so that a wrong path is reported before the first sound.
    ///
    /// # Errors
    ///
    /// [`AudioError::FileUnwritable`] when it cannot be created.
    pub fn create(path: impl Into<PathBuf>, pace: Pace) -> Result<Self, AudioError> {
        let path = path.into();
        let file = Arc::new(Mutex::new(WavFile::create(&path, FILE_RATE_HZ)?));
        Ok(Self { path, pace, file })
    }
}

impl Loudspeaker for WavLoudspeaker {
    fn open(&self) -> Result<Box<dyn Playback>, AudioError> {
        let (requests, receiver) = mpsc::channel();
        let (file, pace) = (self.file.clone(), self.pace);
        // The thread ends when `requests` is dropped, so it needs no handle.
        std::thread::Builder::new()
            .name("sound file".into())
            .spawn(move || run(&receiver, &file, pace))
            .map_err(|error| AudioError::Failed {
                side: Side::Loudspeaker,
                device: self.name(),
                source: Arc::new(error),
            })?;
        Ok(Box::new(WavPlayback { requests, volume: 1.0 }))
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }
}

struct WavPlayback {
    /// Unbounded: the caller queues a few sentences at most.
    requests: Sender<PlaybackRequest>,
    volume: f32,
}

enum PlaybackRequest {
    Play { samples: Vec<f32>, rate_hz: u32, reporter: PlayReporter },
    Stop,
}

impl Playback for WavPlayback {
    fn play(&mut self, mut samples: Vec<f32>, rate_hz: u32) -> PlayHandle {
        let rate_hz = rate_hz.max(1);
        let duration = Duration::from_secs_f64(samples.len() as f64 / f64::from(rate_hz));
        let (reporter, handle) = PlayHandle::new(duration);
        for sample in &mut samples {
            *sample *= self.volume;
        }
        // When the thread has ended, the reporter is dropped, and the handle ends as lost.
        let _ = self.requests.send(PlaybackRequest::Play { samples, rate_hz, reporter });
        handle
    }

    fn stop(&mut self) {
        let _ = self.requests.send(PlaybackRequest::Stop);
    }

    fn set_volume(&mut self, volume: f32) {
        self.volume = if volume.is_finite() { volume.clamp(0.0, 1.0) } else { 1.0 };
    }
}

/// A sound at the rate of the file.
struct WavSound {
    samples: Vec<f32>,
    reporter: PlayReporter,
}

impl WavSound {
    /// Writes the `played` part to the file and reports the end.
    fn end(self, file: &Mutex<WavFile>, played: Duration, end: PlayEnd) {
        let samples_played = (played.as_secs_f64() * f64::from(FILE_RATE_HZ)) as usize;
        let written = &self.samples[..samples_played.min(self.samples.len())];
        let appended = file.lock().append(written);
        self.reporter.ended(match appended {
            Ok(()) => end,
            Err(error) => PlayEnd::Lost(Arc::new(error)),
        });
    }

    fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.samples.len() as f64 / f64::from(FILE_RATE_HZ))
    }
}

fn run(requests: &Receiver<PlaybackRequest>, file: &Mutex<WavFile>, pace: Pace) {
    let mut queued: VecDeque<WavSound> = VecDeque::new();
    let mut playing: Option<(WavSound, Instant)> = None;
    // A sound starts exactly when the last one ended, even if this thread wakes later.
    let mut last_ended_at: Option<Instant> = None;
    loop {
        if playing.is_none()
            && let Some(sound) = queued.pop_front()
        {
            let started_at = last_ended_at.take().unwrap_or_else(Instant::now);
            sound.reporter.started(started_at);
            playing = Some((sound, started_at));
        }
        let ends_at = playing.as_ref().map(|(sound, started_at)| match pace {
            Pace::RealTime => *started_at + sound.duration(),
            Pace::Unlimited => *started_at,
        });
        match next_event(requests, ends_at) {
            RecorderEvent::Request(PlaybackRequest::Play { samples, rate_hz, reporter }) => {
                // Resampling fails only when a rate is 0, and none is.
                let samples = resample(samples, rate_hz, FILE_RATE_HZ).unwrap_or_default();
                if playing.is_none() && queued.is_empty() {
                    last_ended_at = None;
                }
                queued.push_back(WavSound { samples, reporter });
            }
            RecorderEvent::Request(PlaybackRequest::Stop) => {
                let at = Instant::now();
                last_ended_at = None;
                if let Some((sound, started_at)) = playing.take() {
                    sound.end(file, at.saturating_duration_since(started_at), PlayEnd::Stopped { at });
                }
                for sound in queued.drain(..) {
                    sound.reporter.ended(PlayEnd::Stopped { at });
                }
            }
            RecorderEvent::SoundEnded => {
                if let Some((sound, started_at)) = playing.take() {
                    let (duration, at) = (sound.duration(), ends_at.unwrap_or(started_at));
                    last_ended_at = Some(at);
                    sound.end(file, duration, PlayEnd::Played { at });
                }
            }
            RecorderEvent::Closed => return,
        }
    }
}

enum RecorderEvent {
    Request(PlaybackRequest),
    SoundEnded,
    Closed,
}

fn next_event(requests: &Receiver<PlaybackRequest>, sound_ends_at: Option<Instant>) -> RecorderEvent {
    let Some(ends_at) = sound_ends_at else {
        return requests.recv().map_or(RecorderEvent::Closed, RecorderEvent::Request);
    };
    match requests.recv_timeout(ends_at.saturating_duration_since(Instant::now())) {
        Ok(request) => RecorderEvent::Request(request),
        Err(RecvTimeoutError::Timeout) => RecorderEvent::SoundEnded,
        Err(RecvTimeoutError::Disconnected) => RecorderEvent::Closed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_wav;

    #[tokio::test]
    async fn played_sounds_are_in_the_file_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer.wav");
        let speaker = WavLoudspeaker::create(&path, Pace::Unlimited).unwrap();

        let mut playback = speaker.open().unwrap();
        playback.play(vec![0.5; 24_000], 24_000);
        playback.set_volume(0.5);
        let mut last = playback.play(vec![0.5; 8_000], 16_000);

        assert!(matches!(last.ended().await, PlayEnd::Played { .. }));
        let (samples, rate_hz) = read_wav(&path).unwrap();
        assert_eq!((samples.len(), rate_hz), (36_000, 24_000));
        assert!((samples[12_000] - 0.5).abs() < 0.01);
        assert!((samples[30_000] - 0.25).abs() < 0.01);
    }

    #[tokio::test]
    async fn stop_ends_the_playing_sound_and_drops_the_queue() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer.wav");
        let speaker = WavLoudspeaker::create(&path, Pace::RealTime).unwrap();

        let mut playback = speaker.open().unwrap();
        let mut long = playback.play(vec![0.5; 24_000 * 60], 24_000);
        let mut never = playback.play(vec![0.5; 24_000], 24_000);
        assert!(long.started().await.is_some());
        playback.stop();

        assert!(matches!(long.ended().await, PlayEnd::Stopped { .. }));
        assert!(matches!(never.ended().await, PlayEnd::Stopped { .. }));
        assert!(read_wav(&path).unwrap().0.len() < 24_000 * 30);
    }

    #[test]
    fn unwritable_file_is_reported_before_the_first_sound() {
        let refused = WavLoudspeaker::create("/nowhere/at/all/answer.wav", Pace::Unlimited).err().unwrap();

        assert!(matches!(refused, AudioError::FileUnwritable { .. }));
    }
}
