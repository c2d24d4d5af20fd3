//! The task that speaks.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use audio::Loudspeaker;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, ReplyId, SpeechEvent};

use super::ledger::PlaybackLedger;
use super::messages::{SpeechCommand, SpeechEpoch, SpeechReport, Unheard};
use super::playback_queue::{PlaybackEvent, PlaybackQueue};
use super::synthesizer::{Piece, SynthesisResult, Synthesizer};
use super::waiting_tones::{DueTone, WaitingTones};
use crate::clauses::split_clauses;
use crate::tones::tune_pulse;
use crate::voices::Voices;
use crate::{SpeakingConfig, Speech, preprocess_for_speech};

/// The most synthesised pieces that wait or play: enough that a slow voice causes no gap, and few enough that a stop
/// wastes little work.
const MAX_SYNTHESISED_PIECES: usize = 3;
/// The speaker is closed after this time without speech.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// Words wait this long for a speaker that does not open. Source: a headset is connected again within some seconds, and an
/// older answer would come as a surprise.
const SPEAKER_PATIENCE: Duration = Duration::from_secs(15);
/// The most pieces that wait for such a speaker: some long replies.
const MAX_PIECES_WITHOUT_SPEAKER: usize = 64;

/// The channels of the queue.
pub(super) struct QueueInputs {
    pub config: watch::Receiver<SpeakingConfig>,
    pub commands: mpsc::Receiver<SpeechCommand>,
    /// `true` while a spoken request is worked on.
    pub is_thinking: watch::Receiver<bool>,
    pub epoch: SpeechEpoch,
    pub reports: mpsc::Sender<SpeechReport>,
}

/// Owns the speaker and the voice.
pub(super) struct SpeakingTask {
    config: watch::Receiver<SpeakingConfig>,
    commands: mpsc::Receiver<SpeechCommand>,
    is_thinking: watch::Receiver<bool>,
    tones: WaitingTones,
    epoch: SpeechEpoch,
    reports: mpsc::Sender<SpeechReport>,
    /// Reports that the channel has no room for yet.
    unsent_reports: VecDeque<SpeechReport>,
    ledger: PlaybackLedger,
    synthesizer: Synthesizer,
    playback: PlaybackQueue,
    /// Pieces to synthesise, in order.
    waiting: VecDeque<Piece>,
    /// Pieces that were synthesised before the speaker was open.
    synthesised: VecDeque<(Piece, Speech)>,
    /// The callers that wait for silence.
    silence_waiters: Vec<oneshot::Sender<()>>,
    /// The callers that ask if a reply is heard, while the speaker is being opened.
    unheard_waiters: Vec<(ReplyId, oneshot::Sender<Option<Unheard>>)>,
    /// When words or a sound were last queued.
    last_said_at: Option<tokio::time::Instant>,
    last_active_at: tokio::time::Instant,
}

enum QueueEvent {
    Stopped,
    /// The epoch ended: stop speaking.
    EpochEnded,
    Command(SpeechCommand),
    ConfigChanged,
    /// We began to think, or ended it.
    ThinkingChanged,
    TuneDue,
    /// A piece was synthesised; `None` when a voice was loaded.
    Synthesised(Option<SynthesisResult>),
    Playback(PlaybackEvent),
    ReportSent,
    /// The speaker failed to open a moment ago: try again.
    SpeakerRetryDue,
    IdleTimeout,
}

impl SpeakingTask {
    pub(super) fn new(speaker: Arc<dyn Loudspeaker>, voices: Arc<dyn Voices>, inputs: QueueInputs) -> Self {
        let QueueInputs { config, commands, is_thinking, epoch, reports } = inputs;
        let SpeakingConfig { voice, speed, volume, .. } = config.borrow().clone();
        Self {
            config,
            commands,
            is_thinking,
            tones: WaitingTones::default(),
            epoch,
            reports,
            unsent_reports: VecDeque::new(),
            ledger: PlaybackLedger::default(),
            synthesizer: Synthesizer::new(voices, voice, speed),
            playback: PlaybackQueue::new(speaker, volume),
            waiting: VecDeque::new(),
            synthesised: VecDeque::new(),
            silence_waiters: Vec::new(),
            unheard_waiters: Vec::new(),
            last_said_at: None,
            last_active_at: tokio::time::Instant::now(),
        }
    }

    pub(super) async fn run(mut self, stop: CancellationToken) {
        let mut epoch = self.epoch.current();
        loop {
            self.advance();
            match self.next_event(&stop, &epoch).await {
                QueueEvent::Stopped => break,
                QueueEvent::EpochEnded => {
                    epoch = self.epoch.current();
                    self.stop_speaking();
                }
                QueueEvent::Command(command) => self.apply_command(command),
                QueueEvent::ConfigChanged => self.configure(),
                QueueEvent::ThinkingChanged => self.follow_thinking(),
                QueueEvent::Synthesised(result) => self.accept_synthesised(result),
                QueueEvent::Playback(event) => self.apply_playback_event(event),
                QueueEvent::ReportSent | QueueEvent::SpeakerRetryDue | QueueEvent::TuneDue => {}
                QueueEvent::IdleTimeout => self.playback.close(),
            }
        }
        self.end().await;
    }

    async fn next_event(&mut self, stop: &CancellationToken, epoch: &CancellationToken) -> QueueEvent {
        let idle_timeout_at = self.last_active_at + IDLE_TIMEOUT;
        let is_idle = self.playback.is_open()
            && self.playback.is_empty()
            && !self.playback.plays_tone()
            && self.ledger.is_empty();
        let takes_parts = self.playback.takes_sound() && self.synthesised.is_empty();
        // A tune that is late waits for the speaker to open, or for the next pulse.
        let tune_due = self.tones.tune_due(tokio::time::Instant::now()).filter(|_| self.may_begin_tune());
        let speaker_retry = self.playback.retry_at().filter(|_| !self.ledger.is_empty());
        let Self { synthesizer, playback, unsent_reports, reports, commands, config, is_thinking, .. } = self;
        // Two lists, because both branches of the select borrow theirs at the same time.
        let (mut voice_reports, mut speaker_reports) = (VecDeque::new(), VecDeque::new());
        let event = tokio::select! {
            biased; // A stop first: no sentence may start after it.
            () = stop.cancelled() => QueueEvent::Stopped,
            () = epoch.cancelled() => QueueEvent::EpochEnded,
            Ok(permit) = reports.reserve(), if !unsent_reports.is_empty() => {
                if let Some(report) = unsent_reports.pop_front() {
                    permit.send(report);
                }
                QueueEvent::ReportSent
            }
            Some(command) = commands.recv() => QueueEvent::Command(command),
            Ok(()) = config.changed() => QueueEvent::ConfigChanged,
            Ok(()) = is_thinking.changed() => QueueEvent::ThinkingChanged,
            event = playback.next_event(&mut speaker_reports) => QueueEvent::Playback(event),
            result = synthesizer.finished(takes_parts, &mut voice_reports) => QueueEvent::Synthesised(result),
            () = tokio::time::sleep_until(tune_due.unwrap_or(idle_timeout_at)), if tune_due.is_some() => QueueEvent::TuneDue,
            () = tokio::time::sleep_until(speaker_retry.unwrap_or(idle_timeout_at)), if speaker_retry.is_some() => QueueEvent::SpeakerRetryDue,
            () = tokio::time::sleep_until(idle_timeout_at), if is_idle => QueueEvent::IdleTimeout,
        };
        unsent_reports.extend(voice_reports);
        unsent_reports.extend(speaker_reports);
        event
    }

    /// Starts the work that can start now.
    fn advance(&mut self) {
        if self.reports.is_closed() {
            self.unsent_reports.clear();
        }
        if self.synthesizer.is_free() && !self.synthesizer.has_voice() && self.config.borrow().is_enabled {
            self.synthesizer.load();
        }
        if self.playback.is_open() {
            for (piece, speech) in std::mem::take(&mut self.synthesised) {
                self.playback.play(piece, speech, true);
            }
        }
        self.pass_on_sounds();
        let synthesised_pieces = self.playback.len() + self.synthesised.len();
        if self.synthesizer.is_free()
            && synthesised_pieces < MAX_SYNTHESISED_PIECES
            && let Some(piece) = self.waiting.pop_front()
        {
            self.synthesizer.begin(piece);
        }
        if self.ledger.is_empty() {
            for waiter in self.silence_waiters.drain(..) {
                // The caller may no longer wait.
                let _ = waiter.send(());
            }
        } else {
            if !self.playback.has_just_failed() {
                self.playback.open();
            }
            self.last_active_at = tokio::time::Instant::now();
        }
        self.advance_tones();
    }

    /// Plays an earcon or the tune, if nothing is spoken.
    fn advance_tones(&mut self) {
        let now = tokio::time::Instant::now();
        let may_begin_tune = self.may_begin_tune();
        let Some(tone) = self.tones.due(now, may_begin_tune) else { return };
        self.last_active_at = now;
        if !self.playback.is_open() {
            self.playback.open();
            return;
        }
        let volume = self.config.borrow().earcon_volume;
        match tone {
            DueTone::Earcon(earcon) => {
                self.tones.drop_earcon();
                self.playback.play_earcon(earcon.sound(volume));
            }
            DueTone::Tune => self.playback.play_tune(tune_pulse(volume)),
        }
    }

    /// Returns `true` if neither words nor another tone play.
    fn may_begin_tune(&self) -> bool {
        let is_silent =
            self.playback.is_empty() && !self.playback.plays_tone() && self.synthesised.is_empty();
        is_silent && self.config.borrow().thinking_tune && !self.playback.has_just_failed()
    }

    fn follow_thinking(&mut self) {
        let is_thinking = *self.is_thinking.borrow_and_update();
        self.tones.follow_thinking(is_thinking, tokio::time::Instant::now());
        if !is_thinking {
            self.playback.end_tune();
        }
    }

    /// Sounds without words need no voice.
    fn pass_on_sounds(&mut self) {
        while self.synthesizer.is_idle()
            && let Some(piece) = self.waiting.pop_front_if(|piece| piece.sound.is_some())
        {
            let speech = piece.sound.clone();
            self.accept_synthesised(Some(SynthesisResult { piece, speech, is_last: true }));
        }
    }

    fn apply_command(&mut self, command: SpeechCommand) {
        match command {
            SpeechCommand::Say { reply, sentence, language, epoch } => {
                self.say(reply, &sentence, language.as_ref(), &epoch);
            }
            SpeechCommand::Play { reply, sound, epoch } => self.play(reply, sound, epoch),
            SpeechCommand::Signal { earcon, at } => {
                let is_allowed = self.config.borrow().earcons && self.ledger.is_empty();
                if is_allowed && !self.playback.has_just_failed() {
                    self.tones.signal(earcon, at);
                } else {
                    self.tones.drop_earcon();
                }
            }
            SpeechCommand::Pause { reply } => {
                let report = self.ledger.pause(reply);
                self.report(report);
            }
            SpeechCommand::Finish { reply } => {
                let report = self.ledger.complete(reply);
                self.report(report);
            }
            SpeechCommand::TellUnheard { reply, answer } => {
                self.unheard_waiters.push((reply, answer));
                self.tell_unheard();
            }
            SpeechCommand::NotifyWhenSilent(waiter) => self.silence_waiters.push(waiter),
            SpeechCommand::UseSpeaker(speaker) => self.playback.use_speaker(speaker),
        }
    }

    fn say(
        &mut self,
        reply: ReplyId,
        sentence: &str,
        language: Option<&Language>,
        epoch: &CancellationToken,
    ) {
        let is_allowed =
            self.config.borrow().is_enabled && !epoch.is_cancelled() && self.ledger.may_speak(reply);
        if !is_allowed {
            return;
        }
        // A text of unknown language is spoken by the voice of the settings.
        let spoken_in = language.cloned().or_else(|| self.synthesizer.language());
        let text = preprocess_for_speech(sentence, spoken_in.as_ref());
        let pieces = split_clauses(&text);
        if pieces.is_empty() {
            return;
        }
        self.last_said_at = Some(tokio::time::Instant::now());
        if self.playback.has_just_failed() {
            self.ledger.note_unheard(reply, Unheard::NoLoudspeaker);
        }
        if self.playback.has_failed() && self.waiting.len() >= MAX_PIECES_WITHOUT_SPEAKER {
            // The text is still on the screen.
            self.ledger.note_unheard(reply, Unheard::NoLoudspeaker);
            return;
        }
        self.ledger.add_pieces(reply, pieces.len());
        self.waiting.extend(pieces.into_iter().map(|text| Piece {
            reply,
            text: text.to_owned(),
            sound: None,
            language: language.cloned(),
            epoch: epoch.clone(),
            is_retry: false,
        }));
    }

    fn play(&mut self, reply: ReplyId, sound: Speech, epoch: CancellationToken) {
        let is_allowed = !epoch.is_cancelled() && self.ledger.may_speak(reply);
        // Once is enough when the speaker opens.
        if !is_allowed || self.playback.has_failed() && self.waits_for_speaker(reply) {
            return;
        }
        self.last_said_at = Some(tokio::time::Instant::now());
        self.ledger.add_pieces(reply, 1);
        let (text, language, sound) = (String::new(), None, Some(sound));
        self.waiting.push_back(Piece { reply, text, sound, language, epoch, is_retry: false });
    }

    /// Returns `true` if a sound of this reply is not in the speaker yet.
    fn waits_for_speaker(&self, reply: ReplyId) -> bool {
        let synthesised = self.synthesised.iter().map(|(piece, _)| piece);
        self.waiting.iter().chain(synthesised).any(|piece| piece.reply == reply && piece.sound.is_some())
    }

    fn configure(&mut self) {
        // Tones read their part of it when they begin.
        let SpeakingConfig { is_enabled, voice, speed, volume, earcons: _, thinking_tune, earcon_volume: _ } =
            self.config.borrow_and_update().clone();
        if !thinking_tune {
            self.playback.end_tune();
        }
        self.synthesizer.configure(&voice, speed);
        self.playback.set_volume(volume);
        if !is_enabled {
            self.epoch.end();
        }
    }

    fn accept_synthesised(&mut self, result: Option<SynthesisResult>) {
        let Some(SynthesisResult { piece, speech, is_last }) = result else { return };
        if piece.epoch.is_cancelled() {
            return;
        }
        // When the speaker was lost during the synthesis, the pieces to repeat come first.
        let retries = self.waiting.iter().take_while(|waiting| waiting.is_retry).count();
        if retries > 0 && !piece.is_retry {
            self.waiting.insert(retries, piece);
            if !is_last {
                self.synthesizer.abandon();
            }
            return;
        }
        match speech.filter(|speech| !speech.samples.is_empty()) {
            Some(speech) if self.playback.takes_sound() => self.playback.play(piece, speech, is_last),
            Some(speech) => self.synthesised.push_back((piece, speech)),
            None if self.playback.complete() => {}
            None => {
                if let Some(reason) = self.synthesizer.unheard() {
                    self.ledger.note_unheard(piece.reply, reason);
                }
                self.abandon(&piece);
            }
        }
    }

    fn apply_playback_event(&mut self, event: PlaybackEvent) {
        self.last_active_at = tokio::time::Instant::now();
        match event {
            PlaybackEvent::PieceStarted { piece, at, duration } => {
                let started = self.ledger.piece_started(piece.reply, at);
                self.report(started);
                let Piece { reply, text, sound, .. } = piece;
                if sound.is_some() {
                    return;
                }
                let sentence = SpeechEvent::Sentence { reply, text, at, lasts: duration };
                self.report(Some(SpeechReport::Speech(sentence)));
            }
            PlaybackEvent::PieceEnded { piece, at } => {
                let report = self.ledger.piece_ended(piece.reply, Some(at));
                self.report(report);
            }
            PlaybackEvent::SpeakerLost { pieces, is_cut_off } => {
                if is_cut_off {
                    // It is spoken again from its beginning.
                    self.synthesizer.abandon();
                }
                if !pieces.is_empty() {
                    // They wait for the next speaker as long as new words do.
                    self.last_said_at = Some(tokio::time::Instant::now());
                }
                self.retry(pieces);
            }
            PlaybackEvent::ToneEnded => {}
            PlaybackEvent::SpeakerOpened => {
                self.ledger.speaker_is_back();
                self.tell_unheard();
            }
            PlaybackEvent::OpenFailed => {
                self.tones.drop_earcon();
                match self.last_said_at {
                    Some(at) if at.elapsed() < SPEAKER_PATIENCE => {
                        let silent = self.ledger.speaker_is_away(Instant::now());
                        self.report(silent);
                    }
                    _ => self.abandon_all(),
                }
                self.tell_unheard();
            }
        }
    }

    /// Speaks the lost pieces once more: the system may have another speaker.
    fn retry(&mut self, lost: Vec<Piece>) {
        let unheard = self.synthesised.drain(..).map(|(piece, _)| piece);
        let (lost_twice, lost_once): (Vec<Piece>, Vec<Piece>) =
            lost.into_iter().chain(unheard).partition(|piece| piece.is_retry);
        for piece in &lost_twice {
            self.abandon(piece);
        }
        for piece in lost_once.into_iter().rev() {
            self.waiting.push_front(Piece { is_retry: true, ..piece });
        }
    }

    /// Answers the callers that ask if a reply is heard. Those whose reply depends on a speaker that is being opened wait on.
    fn tell_unheard(&mut self) {
        let is_opening = self.playback.is_opening();
        let (waiting, known): (Vec<_>, Vec<_>) = std::mem::take(&mut self.unheard_waiters)
            .into_iter()
            .partition(|(reply, _)| is_opening && self.ledger.is_undecided(*reply));
        self.unheard_waiters = waiting;
        for (reply, answer) in known {
            // The caller may no longer wait.
            let _ = answer.send(self.ledger.unheard(reply));
        }
    }

    fn abandon(&mut self, piece: &Piece) {
        let report = self.ledger.piece_ended(piece.reply, None);
        self.report(report);
    }

    /// Drops all pieces, because there is no speaker.
    fn abandon_all(&mut self) {
        self.synthesised.clear();
        self.waiting.clear();
        self.synthesizer.abandon();
        let lost = self.ledger.lose_all(Instant::now());
        self.report(lost);
    }

    fn stop_speaking(&mut self) {
        self.playback.stop();
        // The next part of a sound that is still made would count as a new piece.
        self.synthesizer.abandon();
        self.tones.drop_earcon();
        self.tones.restart_tune(tokio::time::Instant::now());
        self.synthesised.clear();
        self.waiting.clear();
        let stopped = self.ledger.stop_all(Instant::now());
        self.report(stopped);
        self.tell_unheard();
    }

    fn report(&mut self, reports: impl IntoIterator<Item = SpeechReport>) {
        self.unsent_reports.extend(reports);
    }

    /// Stops speaking, and waits for the current synthesis, which takes about 20 ms.
    async fn end(mut self) {
        self.epoch.end();
        self.stop_speaking();
        self.playback.close();
        if !self.synthesizer.is_free() {
            self.synthesizer.finished(false, &mut VecDeque::new()).await;
        }
        for report in self.unsent_reports.drain(..) {
            // The receiver may be closed or full during shutdown.
            let _ = self.reports.try_send(report);
        }
    }
}
