//! A speaker whose sounds end when the test says so.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use audio::{AudioError, Loudspeaker, PlayEnd, PlayHandle, PlayReporter, Playback};
use tokio::sync::watch;

/// Opens like a real one; a sound begins as soon as none sounds before it, and sounds until
/// [`end_of_sound`](Self::end_of_sound).
#[derive(Clone, Default)]
pub struct StagedLoudspeaker {
    stage: Arc<Mutex<Stage>>,
    seen: Arc<watch::Sender<Seen>>,
}

/// What can be seen of a [`StagedLoudspeaker`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// How often it was opened.
    pub opened: usize,
    /// Is it open now?
    pub is_open: bool,
    /// How long all sounds that were ever queued last, in their order.
    pub queued: Vec<Duration>,
    /// How many of them began.
    pub begun: usize,
    /// What the volume was last set to.
    pub volume: Option<f32>,
}

#[derive(Default)]
struct Stage {
    refusal: Option<AudioError>,
    sounds: VecDeque<PlayReporter>,
    has_begun: bool,
    loss: Option<Arc<AudioError>>,
}

impl StagedLoudspeaker {
    /// From now on it cannot be opened, or can again.
    pub fn refuse(&self, refusal: Option<AudioError>) {
        self.on_stage(|stage| stage.refusal = refusal);
    }

    /// The sound that sounds was heard to its end. False when none does.
    pub fn end_of_sound(&self) -> bool {
        self.on_stage(|stage| {
            let Some(sound) = stage.sounds.pop_front() else { return false };
            sound.ended(PlayEnd::Played { at: Instant::now() });
            stage.has_begun = false;
            self.begin(stage);
            true
        })
    }

    /// Its plug is pulled.
    pub fn unplug(&self, error: AudioError) {
        self.on_stage(|stage| {
            let error = Arc::new(error);
            for sound in stage.sounds.drain(..) {
                sound.ended(PlayEnd::Lost(error.clone()));
            }
            stage.has_begun = false;
            stage.loss = Some(error);
        });
    }

    /// What can be seen of it now.
    pub fn seen(&self) -> Seen {
        self.seen.borrow().clone()
    }

    /// Waits until what can be seen of it is so.
    pub async fn until(&self, is_so: impl FnMut(&Seen) -> bool) -> Seen {
        let mut seen = self.seen.subscribe();
        let seen = seen.wait_for(is_so).await.map(|seen| seen.clone());
        seen.unwrap_or_else(|_| self.seen())
    }

    /// The first sound begins, if it has not yet.
    fn begin(&self, stage: &mut Stage) {
        if let Some(sound) = stage.sounds.front()
            && !stage.has_begun
        {
            sound.started(Instant::now());
            stage.has_begun = true;
            self.seen.send_modify(|seen| seen.begun += 1);
        }
    }

    fn on_stage<T>(&self, change: impl FnOnce(&mut Stage) -> T) -> T {
        change(&mut self.stage.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Loudspeaker for StagedLoudspeaker {
    fn open(&self) -> Result<Box<dyn Playback>, AudioError> {
        if let Some(refusal) = self.on_stage(|stage| stage.refusal.clone()) {
            return Err(refusal);
        }
        self.on_stage(|stage| stage.loss = None);
        self.seen.send_modify(|seen| {
            seen.opened += 1;
            seen.is_open = true;
        });
        Ok(Box::new(StagedPlayback(self.clone())))
    }

    fn name(&self) -> String {
        "the staged speaker".into()
    }
}

struct StagedPlayback(StagedLoudspeaker);

impl Playback for StagedPlayback {
    fn play(&mut self, samples: Vec<f32>, rate_hz: u32) -> PlayHandle {
        let lasts = Duration::from_secs_f64(samples.len() as f64 / f64::from(rate_hz.max(1)));
        let (reporter, handle) = PlayHandle::new(lasts);
        self.0.seen.send_modify(|seen| seen.queued.push(lasts));
        self.0.on_stage(|stage| match &stage.loss {
            Some(loss) => reporter.ended(PlayEnd::Lost(loss.clone())),
            None => {
                stage.sounds.push_back(reporter);
                self.0.begin(stage);
            }
        });
        handle
    }

    fn stop(&mut self) {
        self.0.on_stage(|stage| {
            for sound in stage.sounds.drain(..) {
                sound.ended(PlayEnd::Stopped { at: Instant::now() });
            }
            stage.has_begun = false;
        });
    }

    fn set_volume(&mut self, volume: f32) {
        self.0.seen.send_modify(|seen| seen.volume = Some(volume));
    }
}

impl Drop for StagedPlayback {
    fn drop(&mut self) {
        self.stop();
        self.0.seen.send_modify(|seen| seen.is_open = false);
    }
}
