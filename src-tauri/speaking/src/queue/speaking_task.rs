//! The loop that speaks.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use audio::Loudspeaker;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant as Moment;
use tokio_util::sync::CancellationToken;
use vocabulary::{ReplyId, SpeechEvent};

use super::ledger::PlaybackLedger;
use super::messages::{Order, SpeechEpoch, SpeechNews};
use super::playback_queue::{Moved, PlaybackQueue};
use super::synthesizer::{Made, Piece, Synthesizer};
use crate::clauses::clauses;
use crate::voices::Voices;
use crate::{SpeakingConfig, Speech, preprocess_for_speech};

/// Pieces made ahead of the one that sounds: enough that a slow voice never leaves a gap it could have filled, few
/// enough that little is made in vain when we are told to stop.
const MADE_AHEAD: usize = 3;
/// The speaker is closed when nothing was said for so long.
const CLOSED_AFTER: Duration = Duration::from_secs(20);

/// Owns the speaker and the voice.
pub(super) struct SpeakingTask {
    config: watch::Receiver<SpeakingConfig>,
    orders: mpsc::Receiver<Order>,
    epoch: SpeechEpoch,
    news: mpsc::Sender<SpeechNews>,
    /// News that the channel has no room for yet.
    untold: VecDeque<SpeechNews>,
    ledger: PlaybackLedger,
    synthesizer: Synthesizer,
    playback: PlaybackQueue,
    /// Pieces nobody has begun to make, in order.
    waiting: VecDeque<Piece>,
    /// Made before the speaker was open.
    ready: VecDeque<(Piece, Speech)>,
    /// Who waits for silence.
    listening_for_silence: Vec<oneshot::Sender<()>>,
    /// When something was last said or heard.
    active_at: Moment,
}

enum Event {
    Stopped,
    ToldToBeSilent,
    Ordered(Order),
    Configured,
    Made(Option<Made>),
    Moved(Moved),
    Told,
    NothingSaidForLong,
}

impl SpeakingTask {
    pub(super) fn new(
        speaker: Arc<dyn Loudspeaker>,
        voices: Arc<dyn Voices>,
        config: watch::Receiver<SpeakingConfig>,
        orders: mpsc::Receiver<Order>,
        epoch: SpeechEpoch,
        news: mpsc::Sender<SpeechNews>,
    ) -> Self {
        let SpeakingConfig { voice, speed, volume, .. } = config.borrow().clone();
        Self {
            config,
            orders,
            epoch,
            news,
            untold: VecDeque::new(),
            ledger: PlaybackLedger::default(),
            synthesizer: Synthesizer::new(voices, voice, speed),
            playback: PlaybackQueue::new(speaker, volume),
            waiting: VecDeque::new(),
            ready: VecDeque::new(),
            listening_for_silence: Vec::new(),
            active_at: Moment::now(),
        }
    }

    pub(super) async fn run(mut self, stop: CancellationToken) {
        let mut epoch = self.epoch.current();
        loop {
            self.go_on();
            match self.next_event(&stop, &epoch).await {
                Event::Stopped => break,
                Event::ToldToBeSilent => {
                    epoch = self.epoch.current();
                    self.fall_silent();
                }
                Event::Ordered(order) => self.obey(order),
                Event::Configured => self.configure(),
                Event::Made(made) => self.take_made(made),
                Event::Moved(moved) => self.take_moved(moved),
                Event::Told => {}
                Event::NothingSaidForLong => self.playback.close(),
            }
        }
        self.end().await;
    }

    async fn next_event(&mut self, stop: &CancellationToken, epoch: &CancellationToken) -> Event {
        let closes_at = self.active_at + CLOSED_AFTER;
        let may_close = self.playback.is_open() && self.playback.is_silent() && self.ledger.is_empty();
        let Self { synthesizer, playback, untold, news, orders, config, .. } = self;
        // What is found out while the others wait; kept apart because both may find out something.
        let (mut of_voice, mut of_speaker) = (VecDeque::new(), VecDeque::new());
        let event = tokio::select! {
            biased; // Silence first: no sentence may slip past it.
            () = stop.cancelled() => Event::Stopped,
            () = epoch.cancelled() => Event::ToldToBeSilent,
            Ok(room) = news.reserve(), if !untold.is_empty() => {
                if let Some(news) = untold.pop_front() {
                    room.send(news);
                }
                Event::Told
            }
            Some(order) = orders.recv() => Event::Ordered(order),
            Ok(()) = config.changed() => Event::Configured,
            moved = playback.moved(&mut of_speaker) => Event::Moved(moved),
            made = synthesizer.finished(&mut of_voice) => Event::Made(made),
            () = tokio::time::sleep_until(closes_at), if may_close => Event::NothingSaidForLong,
        };
        untold.extend(of_voice);
        untold.extend(of_speaker);
        event
    }

    /// Begins what can be begun.
    fn go_on(&mut self) {
        if self.news.is_closed() {
            self.untold.clear();
        }
        if self.synthesizer.is_free() && !self.synthesizer.has_a_voice() && self.config.borrow().is_enabled {
            self.synthesizer.load();
        }
        if self.playback.is_open() {
            for (piece, speech) in std::mem::take(&mut self.ready) {
                self.playback.play(piece, speech);
            }
        }
        let made_ahead = self.playback.queued() + self.ready.len();
        if self.synthesizer.is_free()
            && made_ahead < MADE_AHEAD
            && let Some(piece) = self.waiting.pop_front()
        {
            self.synthesizer.make(piece);
        }
        let has_something_to_say = !self.ledger.is_empty();
        if has_something_to_say && !self.playback.is_resting() {
            self.playback.open();
        }
        if self.ledger.is_empty() {
            for told in self.listening_for_silence.drain(..) {
                // Whoever asked may have stopped waiting.
                let _ = told.send(());
            }
        } else {
            self.active_at = Moment::now();
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Say { reply, sentence, epoch } => self.say(reply, &sentence, &epoch),
            Order::Finish { reply } => {
                let event = self.ledger.complete(reply);
                self.tell(event);
            }
            Order::TellWhenSilent(told) => self.listening_for_silence.push(told),
            Order::UseSpeaker(speaker) => self.playback.use_speaker(speaker),
        }
    }

    fn say(&mut self, reply: ReplyId, sentence: &str, epoch: &CancellationToken) {
        let is_wanted =
            self.config.borrow().is_enabled && !epoch.is_cancelled() && self.ledger.may_speak(reply);
        // The text is on the screen all the same.
        if !is_wanted || self.playback.is_resting() {
            return;
        }
        let text = preprocess_for_speech(sentence);
        let pieces = clauses(&text);
        if pieces.is_empty() {
            return;
        }
        self.ledger.said(reply, pieces.len());
        self.waiting.extend(pieces.into_iter().map(|text| Piece {
            reply,
            text: text.to_owned(),
            epoch: epoch.clone(),
            is_second_try: false,
        }));
    }

    fn configure(&mut self) {
        let SpeakingConfig { is_enabled, voice, speed, volume } = self.config.borrow_and_update().clone();
        self.synthesizer.configure(&voice, speed);
        self.playback.set_volume(volume);
        if !is_enabled {
            self.fall_silent();
        }
    }

    fn take_made(&mut self, made: Option<Made>) {
        let Some(Made { piece, speech }) = made else { return };
        if piece.epoch.is_cancelled() {
            return;
        }
        // The speaker was lost meanwhile: what is said once more comes first.
        let said_again = self.waiting.iter().take_while(|waiting| waiting.is_second_try).count();
        if said_again > 0 && !piece.is_second_try {
            self.waiting.insert(said_again, piece);
            return;
        }
        match speech.filter(|speech| !speech.samples.is_empty()) {
            Some(speech) if self.playback.is_open() => self.playback.play(piece, speech),
            Some(speech) => self.ready.push_back((piece, speech)),
            None => self.give_up(&piece),
        }
    }

    fn take_moved(&mut self, moved: Moved) {
        match moved {
            Moved::Started { piece, at, lasts } => {
                let first = self.ledger.started(piece.reply, at);
                self.tell(first);
                self.tell(Some(SpeechEvent::Sentence { reply: piece.reply, text: piece.text, at, lasts }));
            }
            Moved::Played { piece, at } => {
                let event = self.ledger.done(piece.reply, Some(at));
                self.tell(event);
            }
            Moved::Lost { pieces } => self.try_again(pieces),
            Moved::Opened => {}
            Moved::Refused => self.give_up_all(),
        }
    }

    /// The speaker went away under these pieces. The system may know another one: say them once more.
    fn try_again(&mut self, lost: Vec<Piece>) {
        let unheard = self.ready.drain(..).map(|(piece, _)| piece);
        let (gone, again): (Vec<Piece>, Vec<Piece>) =
            lost.into_iter().chain(unheard).partition(|piece| piece.is_second_try);
        for piece in &gone {
            self.give_up(piece);
        }
        for piece in again.into_iter().rev() {
            self.waiting.push_front(Piece { is_second_try: true, ..piece });
        }
    }

    fn give_up(&mut self, piece: &Piece) {
        let event = self.ledger.done(piece.reply, None);
        self.tell(event);
    }

    /// There is no speaker: nothing of what waits will be heard.
    fn give_up_all(&mut self) {
        self.ready.clear();
        self.waiting.clear();
        self.synthesizer.give_up();
        for event in self.ledger.give_up(Instant::now()) {
            self.tell(Some(event));
        }
    }

    fn fall_silent(&mut self) {
        self.playback.fall_silent();
        self.ready.clear();
        self.waiting.clear();
        for event in self.ledger.silence(Instant::now()) {
            self.tell(Some(event));
        }
    }

    fn tell(&mut self, event: Option<SpeechEvent>) {
        self.untold.extend(event.map(SpeechNews::Speech));
    }

    /// Falls silent for good: what is being made is waited for, which takes some 20 ms.
    async fn end(mut self) {
        self.epoch.end();
        self.fall_silent();
        self.playback.close();
        let mut unheard = VecDeque::new();
        if !self.synthesizer.is_free() {
            self.synthesizer.finished(&mut unheard).await;
        }
        for news in self.untold.drain(..) {
            // Nobody may listen any more while everything ends.
            let _ = self.news.try_send(news);
        }
    }
}
