//! Synthesises one piece of speech at a time.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vocabulary::{ReplyId, Trouble};

use super::messages::SpeechReport;
use crate::voices::Voices;
use crate::{Speech, TextToSpeech, VoiceError};

/// A sentence or a part of one, synthesised and played as one sound.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) reply: ReplyId,
    /// The text after clean-up for speech.
    pub(super) text: String,
    /// Cancelled by a stop.
    pub(super) epoch: CancellationToken,
    /// The speaker was lost before it was heard, so it is spoken again.
    pub(super) is_retry: bool,
}

/// A piece with its sound; `None` when synthesis failed or was stopped.
pub(super) struct SynthesisResult {
    pub(super) piece: Piece,
    pub(super) speech: Option<Speech>,
}

/// Synthesises with the voice of the settings. When that fails, it uses the voice of the system.
pub(super) struct Synthesizer {
    voices: Arc<dyn Voices>,
    /// The voice in the settings.
    voice_name: String,
    speed: f32,
    voice: Option<Arc<dyn TextToSpeech>>,
    /// The voice in the settings could not be loaded, so `voice` is that of the system.
    is_fallback: bool,
    work: Option<JoinHandle<WorkResult>>,
    /// The piece that `work` synthesises; `None` while it loads a voice.
    current: Option<Piece>,
    /// Stops the synthesis of that piece.
    stop: CancellationToken,
    /// The reported trouble of the voice.
    trouble: Option<Trouble>,
}

/// What the blocking thread returns.
enum WorkResult {
    Loaded { voice_name: String, voice: Result<Arc<dyn TextToSpeech>, VoiceError> },
    Spoken { speech: Option<Speech>, failure: Option<VoiceError> },
}

impl Synthesizer {
    pub(super) fn new(voices: Arc<dyn Voices>, voice_name: String, speed: f32) -> Self {
        Self {
            voices,
            voice_name,
            speed,
            voice: None,
            is_fallback: false,
            work: None,
            current: None,
            stop: CancellationToken::new(),
            trouble: None,
        }
    }

    /// Uses new settings. The voice changes after the current piece.
    pub(super) fn configure(&mut self, voice_name: &str, speed: f32) {
        self.speed = speed;
        if self.voice_name != voice_name {
            voice_name.clone_into(&mut self.voice_name);
            self.voice = None;
        }
    }

    /// Whether no work is running.
    pub(super) fn is_free(&self) -> bool {
        self.work.is_none()
    }

    pub(super) fn has_voice(&self) -> bool {
        self.voice.is_some()
    }

    /// Begins to load the voice of the settings.
    pub(super) fn load(&mut self) {
        let (voices, voice_name) = (self.voices.clone(), self.voice_name.clone());
        self.work = Some(tokio::task::spawn_blocking(move || {
            let voice = voices.load(&voice_name);
            if let Ok(voice) = &voice {
                // The first run of a network is slower than the later ones. An error appears again at the next text.
                let _ = voice.synthesise("Hello.", 1.0, &CancellationToken::new());
            }
            WorkResult::Loaded { voice_name, voice }
        }));
    }

    /// Begins to synthesise a piece.
    pub(super) fn begin(&mut self, piece: Piece) {
        let (voice, fallback) = (self.voice.clone(), self.voices.fallback());
        let (text, epoch, speed) = (piece.text.clone(), piece.epoch.child_token(), self.speed);
        self.stop = epoch.clone();
        self.current = Some(piece);
        self.work = Some(tokio::task::spawn_blocking(move || {
            let voice = voice.unwrap_or_else(|| fallback.clone());
            let (speech, failure) = match voice.synthesise(&text, speed, &epoch) {
                Ok(speech) => (Some(speech), None),
                Err(VoiceError::Stopped) => (None, None),
                Err(failure) => (fallback.synthesise(&text, speed, &epoch).ok(), Some(failure)),
            };
            WorkResult::Spoken { speech, failure }
        }));
    }

    /// Stops the current synthesis.
    pub(super) fn abandon(&mut self) {
        self.stop.cancel();
        self.current = None;
    }

    /// Waits for the running work, forever if there is none. Cancel-safe. Returns `None` when a voice was loaded.
    pub(super) async fn finished(&mut self, reports: &mut VecDeque<SpeechReport>) -> Option<SynthesisResult> {
        let Some(work) = &mut self.work else { return std::future::pending().await };
        let done = work.await;
        self.work = None;
        let piece = self.current.take();
        match done {
            Ok(WorkResult::Loaded { voice_name, voice }) => {
                self.accept_voice(&voice_name, voice, reports);
                None
            }
            Ok(WorkResult::Spoken { speech, failure }) => {
                match (&failure, &speech) {
                    (Some(failure), _) => self.report_failure(failure, reports),
                    (None, Some(_)) => self.report_recovery(reports),
                    (None, None) => {}
                }
                piece.map(|piece| SynthesisResult { piece, speech })
            }
            // A voice that panics must not end the queue.
            Err(panic) => {
                if piece.is_none() {
                    self.is_fallback = true;
                    self.voice = Some(self.voices.fallback());
                }
                self.report_failure(&VoiceError::Engine(panic.into()), reports);
                piece.map(|piece| SynthesisResult { piece, speech: None })
            }
        }
    }

    fn accept_voice(
        &mut self,
        voice_name: &str,
        voice: Result<Arc<dyn TextToSpeech>, VoiceError>,
        reports: &mut VecDeque<SpeechReport>,
    ) {
        // The settings changed while the voice was loaded: the new voice is loaded next.
        if voice_name != self.voice_name {
            return;
        }
        match voice {
            Ok(voice) => {
                tracing::info!(voice = %voice.name(), "the voice is ready");
                self.is_fallback = false;
                self.report_recovery(reports);
                self.voice = Some(voice);
            }
            Err(failure) => {
                self.report_failure(&failure, reports);
                self.is_fallback = true;
                self.voice = Some(self.voices.fallback());
            }
        }
    }

    /// Reports a failure, unless the same one was reported before.
    fn report_failure(&mut self, failure: &VoiceError, reports: &mut VecDeque<SpeechReport>) {
        let trouble = failure.trouble();
        if self.trouble.as_ref() != Some(&trouble) {
            tracing::warn!(%trouble, "the voice failed");
            reports.push_back(SpeechReport::Trouble(trouble.clone()));
            self.trouble = Some(trouble);
        }
    }

    /// Reports that the voice works again. The trouble of a voice that could not be loaded stays while the fallback is
    /// used.
    fn report_recovery(&mut self, reports: &mut VecDeque<SpeechReport>) {
        let is_working = !self.is_fallback;
        if let Some(trouble) = self.trouble.take_if(|_| is_working) {
            reports.push_back(SpeechReport::Recovered(trouble));
        }
    }
}
