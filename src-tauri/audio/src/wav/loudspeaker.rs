//! A file in place of a loudspeaker.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Pace, WavFile};
use crate::resample::resample;
use crate::{AudioError, Loudspeaker, PlayEnd, PlayHandle, PlayReporter, Playback, Side};

/// One rate for the whole file, whatever rates the sounds have: that of the better voices.
const FILE_RATE_HZ: u32 = 24_000;

/// Collects what is played in a WAV file, sound after sound; pauses in which nothing was queued are not in it.
#[derive(Clone)]
pub struct WavLoudspeaker {
    path: PathBuf,
    pace: Pace,
    file: Arc<Mutex<WavFile>>,
}

impl WavLoudspeaker {
    /// Creates the file, so that a bad path is known before anybody speaks.
    ///
    /// # Errors
    ///
    /// [`AudioError::FileUnwritable`].
    pub fn create(path: impl Into<PathBuf>, pace: Pace) -> Result<Self, AudioError> {
        let path = path.into();
        let file = Arc::new(Mutex::new(WavFile::create(&path, FILE_RATE_HZ)?));
        Ok(Self { path, pace, file })
    }
}

impl Loudspeaker for WavLoudspeaker {
    fn open(&self) -> Result<Box<dyn Playback>, AudioError> {
        let (orders, taken) = mpsc::channel();
        let (file, pace) = (self.file.clone(), self.pace);
        // It ends by itself when `orders` is dropped; nobody has to wait for it.
        std::thread::Builder::new()
            .name("sound file".into())
            .spawn(move || run(&taken, &file, pace))
            .map_err(|error| AudioError::Failed {
                side: Side::Loudspeaker,
                device: self.name(),
                source: Arc::new(error),
            })?;
        Ok(Box::new(WavPlayback { orders, volume: 1.0 }))
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }
}

struct WavPlayback {
    /// Unbounded, but each order is one sentence that somebody awaits.
    orders: Sender<Order>,
    volume: f32,
}

enum Order {
    Play { samples: Vec<f32>, rate_hz: u32, reporter: PlayReporter },
    FallSilent,
}

impl Playback for WavPlayback {
    fn play(&mut self, mut samples: Vec<f32>, rate_hz: u32) -> PlayHandle {
        let rate_hz = rate_hz.max(1);
        let lasts = Duration::from_secs_f64(samples.len() as f64 / f64::from(rate_hz));
        let (reporter, handle) = PlayHandle::new(lasts);
        for sample in &mut samples {
            *sample *= self.volume;
        }
        // When the thread is gone the reporter is dropped, and the handle ends as lost.
        let _ = self.orders.send(Order::Play { samples, rate_hz, reporter });
        handle
    }

    fn fall_silent(&mut self) {
        let _ = self.orders.send(Order::FallSilent);
    }

    fn set_volume(&mut self, volume: f32) {
        self.volume = if volume.is_finite() { volume.clamp(0.0, 1.0) } else { 1.0 };
    }
}

/// A sound at the file's rate, and who awaits it.
struct Sound {
    samples: Vec<f32>,
    reporter: PlayReporter,
}

impl Sound {
    /// Writes what was heard of it until `heard`, and tells how it ended.
    fn end(self, file: &Mutex<WavFile>, heard: Duration, end: PlayEnd) {
        let samples_heard = (heard.as_secs_f64() * f64::from(FILE_RATE_HZ)) as usize;
        let written = &self.samples[..samples_heard.min(self.samples.len())];
        let appended = file.lock().unwrap_or_else(PoisonError::into_inner).append(written);
        self.reporter.ended(match appended {
            Ok(()) => end,
            Err(error) => PlayEnd::Lost(Arc::new(error)),
        });
    }

    fn lasts(&self) -> Duration {
        Duration::from_secs_f64(self.samples.len() as f64 / f64::from(FILE_RATE_HZ))
    }
}

fn run(orders: &Receiver<Order>, file: &Mutex<WavFile>, pace: Pace) {
    let mut waiting: VecDeque<Sound> = VecDeque::new();
    let mut sounding: Option<(Sound, Instant)> = None;
    // Sounds that follow each other begin exactly where the last ended, not when this thread woke.
    let mut silent_since: Option<Instant> = None;
    loop {
        if sounding.is_none()
            && let Some(sound) = waiting.pop_front()
        {
            let began = silent_since.take().unwrap_or_else(Instant::now);
            sound.reporter.started(began);
            sounding = Some((sound, began));
        }
        let ends_at = sounding.as_ref().map(|(sound, began)| match pace {
            Pace::RealTime => *began + sound.lasts(),
            Pace::AsTaken => *began,
        });
        match next_order(orders, ends_at) {
            Next::Ordered(Order::Play { samples, rate_hz, reporter }) => {
                // The rates are never 0, which is all that can be wrong with them.
                let samples = resample(samples, rate_hz, FILE_RATE_HZ).unwrap_or_default();
                if sounding.is_none() && waiting.is_empty() {
                    silent_since = None;
                }
                waiting.push_back(Sound { samples, reporter });
            }
            Next::Ordered(Order::FallSilent) => {
                let at = Instant::now();
                silent_since = None;
                if let Some((sound, began)) = sounding.take() {
                    sound.end(file, at.saturating_duration_since(began), PlayEnd::Silenced { at });
                }
                for sound in waiting.drain(..) {
                    sound.reporter.ended(PlayEnd::Silenced { at });
                }
            }
            Next::SoundIsOver => {
                if let Some((sound, began)) = sounding.take() {
                    let (lasts, at) = (sound.lasts(), ends_at.unwrap_or(began));
                    silent_since = Some(at);
                    sound.end(file, lasts, PlayEnd::Played { at });
                }
            }
            Next::Closed => return,
        }
    }
}

enum Next {
    Ordered(Order),
    SoundIsOver,
    Closed,
}

fn next_order(orders: &Receiver<Order>, sound_ends_at: Option<Instant>) -> Next {
    let Some(ends_at) = sound_ends_at else {
        return orders.recv().map_or(Next::Closed, Next::Ordered);
    };
    match orders.recv_timeout(ends_at.saturating_duration_since(Instant::now())) {
        Ok(order) => Next::Ordered(order),
        Err(RecvTimeoutError::Timeout) => Next::SoundIsOver,
        Err(RecvTimeoutError::Disconnected) => Next::Closed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_wav;

    #[tokio::test]
    async fn everything_played_is_in_the_file_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer.wav");
        let speaker = WavLoudspeaker::create(&path, Pace::AsTaken).unwrap();

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
    async fn falling_silent_cuts_the_sound_under_way_and_drops_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer.wav");
        let speaker = WavLoudspeaker::create(&path, Pace::RealTime).unwrap();

        let mut playback = speaker.open().unwrap();
        let mut long = playback.play(vec![0.5; 24_000 * 60], 24_000);
        let mut never = playback.play(vec![0.5; 24_000], 24_000);
        assert!(long.started().await.is_some());
        playback.fall_silent();

        assert!(matches!(long.ended().await, PlayEnd::Silenced { .. }));
        assert!(matches!(never.ended().await, PlayEnd::Silenced { .. }));
        assert!(read_wav(&path).unwrap().0.len() < 24_000 * 30);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_known_before_anybody_speaks() {
        let refused = WavLoudspeaker::create("/nowhere/at/all/answer.wav", Pace::AsTaken).err().unwrap();

        assert!(matches!(refused, AudioError::FileUnwritable { .. }));
    }
}
