//! Opens and closes the speaker, and plays synthesised pieces in it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use audio::{AudioError, Loudspeaker, PlayEnd, PlayHandle, Playback};
use tokio::task::JoinHandle;
use vocabulary::Trouble;

use super::messages::SpeechReport;
use super::synthesizer::Piece;
use crate::Speech;
use crate::clauses::{PAUSE_AFTER_SENTENCE, ends_sentence};
use crate::trim::prepend_silence;

/// The pause between two pieces of one sentence.
const PAUSE_AFTER_CLAUSE: Duration = Duration::from_millis(90);
/// The rate of speech of a voice whose sound is not complete yet. Source: docs/behaviour/speaking.md#voices.
const WORDS_PER_SECOND: f64 = 200.0 / 60.0;
/// The time between two attempts to open the speaker: each failed attempt may be slow.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The speaker and the pieces queued in it.
pub(super) struct PlaybackQueue {
    speaker: Arc<dyn Loudspeaker>,
    volume: f32,
    playback: Option<Box<dyn Playback>>,
    opening: Option<JoinHandle<Result<Box<dyn Playback>, AudioError>>>,
    /// The pieces queued in the playback. The first one plays.
    queued: VecDeque<QueuedPiece>,
    /// An earcon or a pulse of the tune that plays before the pieces.
    tone: Option<Tone>,
    /// The reported trouble of the speaker.
    trouble: Option<Trouble>,
    /// When the speaker last failed to open.
    failed_at: Option<tokio::time::Instant>,
    /// `speaker` was replaced: open it when the queue is empty.
    is_outdated: bool,
}

struct Tone {
    handle: PlayHandle,
    /// It ends when words come; an earcon is played to its end.
    is_tune: bool,
}

struct QueuedPiece {
    piece: Piece,
    /// The parts of its sound that were not played to their end.
    sounds: VecDeque<PlayHandle>,
    /// No more parts follow.
    is_complete: bool,
    /// The silence before the words.
    pause: Duration,
    has_started: bool,
    /// When the last part ended.
    heard_until: Instant,
}

impl QueuedPiece {
    /// The time that its words take; as long as parts are missing, the time that they usually take.
    fn duration(&self) -> Duration {
        let known = self.sounds.iter().map(PlayHandle::duration).sum::<Duration>().saturating_sub(self.pause);
        if self.is_complete {
            return known;
        }
        let words = self.piece.text.split_whitespace().count();
        known.max(Duration::from_secs_f64(words as f64 / WORDS_PER_SECOND))
    }
}

/// An event of the speaker or of a piece in it.
pub(super) enum PlaybackEvent {
    /// The words of a piece started to play.
    PieceStarted { piece: Piece, at: Instant, duration: Duration },
    /// The speaker has played a piece to its end.
    PieceEnded { piece: Piece, at: Instant },
    /// An earcon or a pulse of the tune was played to its end, or was stopped.
    ToneEnded,
    /// The speaker was lost; these pieces were not heard to their end. Of the last one parts were missing if it `is_cut_off`.
    SpeakerLost { pieces: Vec<Piece>, is_cut_off: bool },
    /// The speaker is open.
    SpeakerOpened,
    /// The speaker could not be opened.
    OpenFailed,
}

impl PlaybackQueue {
    pub(super) fn new(speaker: Arc<dyn Loudspeaker>, volume: f32) -> Self {
        Self {
            speaker,
            volume,
            playback: None,
            opening: None,
            queued: VecDeque::new(),
            tone: None,
            trouble: None,
            failed_at: None,
            is_outdated: false,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.playback.is_some() && !self.is_outdated
    }

    /// Returns `true` if a sound can be played now: the speaker is open, or parts of the newest piece are missing.
    pub(super) fn takes_sound(&self) -> bool {
        self.is_open() || self.incomplete().is_some()
    }

    fn incomplete(&self) -> Option<&QueuedPiece> {
        self.queued.back().filter(|newest| !newest.is_complete)
    }

    /// Returns `true` if no piece is playing or queued.
    pub(super) fn is_empty(&self) -> bool {
        self.queued.is_empty()
    }

    /// The number of pieces playing or queued.
    pub(super) fn len(&self) -> usize {
        self.queued.len()
    }

    /// Returns `true` if the speaker failed to open less than [`RETRY_DELAY`] ago.
    pub(super) fn has_just_failed(&self) -> bool {
        self.failed_at.is_some_and(|failed_at| failed_at.elapsed() < RETRY_DELAY)
    }

    /// Returns `true` if the speaker failed to open, and has not opened since.
    pub(super) fn has_failed(&self) -> bool {
        self.failed_at.is_some()
    }

    /// Returns `true` while the speaker is being opened.
    pub(super) fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// When to try once more to open a speaker that failed to open.
    pub(super) fn retry_at(&self) -> Option<tokio::time::Instant> {
        self.failed_at.filter(|_| self.opening.is_none()).map(|failed_at| failed_at + RETRY_DELAY)
    }

    /// Begins to open the speaker, unless it is open or being opened.
    pub(super) fn open(&mut self) {
        if self.is_outdated && self.queued.is_empty() && self.opening.is_none() {
            self.playback = None;
            self.is_outdated = false;
        }
        if self.playback.is_none() && self.opening.is_none() {
            let speaker = self.speaker.clone();
            self.opening = Some(tokio::task::spawn_blocking(move || speaker.open()));
        }
    }

    pub(super) fn close(&mut self) {
        self.playback = None;
        self.tone = None;
        self.queued.clear();
    }

    pub(super) fn use_speaker(&mut self, speaker: Arc<dyn Loudspeaker>) {
        self.speaker = speaker;
        self.is_outdated = self.playback.is_some();
        // The old one is closed again once it has opened; nobody waits for it.
        self.opening = None;
        self.failed_at = None;
    }

    pub(super) fn set_volume(&mut self, volume: f32) {
        self.volume = volume;
        if let Some(playback) = &mut self.playback {
            playback.set_volume(volume);
        }
    }

    /// Queues the sound of a piece, with a pause after the previous one, or the next part of its sound. Does nothing while the
    /// speaker is closed.
    pub(super) fn play(&mut self, piece: Piece, mut speech: Speech, is_last: bool) {
        self.end_tune();
        let Some(playback) = &mut self.playback else { return };
        if let Some(begun) = self.queued.back_mut().filter(|newest| !newest.is_complete) {
            begun.sounds.push_back(playback.play(speech.samples, speech.rate_hz));
            begun.is_complete = is_last;
            return;
        }
        let pause = match self.queued.back() {
            Some(previous) if ends_sentence(&previous.piece.text) => PAUSE_AFTER_SENTENCE,
            Some(_) => PAUSE_AFTER_CLAUSE,
            None => Duration::ZERO,
        };
        prepend_silence(&mut speech, pause);
        self.queued.push_back(QueuedPiece {
            piece,
            sounds: VecDeque::from([playback.play(speech.samples, speech.rate_hz)]),
            is_complete: is_last,
            pause,
            has_started: false,
            heard_until: Instant::now(),
        });
    }

    /// Notes that no more parts of the newest piece follow. Returns `false` if none were expected.
    pub(super) fn complete(&mut self) -> bool {
        match self.queued.back_mut().filter(|newest| !newest.is_complete) {
            Some(begun) => {
                begun.is_complete = true;
                true
            }
            None => false,
        }
    }

    /// Plays an earcon at once.
    pub(super) fn play_earcon(&mut self, sound: Speech) {
        self.end_tune();
        self.play_tone(sound, false);
    }

    /// Plays a pulse of the tune.
    pub(super) fn play_tune(&mut self, pulse: Speech) {
        self.play_tone(pulse, true);
    }

    fn play_tone(&mut self, sound: Speech, is_tune: bool) {
        let Some(playback) = &mut self.playback else { return };
        let handle = playback.play(sound.samples, sound.rate_hz);
        self.tone = Some(Tone { handle, is_tune });
    }

    /// Returns `true` if an earcon or the tune plays.
    pub(super) fn plays_tone(&self) -> bool {
        self.tone.is_some()
    }

    /// Ends the tune, if it plays. Pieces are never behind it.
    pub(super) fn end_tune(&mut self) {
        if self.tone.take_if(|tone| tone.is_tune).is_some()
            && let Some(playback) = &mut self.playback
        {
            playback.stop();
        }
    }

    /// Stops the current piece and drops the queue.
    pub(super) fn stop(&mut self) {
        self.tone = None;
        if let Some(playback) = &mut self.playback {
            playback.stop();
        }
        self.queued.clear();
    }

    /// Waits for the next event, forever while there is none to expect. Cancel-safe.
    pub(super) async fn next_event(&mut self, reports: &mut VecDeque<SpeechReport>) -> PlaybackEvent {
        if let Some(opening) = &mut self.opening {
            let opened = opening.await;
            self.opening = None;
            let opened = opened.unwrap_or_else(|panic| {
                tracing::error!(%panic, "opening the speaker panicked");
                Err(AudioError::Closed)
            });
            return self.accept_opened(opened, reports);
        }
        if let Some(tone) = &mut self.tone {
            let end = tone.handle.ended().await;
            self.tone = None;
            return match end {
                PlayEnd::Played { .. } | PlayEnd::Stopped { .. } => PlaybackEvent::ToneEnded,
                PlayEnd::Lost(error) => self.lose(&error, reports),
            };
        }
        self.next_of_pieces(reports).await
    }

    /// The next event of the first piece.
    async fn next_of_pieces(&mut self, reports: &mut VecDeque<SpeechReport>) -> PlaybackEvent {
        let Some(first) = self.queued.front_mut() else { return std::future::pending().await };
        if !first.has_started
            && let Some(sound) = first.sounds.front_mut()
            && let Some(at) = sound.started().await
        {
            first.has_started = true;
            let (piece, duration) = (first.piece.clone(), first.duration());
            return PlaybackEvent::PieceStarted { piece, at: at + first.pause, duration };
        }
        while let Some(sound) = first.sounds.front_mut() {
            match sound.ended().await {
                PlayEnd::Played { at } | PlayEnd::Stopped { at } => {
                    first.heard_until = at;
                    first.sounds.pop_front();
                }
                PlayEnd::Lost(error) => return self.lose(&error, reports),
            }
        }
        if !first.is_complete {
            return std::future::pending().await;
        }
        let at = first.heard_until;
        match self.queued.pop_front() {
            Some(first) => PlaybackEvent::PieceEnded { piece: first.piece, at },
            None => PlaybackEvent::SpeakerLost { pieces: Vec::new(), is_cut_off: false },
        }
    }

    fn lose(&mut self, error: &AudioError, reports: &mut VecDeque<SpeechReport>) -> PlaybackEvent {
        self.playback = None;
        self.report_failure(error, reports);
        let is_cut_off = self.incomplete().is_some();
        let pieces = self.queued.drain(..).map(|queued| queued.piece).collect();
        PlaybackEvent::SpeakerLost { pieces, is_cut_off }
    }

    fn accept_opened(
        &mut self,
        opened: Result<Box<dyn Playback>, AudioError>,
        reports: &mut VecDeque<SpeechReport>,
    ) -> PlaybackEvent {
        match opened {
            Ok(mut playback) => {
                playback.set_volume(self.volume);
                self.playback = Some(playback);
                self.failed_at = None;
                if let Some(trouble) = self.trouble.take() {
                    reports.push_back(SpeechReport::Recovered(trouble));
                }
                PlaybackEvent::SpeakerOpened
            }
            Err(error) => {
                self.report_failure(&error, reports);
                self.failed_at = Some(tokio::time::Instant::now());
                PlaybackEvent::OpenFailed
            }
        }
    }

    /// Reports a failure, unless one was reported since the speaker last worked.
    fn report_failure(&mut self, error: &AudioError, reports: &mut VecDeque<SpeechReport>) {
        let trouble = error.trouble();
        tracing::warn!(%trouble, "the speaker failed");
        if self.trouble.is_none() {
            reports.push_back(SpeechReport::Trouble(trouble.clone()));
            self.trouble = Some(trouble);
        }
    }
}
