//! The one task that decides what happens next: queries become the foreground reply, callers get background replies,
//! and the state that people see follows from all that goes on.

mod listening_events; // what was heard, and for whom it was meant
mod read_aloud; // text that is read aloud

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use listening::{DoorEvent, ListeningEvent};
use parking_lot::Mutex;
use routing::Registration;
use speaking::Earcon;
use tokio::sync::{Notify, broadcast, mpsc, watch};
use tokio_util::sync::CancellationToken;
use vocabulary::{
    AssistantEvent, AssistantState, ConversationId, Language, Origin, Query, Question, ReplyId, SpeechEvent,
    Stage, TalkOrder, Trouble,
};

use self::read_aloud::{ReadAloudTask, has_ended};
use crate::appointments::appointment_ringer::RingerHandle;
use crate::command::Command;
use crate::event_bus::EventBus;
use crate::replies::{EndedReply, ReplyRefused, ReplySessions, check_length};
use crate::sound_paths::capture::CaptureStatus;
use crate::sound_paths::voice::SpeechOutput;
use crate::state::Activity;
use crate::talk_key::TalkKey;

/// The inputs of the coordinator.
pub(crate) struct CoordinatorInputs {
    pub replies: ReplySessions,
    /// Keeps the channel to the person registered.
    pub _person: Registration,
    pub speech_output: SpeechOutput,
    /// Timers, alarms and reminders that ring.
    pub ringer: RingerHandle,
    pub commands: mpsc::Receiver<Command>,
    pub listened: mpsc::Receiver<ListeningEvent>,
    pub spoken: broadcast::Receiver<SpeechEvent>,
    pub capture: mpsc::Receiver<CaptureStatus>,
    /// Events of the doors that listening needs.
    pub doors: mpsc::Sender<DoorEvent>,
    /// The orders of the talk key, for hearing; listening gets them from there.
    pub talk_orders: mpsc::Sender<TalkOrder>,
    /// Told when a query seems to follow, so that models are loaded while it is still being said.
    pub expected: Arc<Notify>,
    /// The state now, for doors that open later.
    pub state: watch::Sender<AssistantState>,
    pub events: EventBus,
    /// Current troubles, one a stage, for doors that open later. Updated before its event is sent.
    pub troubles: Arc<Mutex<Vec<Trouble>>>,
}

/// Runs until `stop` is cancelled; then all replies are ended and waited for.
pub(crate) async fn run(inputs: CoordinatorInputs, stop: CancellationToken) {
    let has_trouble = !inputs.troubles.lock().is_empty();
    let question = inputs.replies.question();
    let mut coordinator = Coordinator {
        inputs,
        question,
        stop,
        activity: Activity { has_trouble, ..Activity::default() },
        announced: AssistantState::Idle,
        talk_key: TalkKey::default(),
        talk_key_listens: false,
        talk_orders: VecDeque::new(),
        reading: None,
        voice_due: None,
        is_aloud: false,
        question_is_due: false,
    };
    coordinator.coordinate().await;
    coordinator.end_foreground().await;
    coordinator.inputs.replies.end_all().await;
}

enum CoordinatorEvent {
    Command(Command),
    Listened(ListeningEvent),
    Spoken(SpeechEvent),
    Capture(CaptureStatus),
    ReplyEnded(EndedReply),
    ReadingEnded,
    QuestionChanged,
    /// An order of the talk key was handed to hearing.
    OrderSent,
    /// Events of our voice were lost: what comes next says all that counts.
    Missed,
    Stopped,
}

struct Coordinator {
    inputs: CoordinatorInputs,
    question: watch::Receiver<Option<Question>>,
    stop: CancellationToken,
    activity: Activity,
    announced: AssistantState,
    talk_key: TalkKey,
    /// As it was last announced.
    talk_key_listens: bool,
    /// Orders that hearing has not taken yet. They come from a person's finger, so there are never many.
    talk_orders: VecDeque<TalkOrder>,
    /// A text that is read aloud.
    reading: Option<ReadAloudTask>,
    /// The reply whose words are about to be handed to the voice, or were, and have not begun to sound.
    voice_due: Option<ReplyId>,
    /// The foreground reply is spoken.
    is_aloud: bool,
    /// A question was asked that is not spoken to its end yet.
    question_is_due: bool,
}

impl Coordinator {
    async fn coordinate(&mut self) {
        loop {
            match self.next_event().await {
                CoordinatorEvent::Command(command) => self.obey(command).await,
                CoordinatorEvent::Listened(heard) => self.attend_to(heard).await,
                CoordinatorEvent::Spoken(speech) => self.follow_voice(speech),
                CoordinatorEvent::Capture(status) => self.follow_capture(status),
                CoordinatorEvent::ReplyEnded(EndedReply { reply, is_whole, .. }) => {
                    if is_whole {
                        self.note_recovery(Stage::LanguageModel);
                    }
                    if self.voice_due == Some(reply) {
                        // A reply that broke off has not said so.
                        self.inputs.speech_output.finish(reply).await;
                    }
                }
                CoordinatorEvent::ReadingEnded => self.reading = None,
                CoordinatorEvent::QuestionChanged => self.follow_question(),
                CoordinatorEvent::OrderSent | CoordinatorEvent::Missed => {}
                CoordinatorEvent::Stopped => return,
            }
            self.announce_state();
        }
    }

    async fn next_event(&mut self) -> CoordinatorEvent {
        let inputs = &mut self.inputs;
        let talk_orders = &mut self.talk_orders;
        tokio::select! {
            biased; // Shutdown first, then the user, then what our own voice does.
            () = self.stop.cancelled() => CoordinatorEvent::Stopped,
            Ok(permit) = inputs.talk_orders.reserve(), if !talk_orders.is_empty() => {
                if let Some(order) = talk_orders.pop_front() {
                    permit.send(order);
                }
                CoordinatorEvent::OrderSent
            }
            command = inputs.commands.recv() => command.map_or(CoordinatorEvent::Stopped, CoordinatorEvent::Command),
            speech = inputs.spoken.recv() => match speech {
                Ok(speech) => CoordinatorEvent::Spoken(speech),
                Err(broadcast::error::RecvError::Lagged(_)) => CoordinatorEvent::Missed,
                Err(broadcast::error::RecvError::Closed) => CoordinatorEvent::Stopped,
            },
            Some(ended) = inputs.replies.ended() => CoordinatorEvent::ReplyEnded(ended),
            () = has_ended(&mut self.reading) => CoordinatorEvent::ReadingEnded,
            Ok(()) = self.question.changed() => CoordinatorEvent::QuestionChanged,
            Some(heard) = inputs.listened.recv() => CoordinatorEvent::Listened(heard),
            Some(status) = inputs.capture.recv() => CoordinatorEvent::Capture(status),
        }
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Ask { text, origin, replaces_previous, accepted } => {
                let reply = self.ask(text, origin, replaces_previous).await;
                // The door may have closed: the answer is shown all the same.
                let _ = accepted.send(reply);
            }
            Command::Open { request, accepted } => {
                // A caller that left meanwhile drops the handle, which stops the reply.
                let _ = accepted.send(self.inputs.replies.open(request));
            }
            Command::OpenAtSatellite { request, accepted } => {
                // A satellite that left meanwhile drops the reply, which stops it.
                let _ = accepted.send(self.inputs.replies.open_at_satellite(request));
            }
            Command::Answer { answer, taken } => {
                let _ = taken.send(self.inputs.replies.answer(answer));
            }
            Command::Stop { done } => {
                self.end_foreground().await;
                self.inputs.ringer.stop_sounding().await;
                self.discard_talk();
                let _ = done.send(());
            }
            Command::TalkKeyDown { at } => self.press_talk_key(at).await,
            Command::TalkKeyUp { at } => {
                self.talk_orders.extend(self.talk_key.release(at, self.activity.somebody_speaks));
            }
            Command::ReadAloud { text } => self.read_aloud(text).await,
            Command::Muted(is_muted) => self.follow_mute(is_muted),
            Command::Trouble(trouble) => self.note_trouble(trouble),
            Command::NothingToHear(reply) => {
                self.voice_due.take_if(|due| *due == reply);
                self.note_voice_ended(reply);
            }
            Command::VoiceMissing { language, download } => {
                self.send(AssistantEvent::VoiceMissing { language, download });
            }
            Command::Recovered(stage) => self.note_recovery(stage),
            Command::Ready => self.send(AssistantEvent::Ready),
        }
    }

    async fn press_talk_key(&mut self, at: Instant) {
        if let Some(order) = self.talk_key.press(at) {
            self.inputs.expected.notify_one();
            self.end_foreground().await;
            self.talk_orders.push_back(order);
        }
    }

    fn follow_mute(&mut self, is_muted: bool) {
        self.activity.is_muted = is_muted;
        self.activity.somebody_speaks = false;
        if is_muted {
            self.discard_talk();
        }
    }

    /// Lets go of the talk key, and of what was said while it was held.
    fn discard_talk(&mut self) {
        self.talk_key.reset();
        self.talk_orders.push_back(TalkOrder::Discard);
    }

    async fn ask(
        &mut self,
        text: String,
        origin: Origin,
        replaces_previous: bool,
    ) -> Result<ReplyId, ReplyRefused> {
        check_length(&text)?;
        let rings = self.inputs.ringer.rings();
        if !rings.is_empty() && listening::is_stop_in_any_language(&text) {
            self.end_foreground().await;
            for ring in rings {
                if let Err(error) = self.inputs.ringer.stop(ring.appointment).await {
                    tracing::warn!(%error, "an appointment was not settled");
                }
            }
            return Ok(self.inputs.replies.next_id());
        }
        let answered = if replaces_previous { None } else { self.inputs.replies.answer_with(&text) };
        let reply = match answered {
            Some(reply) => reply,
            None => {
                let said = UnnamedQuery { text, language: None, origin, replaces_previous };
                self.begin_reply(said, Instant::now()).await
            }
        };
        self.tell_listening(DoorEvent::QueryAccepted);
        Ok(reply)
    }

    fn follow_question(&mut self) {
        let is_asked = self.question.borrow_and_update().is_some();
        // Before its question is heard, nobody answers it: what is heard then is the question itself.
        self.question_is_due = is_asked && self.is_aloud;
        if is_asked && !self.is_aloud {
            self.await_answer();
        }
    }

    /// Awaits the answer to the question of this reply, if it waits for one: it was heard, or stands on the screen alone.
    fn note_voice_ended(&mut self, reply: ReplyId) {
        if self.inputs.replies.foreground() != Some(reply) {
            return;
        }
        // The news of the question may have been overtaken.
        if self.question.has_changed().unwrap_or(false) {
            self.follow_question();
        }
        if std::mem::take(&mut self.question_is_due) {
            self.await_answer();
        }
    }

    /// Opens the hot window for an answer.
    fn await_answer(&self) {
        self.tell_listening(DoorEvent::QuestionAsked);
    }

    /// Never waits: listening may be waiting for this task.
    fn tell_listening(&self, event: DoorEvent) {
        if let Err(error) = self.inputs.doors.try_send(event) {
            tracing::warn!(%error, ?event, "listening missed an event of the window or the terminal");
        }
    }

    fn follow_voice(&mut self, speech: SpeechEvent) {
        let (SpeechEvent::Started { reply, .. }
        | SpeechEvent::Sentence { reply, .. }
        | SpeechEvent::Finished { reply, .. }
        | SpeechEvent::Interrupted { reply, .. }) = speech;
        self.voice_due.take_if(|due| *due == reply);
        match &speech {
            SpeechEvent::Started { .. } => {
                tracing::info!(reply = reply.0, "the voice began");
                self.activity.is_speaking = true;
                self.inputs.replies.note_voice(reply);
            }
            SpeechEvent::Sentence { .. } => self.activity.is_speaking = true,
            SpeechEvent::Finished { .. } => {
                tracing::info!(reply = reply.0, "the voice finished");
                self.activity.is_speaking = false;
                self.note_voice_ended(reply);
            }
            SpeechEvent::Interrupted { .. } => {
                tracing::info!(reply = reply.0, "the voice was interrupted");
                self.activity.is_speaking = false;
                self.note_voice_ended(reply);
            }
        }
        self.send(AssistantEvent::Speech(speech));
    }

    fn follow_capture(&mut self, status: CaptureStatus) {
        match status {
            CaptureStatus::Trouble(trouble) => self.note_trouble(trouble),
            CaptureStatus::Recovered(stage) => self.note_recovery(stage),
            CaptureStatus::Ended => self.send(AssistantEvent::RecordingEnded),
        }
    }

    /// Starts answering. The newest query wins, so a barge-in only ends the reply under way.
    async fn begin_reply(&mut self, said: UnnamedQuery, asked_at: Instant) -> ReplyId {
        // We wait for the old reply to end: two replies must never speak at once.
        self.end_foreground().await;
        let reply = self.inputs.replies.next_id();
        let UnnamedQuery { text, language, origin, replaces_previous } = said;
        tracing::info!(
            reply = reply.0,
            ?origin,
            after_ms = asked_at.elapsed().as_millis() as u64,
            "a query was accepted"
        );
        self.is_aloud = origin == Origin::Voice && self.inputs.speech_output.speaks();
        self.voice_due = self.is_aloud.then_some(reply);
        let conversation = ConversationId::main();
        let query = Query { reply, text, language, origin, conversation, replaces_previous };
        self.inputs.replies.begin_foreground(query);
        reply
    }

    /// Says a text that was written before. Ends the reply under way.
    async fn read_aloud(&mut self, text: String) {
        self.end_foreground().await;
        let reply = self.inputs.replies.next_id();
        self.voice_due = self.inputs.speech_output.speaks().then_some(reply);
        let (speech_output, stop) = (self.inputs.speech_output.clone(), self.stop.child_token());
        let is_stopped = stop.clone();
        let task = tokio::spawn(async move {
            for sentence in replying::sentences(&text) {
                let language = replying::language_of_sentence(&sentence, None);
                let said = speech_output.say(reply, &sentence, language.as_ref());
                if is_stopped.is_cancelled() || said.await.is_err() {
                    break;
                }
            }
            speech_output.finish(reply).await;
        });
        self.reading = Some(ReadAloudTask { stop, task });
    }

    /// Ends the foreground reply, its model and its voice, and waits for it.
    async fn end_foreground(&mut self) {
        self.voice_due = None;
        self.inputs.speech_output.fall_silent();
        self.inputs.replies.end_foreground().await;
        if let Some(ReadAloudTask { stop, task }) = self.reading.take() {
            stop.cancel();
            if let Err(panic) = task.await {
                tracing::error!(%panic, "reading aloud did not end cleanly");
            }
        }
        // A sentence may have slipped through between the two.
        self.inputs.speech_output.fall_silent();
    }

    fn note_trouble(&mut self, trouble: Trouble) {
        let mut troubles = self.inputs.troubles.lock();
        troubles.retain(|known| known.stage != trouble.stage);
        troubles.push(trouble.clone());
        drop(troubles);
        self.activity.has_trouble = true;
        self.send(AssistantEvent::Trouble(trouble));
    }

    fn note_recovery(&mut self, stage: Stage) {
        if !self.activity.has_trouble {
            return;
        }
        let mut troubles = self.inputs.troubles.lock();
        let mended = troubles.iter().position(|known| known.stage == stage).map(|at| troubles.remove(at));
        self.activity.has_trouble = !troubles.is_empty();
        drop(troubles);
        if let Some(mended) = mended {
            self.send(AssistantEvent::Recovered(mended));
        }
    }

    fn announce_state(&mut self) {
        let is_listening = self.talk_key.is_listening();
        if std::mem::replace(&mut self.talk_key_listens, is_listening) != is_listening {
            self.send(AssistantEvent::TalkKey { is_listening });
            if is_listening {
                self.inputs.speech_output.signal(Earcon::Listening);
            }
        }
        self.activity.is_replying =
            self.inputs.replies.foreground().is_some() || self.reading.is_some() || self.voice_due.is_some();
        let is_worked_on = self.voice_due.is_some() && self.inputs.replies.foreground().is_some();
        self.inputs.speech_output.show_thinking(is_worked_on && !self.activity.somebody_speaks);
        let state = self.activity.state();
        if std::mem::replace(&mut self.announced, state) != state {
            self.inputs.state.send_replace(state);
            self.send(AssistantEvent::State(state));
        }
    }

    fn send(&self, event: AssistantEvent) {
        self.inputs.events.tell(event);
    }
}

/// A query, before it has a name.
struct UnnamedQuery {
    text: String,
    language: Option<Language>,
    origin: Origin,
    replaces_previous: bool,
}

#[cfg(test)]
mod tests;
