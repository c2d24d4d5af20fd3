//! The voice in use, and the piece it is making.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vocabulary::{ReplyId, Trouble};

use super::messages::SpeechNews;
use crate::voices::Voices;
use crate::{Speech, TextToSpeech, VoiceError};

/// Something to say in one go.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) reply: ReplyId,
    /// Fit to be spoken.
    pub(super) text: String,
    /// Cancelled when we fall silent.
    pub(super) epoch: CancellationToken,
    /// The speaker was lost while it sounded: it is tried once more.
    pub(super) is_second_try: bool,
}

/// A piece with its sound; none where it could not be made.
pub(super) struct Made {
    pub(super) piece: Piece,
    pub(super) speech: Option<Speech>,
}

/// Makes one piece at a time, with the voice of the settings or, where that fails, with the system's.
pub(super) struct Synthesizer {
    voices: Arc<dyn Voices>,
    /// What the settings ask for.
    wanted: String,
    speed: f32,
    voice: Option<Arc<dyn TextToSpeech>>,
    /// The wanted voice could not be loaded, so `voice` is the system's.
    stands_in: bool,
    work: Option<JoinHandle<Work>>,
    /// The piece that `work` makes; none while it loads a voice.
    making: Option<Piece>,
    /// Ends the work on that piece alone.
    stop: CancellationToken,
    /// What is wrong with the wanted voice, once it was told.
    trouble: Option<Trouble>,
}

/// What the thread brings back.
enum Work {
    Loaded { wanted: String, voice: Result<Arc<dyn TextToSpeech>, VoiceError> },
    Spoken { speech: Option<Speech>, failure: Option<VoiceError> },
}

impl Synthesizer {
    pub(super) fn new(voices: Arc<dyn Voices>, wanted: String, speed: f32) -> Self {
        Self {
            voices,
            wanted,
            speed,
            voice: None,
            stands_in: false,
            work: None,
            making: None,
            stop: CancellationToken::new(),
            trouble: None,
        }
    }

    /// Other settings: the voice changes once the piece under way is made.
    pub(super) fn configure(&mut self, wanted: &str, speed: f32) {
        self.speed = speed;
        if self.wanted != wanted {
            wanted.clone_into(&mut self.wanted);
            self.voice = None;
        }
    }

    /// Can it begin something now?
    pub(super) fn is_free(&self) -> bool {
        self.work.is_none()
    }

    pub(super) fn has_a_voice(&self) -> bool {
        self.voice.is_some()
    }

    /// Begins to make the wanted voice ready.
    pub(super) fn load(&mut self) {
        let (voices, wanted) = (self.voices.clone(), self.wanted.clone());
        self.work = Some(tokio::task::spawn_blocking(move || {
            let voice = voices.load(&wanted);
            if let Ok(voice) = &voice {
                // The first run of a network takes longer than the later ones. What it cannot do shows soon enough.
                let _ = voice.synthesise("Hello.", 1.0, &CancellationToken::new());
            }
            Work::Loaded { wanted, voice }
        }));
    }

    /// Begins to make a piece.
    pub(super) fn make(&mut self, piece: Piece) {
        let (voice, fallback) = (self.voice.clone(), self.voices.fallback());
        let (text, epoch, speed) = (piece.text.clone(), piece.epoch.child_token(), self.speed);
        self.stop = epoch.clone();
        self.making = Some(piece);
        self.work = Some(tokio::task::spawn_blocking(move || {
            let voice = voice.unwrap_or_else(|| fallback.clone());
            let (speech, failure) = match voice.synthesise(&text, speed, &epoch) {
                Ok(speech) => (Some(speech), None),
                Err(VoiceError::Stopped) => (None, None),
                Err(failure) => (fallback.synthesise(&text, speed, &epoch).ok(), Some(failure)),
            };
            Work::Spoken { speech, failure }
        }));
    }

    /// The piece under way is not wanted any more.
    pub(super) fn give_up(&mut self) {
        self.stop.cancel();
        self.making = None;
    }

    /// Waits for the work under way, for ever if there is none. Cancel-safe. `None` when a voice was loaded.
    pub(super) async fn finished(&mut self, news: &mut VecDeque<SpeechNews>) -> Option<Made> {
        let Some(work) = &mut self.work else { return std::future::pending().await };
        let done = work.await;
        self.work = None;
        let piece = self.making.take();
        match done {
            Ok(Work::Loaded { wanted, voice }) => {
                self.take_voice(&wanted, voice, news);
                None
            }
            Ok(Work::Spoken { speech, failure }) => {
                match (&failure, &speech) {
                    (Some(failure), _) => self.complain(failure, news),
                    (None, Some(_)) => self.recover(news),
                    (None, None) => {}
                }
                piece.map(|piece| Made { piece, speech })
            }
            // A voice that panics must not take the queue with it.
            Err(panic) => {
                if piece.is_none() {
                    self.stands_in = true;
                    self.voice = Some(self.voices.fallback());
                }
                self.complain(&VoiceError::Engine(panic.into()), news);
                piece.map(|piece| Made { piece, speech: None })
            }
        }
    }

    fn take_voice(
        &mut self,
        wanted: &str,
        voice: Result<Arc<dyn TextToSpeech>, VoiceError>,
        news: &mut VecDeque<SpeechNews>,
    ) {
        // The settings may have changed while it was being loaded: then it is loaded again.
        if wanted != self.wanted {
            return;
        }
        match voice {
            Ok(voice) => {
                tracing::info!(voice = %voice.name(), "the voice is ready");
                self.stands_in = false;
                self.recover(news);
                self.voice = Some(voice);
            }
            Err(failure) => {
                self.complain(&failure, news);
                self.stands_in = true;
                self.voice = Some(self.voices.fallback());
            }
        }
    }

    /// Tells of a failure, once until it changes.
    fn complain(&mut self, failure: &VoiceError, news: &mut VecDeque<SpeechNews>) {
        let trouble = failure.trouble();
        if self.trouble.as_ref() != Some(&trouble) {
            tracing::warn!(%trouble, "the voice failed");
            news.push_back(SpeechNews::Trouble(trouble.clone()));
            self.trouble = Some(trouble);
        }
    }

    /// The wanted voice works. A voice that could not be loaded is not in use, so its trouble stays until it is.
    fn recover(&mut self, news: &mut VecDeque<SpeechNews>) {
        let works = !self.stands_in;
        if let Some(trouble) = self.trouble.take_if(|_| works) {
            news.push_back(SpeechNews::Recovered(trouble));
        }
    }
}
