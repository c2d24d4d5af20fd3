//! The speaker, open or closed, and the sounds that are in it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use audio::{AudioError, Loudspeaker, PlayEnd, PlayHandle, Playback};
use tokio::task::JoinHandle;
use vocabulary::Trouble;

use super::messages::SpeechNews;
use super::synthesizer::Piece;
use crate::Speech;
use crate::clauses::ends_a_sentence;
use crate::trim::silence_before;

/// Between two sentences. Source: behaviour reference, section 8, `tts_piper_sentence_silence`.
const PAUSE_AFTER_SENTENCE: Duration = Duration::from_millis(200);
/// Between two pieces of one sentence.
const PAUSE_AFTER_CLAUSE: Duration = Duration::from_millis(90);
/// After a failure the speaker is left alone for so long: opening what is not there may take a while each time.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Opens and closes the speaker, and knows what sounds in it.
pub(super) struct PlaybackQueue {
    speaker: Arc<dyn Loudspeaker>,
    volume: f32,
    playback: Option<Box<dyn Playback>>,
    opening: Option<JoinHandle<Result<Box<dyn Playback>, AudioError>>>,
    /// Queued in the playback, the one that sounds first.
    sounds: VecDeque<Sound>,
    /// What is wrong with the speaker, once it was told.
    trouble: Option<Trouble>,
    /// When it last refused to open.
    refused_at: Option<tokio::time::Instant>,
    /// Another speaker was chosen: open it once nothing sounds.
    is_outdated: bool,
}

struct Sound {
    piece: Piece,
    handle: PlayHandle,
    /// Silence in front of the words.
    pause: Duration,
    has_started: bool,
}

/// What happened in the mouth.
pub(super) enum Moved {
    /// The words of a piece began to sound.
    Started { piece: Piece, at: Instant, lasts: Duration },
    /// A piece was heard to its end.
    Played { piece: Piece, at: Instant },
    /// The speaker went away; these pieces were not heard to their end.
    Lost { pieces: Vec<Piece> },
    /// The speaker is open.
    Opened,
    /// The speaker cannot be opened.
    Refused,
}

impl PlaybackQueue {
    pub(super) fn new(speaker: Arc<dyn Loudspeaker>, volume: f32) -> Self {
        Self {
            speaker,
            volume,
            playback: None,
            opening: None,
            sounds: VecDeque::new(),
            trouble: None,
            refused_at: None,
            is_outdated: false,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.playback.is_some() && !self.is_outdated
    }

    /// Does anything sound, or wait in the speaker to sound?
    pub(super) fn is_silent(&self) -> bool {
        self.sounds.is_empty()
    }

    /// Pieces queued in the speaker.
    pub(super) fn queued(&self) -> usize {
        self.sounds.len()
    }

    /// Did it refuse to open a moment ago?
    pub(super) fn is_resting(&self) -> bool {
        self.refused_at.is_some_and(|refused_at| refused_at.elapsed() < RETRY_AFTER)
    }

    /// Begins to open the speaker, unless it is open or being opened.
    pub(super) fn open(&mut self) {
        if self.is_outdated && self.sounds.is_empty() && self.opening.is_none() {
            self.playback = None;
            self.is_outdated = false;
        }
        if self.playback.is_none() && self.opening.is_none() {
            let speaker = self.speaker.clone();
            self.opening = Some(tokio::task::spawn_blocking(move || speaker.open()));
        }
    }

    /// Closes the speaker.
    pub(super) fn close(&mut self) {
        self.playback = None;
        self.sounds.clear();
    }

    pub(super) fn use_speaker(&mut self, speaker: Arc<dyn Loudspeaker>) {
        self.speaker = speaker;
        self.is_outdated = self.playback.is_some() || self.opening.is_some();
        self.refused_at = None;
    }

    pub(super) fn set_volume(&mut self, volume: f32) {
        self.volume = volume;
        if let Some(playback) = &mut self.playback {
            playback.set_volume(volume);
        }
    }

    /// Queues the sound of a piece, with a pause before it if another sounds. Only when it is open.
    pub(super) fn play(&mut self, piece: Piece, mut speech: Speech) {
        let Some(playback) = &mut self.playback else { return };
        let pause = match self.sounds.back() {
            Some(before) if ends_a_sentence(&before.piece.text) => PAUSE_AFTER_SENTENCE,
            Some(_) => PAUSE_AFTER_CLAUSE,
            None => Duration::ZERO,
        };
        silence_before(&mut speech, pause);
        let handle = playback.play(speech.samples, speech.rate_hz);
        self.sounds.push_back(Sound { piece, handle, pause, has_started: false });
    }

    pub(super) fn fall_silent(&mut self) {
        if let Some(playback) = &mut self.playback {
            playback.fall_silent();
        }
        self.sounds.clear();
    }

    /// Waits for something to happen, for ever while nothing is under way. Cancel-safe.
    pub(super) async fn moved(&mut self, news: &mut VecDeque<SpeechNews>) -> Moved {
        if let Some(opening) = &mut self.opening {
            let opened = opening.await;
            self.opening = None;
            let opened = opened.unwrap_or_else(|panic| {
                tracing::error!(%panic, "opening the speaker panicked");
                Err(AudioError::Closed)
            });
            return self.take_playback(opened, news);
        }
        let Some(sound) = self.sounds.front_mut() else { return std::future::pending().await };
        if !sound.has_started
            && let Some(at) = sound.handle.started().await
        {
            sound.has_started = true;
            let lasts = sound.handle.lasts().saturating_sub(sound.pause);
            return Moved::Started { piece: sound.piece.clone(), at: at + sound.pause, lasts };
        }
        let end = sound.handle.ended().await;
        match end {
            PlayEnd::Played { at } | PlayEnd::Silenced { at } => match self.sounds.pop_front() {
                Some(sound) => Moved::Played { piece: sound.piece, at },
                None => Moved::Lost { pieces: Vec::new() },
            },
            PlayEnd::Lost(error) => {
                self.playback = None;
                self.complain(&error, news);
                Moved::Lost { pieces: self.sounds.drain(..).map(|sound| sound.piece).collect() }
            }
        }
    }

    fn take_playback(
        &mut self,
        opened: Result<Box<dyn Playback>, AudioError>,
        news: &mut VecDeque<SpeechNews>,
    ) -> Moved {
        match opened {
            Ok(mut playback) => {
                playback.set_volume(self.volume);
                self.playback = Some(playback);
                self.refused_at = None;
                if let Some(trouble) = self.trouble.take() {
                    news.push_back(SpeechNews::Recovered(trouble));
                }
                Moved::Opened
            }
            Err(error) => {
                self.complain(&error, news);
                self.refused_at = Some(tokio::time::Instant::now());
                Moved::Refused
            }
        }
    }

    /// Tells of a failure, once until the speaker works again.
    fn complain(&mut self, error: &AudioError, news: &mut VecDeque<SpeechNews>) {
        let trouble = error.trouble();
        tracing::warn!(%trouble, "the speaker failed");
        if self.trouble.is_none() {
            news.push_back(SpeechNews::Trouble(trouble.clone()));
            self.trouble = Some(trouble);
        }
    }
}
