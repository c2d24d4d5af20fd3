//! The task of one satellite: what is heard there becomes a query, and the answers to questions of its reply.

use std::sync::Arc;

use listening::{DoorEvent, HotWindowChange, ListeningConfig, ListeningEvent};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, Question, ReplyId, Stage, Trouble, VoiceMatch};

use super::event::{SatelliteEvent, SatelliteStage};
use crate::command::Command;
use crate::replies::{SatelliteChannel, SatelliteReply, SatelliteRequest, SatelliteTurn, spoken_answer};

/// The inputs of a session.
pub(super) struct SessionInputs {
    pub stages: mpsc::Receiver<SatelliteStage>,
    pub listened: mpsc::Receiver<ListeningEvent>,
    /// Opens and closes the follow-up window.
    pub doors: mpsc::Sender<DoorEvent>,
    /// The turns of replies.
    pub turns: mpsc::Receiver<(ReplyId, SatelliteTurn)>,
    /// Replies that were spoken as far as they are complete.
    pub spoken_out: mpsc::Receiver<ReplyId>,
    /// Silences replies up to this one.
    pub silence: watch::Sender<Option<ReplyId>>,
    pub channel: Arc<SatelliteChannel>,
    /// The name that calls us.
    pub listening: watch::Receiver<ListeningConfig>,
    pub commands: mpsc::Sender<Command>,
    pub events: mpsc::Sender<SatelliteEvent>,
}

/// The state of a satellite.
pub(super) struct Session {
    inputs: SessionInputs,
    reply: Option<SatelliteReply>,
    /// The reply before, and its end.
    previous: Option<(ReplyId, CancellationToken)>,
    /// The question that the reply waits for an answer to.
    question: Option<Question>,
    /// The words that are awaited.
    awaited: AwaitedWords,
    somebody_speaks: bool,
}

/// The words that a satellite was told to wait for, or waits for by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AwaitedWords {
    /// The satellite streams all the time: the name has to come first.
    Name,
    /// The same; it was told that the name was said.
    QueryAfterName,
    /// The satellite has heard the name, and streams until it is told a query or that there is none.
    Query { is_window_open: bool },
}

enum SessionEvent {
    Begun(SatelliteStage),
    Listened(ListeningEvent),
    Turn(ReplyId, SatelliteTurn),
    SpokenOut(ReplyId),
    Stopped,
}

impl Session {
    pub fn new(inputs: SessionInputs) -> Self {
        Self {
            inputs,
            reply: None,
            previous: None,
            question: None,
            awaited: AwaitedWords::Name,
            somebody_speaks: false,
        }
    }

    /// Runs until `stop` is cancelled. The reply under way ends with it.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            match self.next_event(&stop).await {
                SessionEvent::Begun(stage) => self.begin(stage),
                SessionEvent::Listened(event) => {
                    // The door may take nothing more, which must not keep the session from ending.
                    if stop.run_until_cancelled(self.attend_to(event)).await.is_none() {
                        return;
                    }
                }
                SessionEvent::Turn(reply, turn) => self.follow(reply, turn),
                SessionEvent::SpokenOut(reply) => {
                    if self.is_current(reply) && self.question.is_some() {
                        self.tell_listening(DoorEvent::QuestionAsked);
                    }
                }
                SessionEvent::Stopped => return,
            }
        }
    }

    async fn next_event(&mut self, stop: &CancellationToken) -> SessionEvent {
        let inputs = &mut self.inputs;
        tokio::select! {
            biased; // Shutdown first, then the satellite, then the reply.
            () = stop.cancelled() => SessionEvent::Stopped,
            Some(stage) = inputs.stages.recv() => SessionEvent::Begun(stage),
            Some((reply, turn)) = inputs.turns.recv() => SessionEvent::Turn(reply, turn),
            Some(reply) = inputs.spoken_out.recv() => SessionEvent::SpokenOut(reply),
            heard = inputs.listened.recv() => heard.map_or(SessionEvent::Stopped, SessionEvent::Listened),
        }
    }

    fn begin(&mut self, stage: SatelliteStage) {
        self.awaited = match stage {
            SatelliteStage::Wake => AwaitedWords::Name,
            SatelliteStage::Query => {
                // A new call ends the reply, unless the reply waits for an answer.
                if self.question.is_none() {
                    self.end_reply();
                }
                self.tell_listening(DoorEvent::QuestionAsked);
                AwaitedWords::Query { is_window_open: true }
            }
        };
    }

    async fn attend_to(&mut self, event: ListeningEvent) {
        match event {
            ListeningEvent::SpeechStarted => {
                self.somebody_speaks = true;
                if matches!(self.awaited, AwaitedWords::Query { .. }) {
                    self.tell(SatelliteEvent::SpeechStarted).await;
                }
            }
            ListeningEvent::QueryExpected => self.note_name().await,
            ListeningEvent::WakeWordOnly => {
                self.somebody_speaks = false;
                self.note_name().await;
            }
            ListeningEvent::Directed { query, language, continues_previous, voice, .. } => {
                self.note_name().await;
                self.take_query(query, language, continues_previous, voice).await;
            }
            ListeningEvent::Stop => {
                self.end_turn();
                self.end_reply();
                self.tell(SatelliteEvent::Stopped).await;
            }
            ListeningEvent::HotWindow(HotWindowChange::Opened(_)) => self.note_window(true),
            ListeningEvent::HotWindow(HotWindowChange::Closed) => {
                self.note_window(false);
                self.give_up_if_silent().await;
            }
            ListeningEvent::SpeechEnded | ListeningEvent::Overheard { .. } => {
                self.somebody_speaks = false;
                if self.awaited == AwaitedWords::QueryAfterName {
                    self.awaited = AwaitedWords::Name;
                }
                self.give_up_if_silent().await;
            }
            ListeningEvent::Trouble(trouble) => self.tell(SatelliteEvent::Failed(trouble)).await,
            ListeningEvent::Partial { .. } | ListeningEvent::Level { .. } | ListeningEvent::Recovered(_) => {}
        }
    }

    /// Tells the satellite once for each query that our name was said.
    async fn note_name(&mut self) {
        if self.awaited != AwaitedWords::Name {
            return;
        }
        self.awaited = AwaitedWords::QueryAfterName;
        let name = self.inputs.listening.borrow().wake_word.name().to_owned();
        self.tell(SatelliteEvent::NameHeard { name }).await;
        self.tell(SatelliteEvent::SpeechStarted).await;
    }

    fn note_window(&mut self, is_open: bool) {
        if let AwaitedWords::Query { is_window_open } = &mut self.awaited {
            *is_window_open = is_open;
        }
    }

    /// A satellite that streams until it is told a query must not stream for ever.
    async fn give_up_if_silent(&mut self) {
        if self.awaited == (AwaitedWords::Query { is_window_open: false }) && !self.somebody_speaks {
            self.end_turn();
            self.tell(SatelliteEvent::NothingHeard).await;
        }
    }

    fn end_turn(&mut self) {
        self.somebody_speaks = false;
        self.awaited = AwaitedWords::Name;
    }

    async fn take_query(
        &mut self,
        text: String,
        language: Option<Language>,
        replaces_previous: bool,
        voice: VoiceMatch,
    ) {
        self.end_turn();
        self.tell(SatelliteEvent::Query { text: text.clone() }).await;
        let consents = |question: &Question| spoken_answer::consents(&text, question);
        if voice == VoiceMatch::TooShort && self.question.as_ref().is_some_and(consents) {
            return self.tell(SatelliteEvent::Failed(voice_unknown())).await;
        }
        if let (Some(reply), Some(question)) = (&mut self.reply, &self.question)
            && reply.answer_with(question, &text)
        {
            self.question = None;
            return;
        }
        self.end_reply();
        let (previous, channel) = (self.previous.take(), Arc::clone(&self.inputs.channel));
        let request = SatelliteRequest { text, language, replaces_previous, previous, channel };
        let (accepted, opened) = oneshot::channel();
        if self.inputs.commands.send(Command::OpenAtSatellite { request, accepted }).await.is_err() {
            return;
        }
        match opened.await {
            Ok(Ok(reply)) => self.reply = Some(reply),
            Ok(Err(refused)) => self.tell(SatelliteEvent::Failed(refused.trouble())).await,
            // The assistant ends.
            Err(_) => {}
        }
    }

    fn follow(&mut self, reply: ReplyId, turn: SatelliteTurn) {
        if !self.is_current(reply) {
            return;
        }
        match turn {
            SatelliteTurn::Asked(question) => self.question = Some(question),
            SatelliteTurn::Settled | SatelliteTurn::Done => self.question = None,
        }
    }

    fn is_current(&self, reply: ReplyId) -> bool {
        self.reply.as_ref().is_some_and(|current| current.id() == reply)
    }

    /// Ends the reply under way, and its words where they are.
    fn end_reply(&mut self) {
        self.question = None;
        if let Some(reply) = self.reply.take() {
            self.inputs.silence.send_replace(Some(reply.id()));
            self.previous = Some((reply.id(), reply.into_finished()));
        }
    }

    /// Never waits: listening may be waiting for this task.
    fn tell_listening(&self, event: DoorEvent) {
        if let Err(error) = self.inputs.doors.try_send(event) {
            tracing::warn!(%error, ?event, "the listening of a satellite missed an event");
        }
    }

    async fn tell(&self, event: SatelliteEvent) {
        // A door that is gone needs no events.
        let _ = self.inputs.events.send(event).await;
    }
}

/// An answer that was too short to know the voice by, if only enrolled voices may agree.
fn voice_unknown() -> Trouble {
    let message = "That answer was too short to know the voice by.";
    Trouble::new(Stage::EnrolledVoices, message, "Say a whole sentence, such as “yes, please do that now”.")
}
