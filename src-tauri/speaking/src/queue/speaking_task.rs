//! The loop that speaks.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use audio::Speaker;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant as Moment;
use tokio_util::sync::CancellationToken;
use vocabulary::{ReplyId, SpeechEvent};

use super::accounts::Accounts;
use super::mouth::{Mouth, Moved};
use super::throat::{Made, Piece, Throat};
use super::{Breath, Order, SpeechNews};
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
    breath: Breath,
    news: mpsc::Sender<SpeechNews>,
    /// News that the channel has no room for yet.
    untold: VecDeque<SpeechNews>,
    accounts: Accounts,
    throat: Throat,
    mouth: Mouth,
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
        speaker: Arc<dyn Speaker>,
        voices: Arc<dyn Voices>,
        config: watch::Receiver<SpeakingConfig>,
        orders: mpsc::Receiver<Order>,
        breath: Breath,
        news: mpsc::Sender<SpeechNews>,
    ) -> Self {
        let SpeakingConfig { voice, speed, volume, .. } = config.borrow().clone();
        Self {
            config,
            orders,
            breath,
            news,
            untold: VecDeque::new(),
            accounts: Accounts::default(),
            throat: Throat::new(voices, voice, speed),
            mouth: Mouth::new(speaker, volume),
            waiting: VecDeque::new(),
            ready: VecDeque::new(),
            listening_for_silence: Vec::new(),
            active_at: Moment::now(),
        }
    }

    pub(super) async fn run(mut self, stop: CancellationToken) {
        let mut breath = self.breath.current();
        loop {
            self.go_on();
            match self.next_event(&stop, &breath).await {
                Event::Stopped => break,
                Event::ToldToBeSilent => {
                    breath = self.breath.current();
                    self.fall_silent();
                }
                Event::Ordered(order) => self.obey(order),
                Event::Configured => self.configure(),
                Event::Made(made) => self.take_made(made),
                Event::Moved(moved) => self.take_moved(moved),
                Event::Told => {}
                Event::NothingSaidForLong => self.mouth.close(),
            }
        }
        self.end().await;
    }

    async fn next_event(&mut self, stop: &CancellationToken, breath: &CancellationToken) -> Event {
        let closes_at = self.active_at + CLOSED_AFTER;
        let may_close = self.mouth.is_open() && self.mouth.is_silent() && self.accounts.is_empty();
        let Self { throat, mouth, untold, news, orders, config, .. } = self;
        // What is found out while the others wait; kept apart because both may find out something.
        let (mut of_voice, mut of_speaker) = (VecDeque::new(), VecDeque::new());
        let event = tokio::select! {
            biased; // Silence first: no sentence may slip past it.
            () = stop.cancelled() => Event::Stopped,
            () = breath.cancelled() => Event::ToldToBeSilent,
            Ok(room) = news.reserve(), if !untold.is_empty() => {
                if let Some(news) = untold.pop_front() {
                    room.send(news);
                }
                Event::Told
            }
            Some(order) = orders.recv() => Event::Ordered(order),
            Ok(()) = config.changed() => Event::Configured,
            moved = mouth.moved(&mut of_speaker) => Event::Moved(moved),
            made = throat.finished(&mut of_voice) => Event::Made(made),
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
        if self.throat.is_free() && !self.throat.has_a_voice() && self.config.borrow().is_enabled {
            self.throat.load();
        }
        if self.mouth.is_open() {
            for (piece, speech) in std::mem::take(&mut self.ready) {
                self.mouth.play(piece, speech);
            }
        }
        let made_ahead = self.mouth.queued() + self.ready.len();
        if self.throat.is_free()
            && made_ahead < MADE_AHEAD
            && let Some(piece) = self.waiting.pop_front()
        {
            self.throat.make(piece);
        }
        let has_something_to_say = !self.accounts.is_empty();
        if has_something_to_say && !self.mouth.is_resting() {
            self.mouth.open();
        }
        if self.accounts.is_empty() {
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
            Order::Say { reply, sentence, breath } => self.say(reply, &sentence, &breath),
            Order::Finish { reply } => {
                let event = self.accounts.complete(reply);
                self.tell(event);
            }
            Order::TellWhenSilent(told) => self.listening_for_silence.push(told),
            Order::UseSpeaker(speaker) => self.mouth.use_speaker(speaker),
        }
    }

    fn say(&mut self, reply: ReplyId, sentence: &str, breath: &CancellationToken) {
        let is_wanted =
            self.config.borrow().is_enabled && !breath.is_cancelled() && self.accounts.may_speak(reply);
        // The text is on the screen all the same.
        if !is_wanted || self.mouth.is_resting() {
            return;
        }
        let text = preprocess_for_speech(sentence);
        let pieces = clauses(&text);
        if pieces.is_empty() {
            return;
        }
        self.accounts.said(reply, pieces.len());
        self.waiting.extend(pieces.into_iter().map(|text| Piece {
            reply,
            text: text.to_owned(),
            breath: breath.clone(),
            is_second_try: false,
        }));
    }

    fn configure(&mut self) {
        let SpeakingConfig { is_enabled, voice, speed, volume } = self.config.borrow_and_update().clone();
        self.throat.configure(&voice, speed);
        self.mouth.set_volume(volume);
        if !is_enabled {
            self.fall_silent();
        }
    }

    fn take_made(&mut self, made: Option<Made>) {
        let Some(Made { piece, speech }) = made else { return };
        if piece.breath.is_cancelled() {
            return;
        }
        // The speaker was lost meanwhile: what is said once more comes first.
        let said_again = self.waiting.iter().take_while(|waiting| waiting.is_second_try).count();
        if said_again > 0 && !piece.is_second_try {
            self.waiting.insert(said_again, piece);
            return;
        }
        match speech.filter(|speech| !speech.samples.is_empty()) {
            Some(speech) if self.mouth.is_open() => self.mouth.play(piece, speech),
            Some(speech) => self.ready.push_back((piece, speech)),
            None => self.give_up(&piece),
        }
    }

    fn take_moved(&mut self, moved: Moved) {
        match moved {
            Moved::Started { piece, at, lasts } => {
                let first = self.accounts.started(piece.reply, at);
                self.tell(first);
                self.tell(Some(SpeechEvent::Sentence { reply: piece.reply, text: piece.text, at, lasts }));
            }
            Moved::Played { piece, at } => {
                let event = self.accounts.done(piece.reply, Some(at));
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
        let event = self.accounts.done(piece.reply, None);
        self.tell(event);
    }

    /// There is no speaker: nothing of what waits will be heard.
    fn give_up_all(&mut self) {
        self.ready.clear();
        self.waiting.clear();
        self.throat.give_up();
        for event in self.accounts.give_up(Instant::now()) {
            self.tell(Some(event));
        }
    }

    fn fall_silent(&mut self) {
        self.mouth.fall_silent();
        self.ready.clear();
        self.waiting.clear();
        for event in self.accounts.silence(Instant::now()) {
            self.tell(Some(event));
        }
    }

    fn tell(&mut self, event: Option<SpeechEvent>) {
        self.untold.extend(event.map(SpeechNews::Speech));
    }

    /// Falls silent for good: what is being made is waited for, which takes some 20 ms.
    async fn end(mut self) {
        self.breath.end();
        self.fall_silent();
        self.mouth.close();
        let mut unheard = VecDeque::new();
        if !self.throat.is_free() {
            self.throat.finished(&mut unheard).await;
        }
        for news in self.untold.drain(..) {
            // Nobody may listen any more while everything ends.
            let _ = self.news.try_send(news);
        }
    }
}
