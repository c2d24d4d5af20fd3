//! Hearing of streams of sound that come from elsewhere than the microphone of this machine.

use std::sync::Arc;
use std::time::Instant;

use audio::{Framer, SoundUnreadable};
use hearing::{
    DecodeRequest, Earshot, EndpointModel, HearingConfig, HearingInputs, KeywordSpotter, PassTiming,
    SpeechToText, TranscribeError, Transcription,
};
use listening::ListeningConfig;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use vocabulary::{Frame, HearingEvent};

/// Most streams at a time. Source: twice the rooms of a house; each has a thread that waits for its turn at the recogniser.
const MAX_STREAMS: usize = 16;

/// Frames of a stream that wait for hearing, 1.3 s: then its sender waits.
const FRAMES: usize = 64;

/// Events of a stream that wait to be read. Hearing waits when it is full.
const EVENTS: usize = 64;

/// The reason why a stream is not heard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StreamRefused {
    /// As many streams are heard as may be.
    #[error("{MAX_STREAMS} streams of sound are heard already")]
    Busy,
    /// It is no sound that can be read.
    #[error(transparent)]
    Unreadable(#[from] SoundUnreadable),
    /// The assistant has no such name.
    #[error("the assistant does not answer to any of these names")]
    UnknownName,
}

/// The models of hearing: those of now, and those that the settings choose later.
#[derive(Clone)]
pub(crate) struct HearingModels {
    pub recogniser: watch::Receiver<Arc<dyn SpeechToText>>,
    pub keyword_spotter: watch::Receiver<Option<Arc<dyn KeywordSpotter>>>,
    pub endpoint_model: watch::Receiver<Option<Arc<dyn EndpointModel>>>,
}

/// Hears streams of sound, each with a hearing task of its own.
pub(crate) struct StreamHearing {
    recogniser: Arc<dyn SpeechToText>,
    keyword_spotter: watch::Receiver<Option<Arc<dyn KeywordSpotter>>>,
    endpoint_model: watch::Receiver<Option<Arc<dyn EndpointModel>>>,
    config: watch::Receiver<HearingConfig>,
    pub listening: watch::Receiver<ListeningConfig>,
    streams: Arc<Semaphore>,
    pub tasks: TaskTracker,
    stop: CancellationToken,
}

impl StreamHearing {
    /// Hears with these models and these settings, now and later.
    pub fn new(
        models: HearingModels,
        config: watch::Receiver<HearingConfig>,
        listening: watch::Receiver<ListeningConfig>,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        let HearingModels { recogniser, keyword_spotter, endpoint_model } = models;
        let recogniser = Arc::new(OneAtATime { recogniser, turn: Mutex::default() });
        let streams = Arc::new(Semaphore::new(MAX_STREAMS));
        Self { recogniser, keyword_spotter, endpoint_model, config, listening, streams, tasks, stop }
    }

    /// Opens a stream of sound at this rate. Read its events until they end: hearing waits for their reader. Words without
    /// the name are needed as `needs_all_words` says.
    ///
    /// # Errors
    ///
    /// [`StreamRefused`]; then nothing is heard.
    pub fn open(
        &self,
        rate_hz: u32,
        is_voice_playing: watch::Receiver<bool>,
        needs_all_words: watch::Receiver<bool>,
    ) -> Result<(SoundStream, mpsc::Receiver<HearingEvent>), StreamRefused> {
        let framer = Framer::new(rate_hz, Instant::now())?;
        let place = Arc::clone(&self.streams).try_acquire_owned().map_err(|_| StreamRefused::Busy)?;
        let (frames, frames_to_hear) = mpsc::channel(FRAMES);
        let (events, heard) = mpsc::channel(EVENTS);
        let stop = self.stop.child_token();
        let inputs = HearingInputs {
            frames: frames_to_hear,
            config: self.config.clone(),
            engine: watch::channel(Arc::clone(&self.recogniser)).1,
            keyword_spotter: self.keyword_spotter.clone(),
            needs_all_words,
            endpoint_model: self.endpoint_model.clone(),
            is_voice_playing,
            // There is no talk key at the other end.
            orders: mpsc::channel(1).1,
            activity: Box::new(Earshot::new()),
            timing: PassTiming::Live,
            events,
        };
        self.tasks.spawn(hear(inputs, stop.clone(), place));
        Ok((SoundStream { framer, frames: Some(frames), _stop: stop.drop_guard() }, heard))
    }
}

/// Hears a stream, and keeps its place until its thread has ended.
async fn hear(inputs: HearingInputs, stop: CancellationToken, place: OwnedSemaphorePermit) {
    hearing::run(inputs, stop).await;
    drop(place);
}

/// A stream of sound that is heard. Dropping it ends that at once.
pub(crate) struct SoundStream {
    framer: Framer,
    /// `None` after its end.
    frames: Option<mpsc::Sender<Frame>>,
    _stop: DropGuard,
}

impl SoundStream {
    /// The time of its first sample, from which the times of its events count.
    pub fn started_at(&self) -> Instant {
        self.framer.started_at()
    }

    /// Adds mono samples. Waits while hearing is behind.
    pub async fn push(&mut self, samples: &[f32]) {
        let frames = self.framer.push(samples);
        self.send(frames).await;
    }

    /// Adds mono samples of this rate that were captured just now. Waits while hearing is behind.
    ///
    /// # Errors
    ///
    /// [`StreamRefused::Unreadable`] when the rate is none of sound.
    pub async fn push_live(&mut self, samples: &[f32], rate_hz: u32) -> Result<(), StreamRefused> {
        self.framer.set_rate(rate_hz)?;
        let frames = self.framer.push_live(samples, Instant::now());
        self.send(frames).await;
        Ok(())
    }

    async fn send(&mut self, frames: Vec<Frame>) {
        let Some(hearing) = &self.frames else { return };
        for frame in frames {
            if hearing.send(frame).await.is_err() {
                return;
            }
        }
    }

    /// No more sound follows. The events end when all of it is decoded.
    pub fn finish(&mut self) {
        self.frames = None;
    }
}

/// The recogniser of the settings, for one stream at a time: the microphone waits for one pass at most.
struct OneAtATime {
    recogniser: watch::Receiver<Arc<dyn SpeechToText>>,
    turn: Mutex<()>,
}

impl OneAtATime {
    fn recogniser(&self) -> Arc<dyn SpeechToText> {
        Arc::clone(&self.recogniser.borrow())
    }
}

impl SpeechToText for OneAtATime {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        self.recogniser().warm_up()
    }

    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        let _turn = self.turn.lock();
        if stop.is_cancelled() {
            return Err(TranscribeError::Stopped);
        }
        self.recogniser().transcribe(samples, request, stop)
    }
}
