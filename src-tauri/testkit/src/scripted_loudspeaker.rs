//! A fake loudspeaker whose sounds end when the test says so.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use audio::{AudioError, Loudspeaker, PlayEnd, PlayHandle, PlayReporter, Playback};
use parking_lot::Mutex;
use tokio::sync::watch;

/// A fake loudspeaker. Sounds play one after the other, each until [`finish_sound`](Self::finish_sound).
#[derive(Clone, Default)]
pub struct ScriptedLoudspeaker {
    script: Arc<Mutex<Script>>,
    seen: Arc<watch::Sender<LoudspeakerState>>,
}

/// The observable state of a [`ScriptedLoudspeaker`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoudspeakerState {
    /// Number of times it was opened.
    pub opened: usize,
    /// `true` if it is open.
    pub is_open: bool,
    /// Durations of all queued sounds, in order.
    pub queued: Vec<Duration>,
    /// Number of sounds that have started.
    pub started: usize,
    /// The last volume that was set.
    pub volume: Option<f32>,
}

#[derive(Default)]
struct Script {
    open_error: Option<AudioError>,
    sounds: VecDeque<PlayReporter>,
    has_started: bool,
    loss: Option<Arc<AudioError>>,
}

impl ScriptedLoudspeaker {
    /// Sets the error that opening returns; `None`: opening succeeds.
    pub fn refuse(&self, open_error: Option<AudioError>) {
        self.with_script(|script| script.open_error = open_error);
    }

    /// Ends the current sound. Returns `false` if no sound is playing.
    pub fn finish_sound(&self) -> bool {
        self.with_script(|script| {
            let Some(sound) = script.sounds.pop_front() else { return false };
            sound.ended(PlayEnd::Played { at: Instant::now() });
            script.has_started = false;
            self.start_next(script);
            true
        })
    }

    /// Simulates the removal of the device.
    pub fn unplug(&self, error: AudioError) {
        self.with_script(|script| {
            let error = Arc::new(error);
            for sound in script.sounds.drain(..) {
                sound.ended(PlayEnd::Lost(error.clone()));
            }
            script.has_started = false;
            script.loss = Some(error);
        });
    }

    /// The current state.
    pub fn seen(&self) -> LoudspeakerState {
        self.seen.borrow().clone()
    }

    /// Waits until the state meets the condition.
    pub async fn until(&self, is_so: impl FnMut(&LoudspeakerState) -> bool) -> LoudspeakerState {
        let mut seen = self.seen.subscribe();
        let seen = seen.wait_for(is_so).await.map(|seen| seen.clone());
        seen.unwrap_or_else(|_| self.seen())
    }

    /// Starts the first sound, if it has not started.
    fn start_next(&self, script: &mut Script) {
        if let Some(sound) = script.sounds.front()
            && !script.has_started
        {
            sound.started(Instant::now());
            script.has_started = true;
            self.seen.send_modify(|seen| seen.started += 1);
        }
    }

    fn with_script<T>(&self, change: impl FnOnce(&mut Script) -> T) -> T {
        change(&mut self.script.lock())
    }
}

impl Loudspeaker for ScriptedLoudspeaker {
    fn open(&self) -> Result<Box<dyn Playback>, AudioError> {
        if let Some(open_error) = self.with_script(|script| script.open_error.clone()) {
            return Err(open_error);
        }
        self.with_script(|script| script.loss = None);
        self.seen.send_modify(|seen| {
            seen.opened += 1;
            seen.is_open = true;
        });
        Ok(Box::new(ScriptedPlayback(self.clone())))
    }

    fn name(&self) -> String {
        "the scripted loudspeaker".into()
    }
}

struct ScriptedPlayback(ScriptedLoudspeaker);

impl Playback for ScriptedPlayback {
    fn play(&mut self, samples: Vec<f32>, rate_hz: u32) -> PlayHandle {
        let duration = Duration::from_secs_f64(samples.len() as f64 / f64::from(rate_hz.max(1)));
        let (reporter, handle) = PlayHandle::new(duration);
        self.0.seen.send_modify(|seen| seen.queued.push(duration));
        self.0.with_script(|script| match &script.loss {
            Some(loss) => reporter.ended(PlayEnd::Lost(loss.clone())),
            None => {
                script.sounds.push_back(reporter);
                self.0.start_next(script);
            }
        });
        handle
    }

    fn stop(&mut self) {
        self.0.with_script(|script| {
            for sound in script.sounds.drain(..) {
                sound.ended(PlayEnd::Stopped { at: Instant::now() });
            }
            script.has_started = false;
        });
    }

    fn set_volume(&mut self, volume: f32) {
        self.0.seen.send_modify(|seen| seen.volume = Some(volume));
    }
}

impl Drop for ScriptedPlayback {
    fn drop(&mut self) {
        self.stop();
        self.0.seen.send_modify(|seen| seen.is_open = false);
    }
}
