//! Synthesises one piece of speech at a time.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, ReplyId, Trouble};

use super::messages::{SpeechReport, Unheard};
use crate::clauses::PAUSE_AFTER_SENTENCE;
use crate::trim::prepend_silence;
use crate::voices::Voices;
use crate::{Speech, TextToSpeech, VoiceError};

/// A sentence or a part of one, synthesised and played as one sound.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) reply: ReplyId,
    /// The text after clean-up for speech; empty for a sound without words.
    pub(super) text: String,
    /// The sound of a piece without words.
    pub(super) sound: Option<Speech>,
    /// Its language, if known.
    pub(super) language: Option<Language>,
    /// Cancelled by a stop.
    pub(super) epoch: CancellationToken,
    /// The speaker was lost before it was heard, so it is spoken again.
    pub(super) is_retry: bool,
}

/// A piece with its sound, or the next part of it.
pub(super) struct SynthesisResult {
    pub(super) piece: Piece,
    /// `None` when synthesis failed or was stopped.
    pub(super) speech: Option<Speech>,
    /// Nothing more of the piece follows.
    pub(super) is_last: bool,
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
    /// The voice of the last piece in another language than that of `voice`.
    other_voice: Option<Arc<dyn TextToSpeech>>,
    /// Languages without an installed voice that were reported.
    reported_languages: HashSet<Language>,
    work: Option<JoinHandle<WorkResult>>,
    /// The piece that `work` synthesises; `None` while it loads a voice.
    current: Option<Piece>,
    /// The first parts of its sound, from a voice that sends them before the rest is made.
    early: mpsc::UnboundedReceiver<Speech>,
    /// Some of these parts were passed on.
    has_begun: bool,
    /// Stops the synthesis of that piece.
    stop: CancellationToken,
    /// The reported trouble of the voice.
    trouble: Option<Trouble>,
    /// The reason why the newest piece has no sound.
    unheard: Option<Unheard>,
}

/// The result of the blocking thread.
enum WorkResult {
    Loaded {
        voice_name: String,
        voice: Result<Arc<dyn TextToSpeech>, VoiceError>,
        /// The voice was loaded but cannot speak, for example because a program that it needs is not installed.
        failure: Option<VoiceError>,
    },
    Spoken {
        speech: Option<Speech>,
        failure: Option<VoiceError>,
        /// The voice for the language of the piece, if it is not that of the settings.
        other_voice: Option<OtherVoice>,
    },
}

/// The voice for a piece in another language than that of the voice in the settings.
enum OtherVoice {
    Installed(Arc<dyn TextToSpeech>),
    /// Only the system speaks this language.
    Missing(Language),
}

impl Synthesizer {
    pub(super) fn new(voices: Arc<dyn Voices>, voice_name: String, speed: f32) -> Self {
        Self {
            voices,
            voice_name,
            speed,
            voice: None,
            is_fallback: false,
            other_voice: None,
            reported_languages: HashSet::new(),
            work: None,
            current: None,
            early: mpsc::unbounded_channel().1,
            has_begun: false,
            stop: CancellationToken::new(),
            trouble: None,
            unheard: None,
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

    /// Returns `true` if no work is running.
    pub(super) fn is_free(&self) -> bool {
        self.work.is_none()
    }

    /// Returns `true` if no piece is being synthesised; a voice may be loading.
    pub(super) fn is_idle(&self) -> bool {
        self.current.is_none()
    }

    /// The reason why the newest piece has no sound, if a voice failed.
    pub(super) fn unheard(&self) -> Option<Unheard> {
        self.unheard
    }

    pub(super) fn has_voice(&self) -> bool {
        self.voice.is_some()
    }

    /// The language of the loaded voice; `None` while there is none, or when it speaks every language.
    pub(super) fn language(&self) -> Option<Language> {
        self.voice.as_ref().and_then(|voice| voice.language())
    }

    /// Begins to load the voice of the settings.
    pub(super) fn load(&mut self) {
        let (voices, voice_name) = (self.voices.clone(), self.voice_name.clone());
        self.work = Some(tokio::task::spawn_blocking(move || {
            let voice = voices.load(&voice_name);
            // The first run of a network is slower than the later ones, and the user learns at the start what is missing.
            let first_run =
                voice.as_ref().ok().map(|voice| voice.synthesise("Hello.", 1.0, &CancellationToken::new()));
            let failure = first_run.and_then(Result::err);
            WorkResult::Loaded { voice_name, voice, failure }
        }));
    }

    /// Begins to synthesise a piece, with a voice of its language.
    pub(super) fn begin(&mut self, piece: Piece) {
        let (voices, voice, loaded) = (self.voices.clone(), self.voice.clone(), self.other_voice.clone());
        let other_language = piece.language.clone().filter(|language| !speaks(voice.as_ref(), language));
        let fallback = voices.fallback(piece.language.as_ref());
        let (text, epoch, speed) = (piece.text.clone(), piece.epoch.child_token(), self.speed);
        // Unbounded, because a voice limits the sound of one text.
        let (parts, early) = mpsc::unbounded_channel();
        self.early = early;
        self.has_begun = false;
        self.stop = epoch.clone();
        self.current = Some(piece);
        self.work = Some(tokio::task::spawn_blocking(move || {
            let other_voice =
                other_language.map(|language| voice_for(language, loaded, &*voices)).transpose();
            let (voice, other_voice) = match other_voice {
                Ok(None) => (Ok(voice.unwrap_or_else(|| fallback.clone())), None),
                Ok(Some(OtherVoice::Installed(other))) => {
                    (Ok(other.clone()), Some(OtherVoice::Installed(other)))
                }
                Ok(Some(missing)) => (Ok(fallback.clone()), Some(missing)),
                Err(failure) => (Err(failure), None),
            };
            let mut pass_on = |part| {
                // Without a receiver the piece was abandoned, and `epoch` is cancelled.
                let _ = parts.send(part);
            };
            let spoken = voice.and_then(|voice| voice.synthesise_early(&text, speed, &epoch, &mut pass_on));
            let (speech, failure) = match spoken {
                Ok(speech) => (Some(speech), None),
                Err(VoiceError::Stopped) => (None, None),
                Err(failure) => (fallback.synthesise(&text, speed, &epoch).ok(), Some(failure)),
            };
            WorkResult::Spoken { speech, failure, other_voice }
        }));
    }

    /// Stops the current synthesis.
    pub(super) fn abandon(&mut self) {
        self.stop.cancel();
        self.current = None;
    }

    /// Waits for the running work, forever if there is none, or with `takes_parts` for the next part of its sound.
    /// Cancel-safe. Returns `None` when a voice was loaded.
    pub(super) async fn finished(
        &mut self,
        takes_parts: bool,
        reports: &mut VecDeque<SpeechReport>,
    ) -> Option<SynthesisResult> {
        let Some(work) = &mut self.work else { return std::future::pending().await };
        let done = tokio::select! {
            biased; // The parts come before the rest.
            Some(part) = self.early.recv(), if takes_parts => {
                let piece = self.current.clone()?;
                self.has_begun = true;
                return Some(SynthesisResult { piece, speech: Some(part), is_last: false });
            }
            done = work => done,
        };
        self.work = None;
        let piece = self.current.take();
        match done {
            Ok(WorkResult::Loaded { voice_name, voice, failure }) => {
                self.accept_voice(&voice_name, voice, failure, reports);
                None
            }
            Ok(WorkResult::Spoken { speech, failure, other_voice }) => {
                match other_voice {
                    Some(OtherVoice::Installed(voice)) => self.other_voice = Some(voice),
                    Some(OtherVoice::Missing(language)) => self.report_missing(language, reports),
                    None => {}
                }
                let speech = self.accept_sound(speech, failure.as_ref(), reports);
                piece.map(|piece| SynthesisResult { piece, speech, is_last: true })
            }
            // A voice that panics must not end the queue.
            Err(panic) => {
                if piece.is_none() {
                    self.is_fallback = true;
                    self.voice = Some(self.voices.fallback(None));
                }
                self.report_failure(&VoiceError::Engine(panic.into()), reports);
                self.unheard = Some(Unheard::NoVoice);
                piece.map(|piece| SynthesisResult { piece, speech: None, is_last: true })
            }
        }
    }

    /// Notes how a piece went. Returns its sound, as far as it was not passed on before.
    fn accept_sound(
        &mut self,
        speech: Option<Speech>,
        failure: Option<&VoiceError>,
        reports: &mut VecDeque<SpeechReport>,
    ) -> Option<Speech> {
        self.unheard = failure.filter(|_| speech.is_none()).map(|failure| match failure {
            VoiceError::QuotaExceeded { .. } => Unheard::QuotaExceeded,
            _ => Unheard::NoVoice,
        });
        match failure {
            // The whole text was spoken anew.
            Some(failure) => {
                self.report_failure(failure, reports);
                let mut speech = speech.filter(|speech| !speech.samples.is_empty())?;
                if self.has_begun {
                    prepend_silence(&mut speech, PAUSE_AFTER_SENTENCE);
                }
                Some(speech)
            }
            None => {
                let rest = speech?;
                self.report_recovery(reports);
                Some(self.with_parts_before(rest))
            }
        }
    }

    /// The rest of a sound behind the parts that nobody took.
    fn with_parts_before(&mut self, rest: Speech) -> Speech {
        let mut samples = Vec::new();
        while let Ok(part) = self.early.try_recv() {
            samples.extend(part.samples);
        }
        samples.extend(rest.samples);
        Speech { samples, rate_hz: rest.rate_hz }
    }

    fn accept_voice(
        &mut self,
        voice_name: &str,
        voice: Result<Arc<dyn TextToSpeech>, VoiceError>,
        failure: Option<VoiceError>,
        reports: &mut VecDeque<SpeechReport>,
    ) {
        // The settings changed while the voice was loaded: the new voice is loaded next.
        if voice_name != self.voice_name {
            return;
        }
        match voice {
            Ok(voice) => {
                self.is_fallback = false;
                match failure {
                    Some(failure) => self.report_failure(&failure, reports),
                    None => {
                        tracing::info!(voice = %voice.name(), "the voice is ready");
                        self.report_recovery(reports);
                    }
                }
                self.voice = Some(voice);
            }
            Err(failure) => {
                self.report_failure(&failure, reports);
                self.is_fallback = true;
                self.voice = Some(self.voices.fallback(None));
            }
        }
    }

    /// Reports once that no installed voice speaks this language.
    fn report_missing(&mut self, language: Language, reports: &mut VecDeque<SpeechReport>) {
        if self.reported_languages.insert(language.clone()) {
            tracing::info!(language = language.code(), "no installed voice speaks this language");
            reports.push_back(SpeechReport::VoiceMissing { language });
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

/// Returns `true` if this voice can speak a text in this language.
fn speaks(voice: Option<&Arc<dyn TextToSpeech>>, language: &Language) -> bool {
    voice.and_then(|voice| voice.language()).is_none_or(|spoken| spoken == *language)
}

/// The voice of a language: the one that is `loaded`, if it speaks it, else the best installed one.
fn voice_for(
    language: Language,
    loaded: Option<Arc<dyn TextToSpeech>>,
    voices: &dyn Voices,
) -> Result<OtherVoice, VoiceError> {
    let voice = match loaded.filter(|loaded| speaks(Some(loaded), &language)) {
        Some(loaded) => Some(loaded),
        None => voices.load_for(&language)?,
    };
    Ok(voice.map_or(OtherVoice::Missing(language), OtherVoice::Installed))
}
