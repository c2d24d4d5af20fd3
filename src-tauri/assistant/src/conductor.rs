//! The task that conducts: queries become replies, replies become words on screen and in the air, one at a time.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures::StreamExt;
use hearing::TurnOrder;
use listening::{DoorEvent, HotWindowChange, ListeningEvent};
use routing::{Voice, deliver};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vocabulary::{
    AssistantEvent, AssistantState, ConversationId, Language, Origin, Query, Replier, ReplyEvent, ReplyId,
    SpeechEvent, Stage, Trouble,
};

use crate::capture::CaptureStatus;
use crate::channels::ScreenAndSpeaker;
use crate::state::Activity;
use crate::talk_key::{KeyOrder, TalkKey};
use crate::voice::SpeechOutput;

/// What doors ask of the conductor.
pub(crate) enum Command {
    /// Answer this; the reply's name is sent back at once.
    Ask { text: String, origin: Origin, conversation: ConversationId, accepted: oneshot::Sender<ReplyId> },
    /// End the reply under way and fall silent; done when it is.
    Stop { done: oneshot::Sender<()> },
    /// The same, if this is the reply under way.
    StopReply { reply: ReplyId, done: oneshot::Sender<()> },
    /// The talk key went down: ends the reply under way and listens, without our name.
    TalkKeyDown { at: Instant },
    /// The talk key came up.
    TalkKeyUp { at: Instant },
    /// Say this aloud.
    ReadAloud { text: String },
    /// The microphone was muted, or is heard again.
    Muted(bool),
    /// Some part is in trouble.
    Trouble(Trouble),
    /// A part that was in trouble works again.
    Recovered(Stage),
    /// All that can be ready is.
    Ready,
}

/// What the conductor runs on.
pub(crate) struct ConductorInputs {
    pub replier: Arc<dyn Replier>,
    pub speech_output: SpeechOutput,
    pub commands: mpsc::Receiver<Command>,
    pub listened: mpsc::Receiver<ListeningEvent>,
    pub spoken: broadcast::Receiver<SpeechEvent>,
    pub capture: mpsc::Receiver<CaptureStatus>,
    /// Tells listening what happens at the doors.
    pub doors: mpsc::Sender<DoorEvent>,
    /// Tells hearing what the talk key says of the utterance under way.
    pub turns: mpsc::Sender<TurnOrder>,
    /// The state now, for doors that open later.
    pub state: watch::Sender<AssistantState>,
    pub events: broadcast::Sender<AssistantEvent>,
    /// What is wrong now, one a stage, for doors that open later. Noted here before it is told.
    pub troubles: Arc<Mutex<Vec<Trouble>>>,
    /// Replies asked for in passing. Noted here before anything of them is told.
    pub in_passing: Arc<Mutex<HashSet<ReplyId>>>,
}

/// Conducts until `stop` is cancelled; then the reply under way is ended and waited for.
pub(crate) async fn run(inputs: ConductorInputs, stop: CancellationToken) {
    let (ended, endings) = mpsc::channel(ENDINGS);
    let is_troubled = !inputs.troubles.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
    let mut conductor = Conductor {
        inputs,
        stop,
        activity: Activity { is_troubled, ..Activity::default() },
        announced: AssistantState::Idle,
        talk_key: TalkKey::default(),
        talk_key_listens: false,
        under_way: None,
        voice_is_due: false,
        next_reply: 1,
        ended,
        endings,
    };
    conductor.conduct().await;
    conductor.end_reply().await;
}

/// Replies that ended and are not taken note of yet: there is one at a time.
const ENDINGS: usize = 4;

enum Event {
    Command(Command),
    Listened(ListeningEvent),
    Spoken(SpeechEvent),
    Ears(CaptureStatus),
    ReplyEnded(Ending),
    Missed,
    Stopped,
}

struct Conductor {
    inputs: ConductorInputs,
    stop: CancellationToken,
    activity: Activity,
    announced: AssistantState,
    talk_key: TalkKey,
    /// As it was last told.
    talk_key_listens: bool,
    under_way: Option<UnderWay>,
    /// Words were handed to the voice and have not begun to sound.
    voice_is_due: bool,
    next_reply: u64,
    ended: mpsc::Sender<Ending>,
    endings: mpsc::Receiver<Ending>,
}

/// A reply ended.
struct Ending {
    reply: ReplyId,
    /// The language model gave all of it.
    is_whole: bool,
}

struct UnderWay {
    reply: ReplyId,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Conductor {
    async fn conduct(&mut self) {
        loop {
            match self.next_event().await {
                Event::Command(command) => self.obey(command).await,
                Event::Listened(heard) => self.attend_to(heard).await,
                Event::Spoken(speech) => self.follow_voice(speech),
                Event::Ears(event) => self.mind_ears(event),
                Event::ReplyEnded(Ending { reply, is_whole }) => {
                    if is_whole {
                        self.note_recovery(Stage::LanguageModel);
                    }
                    if self.under_way.as_ref().is_some_and(|under_way| under_way.reply == reply) {
                        self.under_way = None;
                    }
                }
                Event::Missed => {}
                Event::Stopped => return,
            }
            self.announce_state();
        }
    }

    async fn next_event(&mut self) -> Event {
        let inputs = &mut self.inputs;
        tokio::select! {
            biased; // Shutdown first, then the user, then what our own voice does.
            () = self.stop.cancelled() => Event::Stopped,
            command = inputs.commands.recv() => command.map_or(Event::Stopped, Event::Command),
            speech = inputs.spoken.recv() => match speech {
                Ok(speech) => Event::Spoken(speech),
                Err(broadcast::error::RecvError::Lagged(_)) => Event::Missed,
                Err(broadcast::error::RecvError::Closed) => Event::Stopped,
            },
            Some(ending) = self.endings.recv() => Event::ReplyEnded(ending),
            Some(heard) = inputs.listened.recv() => Event::Listened(heard),
            Some(event) = inputs.capture.recv() => Event::Ears(event),
        }
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Ask { text, origin, conversation, accepted } => {
                let reply = self.begin_reply(text, None, origin, conversation, Instant::now()).await;
                // Whoever asked may have gone: the answer is shown all the same.
                let _ = accepted.send(reply);
                let _ = self.inputs.doors.try_send(DoorEvent::QueryAccepted);
            }
            Command::Stop { done } => {
                self.end_reply().await;
                self.talk_key.reset();
                self.order(TurnOrder::ThrowAway, DoorEvent::ThrowAway);
                let _ = done.send(());
            }
            Command::StopReply { reply, done } => {
                if self.under_way.as_ref().is_some_and(|under_way| under_way.reply == reply) {
                    self.end_reply().await;
                }
                let _ = done.send(());
            }
            Command::TalkKeyDown { at } => {
                if let Some(order) = self.talk_key.press(at) {
                    self.end_reply().await;
                    self.obey_key(order);
                }
            }
            Command::TalkKeyUp { at } => {
                if let Some(order) = self.talk_key.release(at, self.activity.somebody_speaks) {
                    self.obey_key(order);
                }
            }
            Command::ReadAloud { text } => self.read_aloud(text).await,
            Command::Muted(is_muted) => {
                self.activity.is_muted = is_muted;
                self.activity.somebody_speaks = false;
                if is_muted {
                    self.talk_key.reset();
                    self.order(TurnOrder::ThrowAway, DoorEvent::ThrowAway);
                }
            }
            Command::Trouble(trouble) => self.note_trouble(trouble),
            Command::Recovered(stage) => self.note_recovery(stage),
            Command::Ready => self.tell(AssistantEvent::Ready),
        }
    }

    fn obey_key(&mut self, order: KeyOrder) {
        match order {
            KeyOrder::Hold => self.order(TurnOrder::Hold, DoorEvent::Hold),
            KeyOrder::ListenOn => self.order(TurnOrder::LetGo, DoorEvent::Talk),
            KeyOrder::End => self.order(TurnOrder::End, DoorEvent::LetGo),
            KeyOrder::ThrowAway => self.order(TurnOrder::ThrowAway, DoorEvent::ThrowAway),
        }
    }

    fn order(&self, turn: TurnOrder, door: DoorEvent) {
        // Both take orders as soon as they come; one that is lost is mended by the next press.
        let _ = self.inputs.turns.try_send(turn);
        let _ = self.inputs.doors.try_send(door);
    }

    async fn attend_to(&mut self, heard: ListeningEvent) {
        let may_end_listening =
            !matches!(heard, ListeningEvent::Level { .. } | ListeningEvent::Partial { .. });
        match heard {
            ListeningEvent::SpeechStarted => self.activity.somebody_speaks = true,
            ListeningEvent::SpeechEnded => self.activity.somebody_speaks = false,
            ListeningEvent::Partial { utterance, text } => {
                self.note_recovery(Stage::Recognition);
                self.tell(AssistantEvent::Partial { utterance, text });
            }
            ListeningEvent::Directed { query, language, ended_at, .. } => {
                self.activity.somebody_speaks = false;
                self.note_recovery(Stage::Recognition);
                self.begin_reply(query, language, Origin::Voice, ConversationId::main(), ended_at).await;
            }
            ListeningEvent::Called => self.activity.somebody_speaks = false,
            ListeningEvent::Stop => {
                self.activity.somebody_speaks = false;
                self.end_reply().await;
            }
            ListeningEvent::Overheard { utterance, text, is_echo } => {
                self.activity.somebody_speaks = false;
                tracing::info!(is_echo, "something was overheard");
                self.tell(AssistantEvent::Overheard { utterance, text, is_echo });
            }
            ListeningEvent::Level { dbfs } => self.tell(AssistantEvent::Level { dbfs }),
            ListeningEvent::HotWindow(HotWindowChange::Opened(lasts)) => {
                tracing::info!("the hot window opened");
                self.activity.is_hot = true;
                self.tell(AssistantEvent::HotWindowOpened { lasts });
            }
            ListeningEvent::HotWindow(HotWindowChange::Closed) => {
                self.activity.is_hot = false;
                self.tell(AssistantEvent::HotWindowClosed);
                // Nobody holds a key so long: its release was lost, and hearing must not wait for it.
                if self.talk_key.is_held() {
                    self.talk_key.reset();
                    self.order(TurnOrder::LetGo, DoorEvent::LetGo);
                }
            }
            ListeningEvent::Trouble(trouble) => self.note_trouble(trouble),
            ListeningEvent::Recovered(stage) => self.note_recovery(stage),
        }
        if may_end_listening && !self.activity.is_hot && !self.activity.somebody_speaks {
            self.talk_key.is_done();
        }
    }

    fn follow_voice(&mut self, speech: SpeechEvent) {
        self.voice_is_due = false;
        match &speech {
            SpeechEvent::Started { reply, .. } => {
                tracing::info!(reply = reply.0, "the voice began");
                self.activity.is_speaking = true;
            }
            SpeechEvent::Sentence { .. } => self.activity.is_speaking = true,
            SpeechEvent::Finished { reply, .. } => {
                tracing::info!(reply = reply.0, "the voice finished");
                self.activity.is_speaking = false;
            }
            SpeechEvent::Interrupted { reply, .. } => {
                tracing::info!(reply = reply.0, "the voice was interrupted");
                self.activity.is_speaking = false;
            }
        }
        self.tell(AssistantEvent::Speech(speech));
    }

    fn mind_ears(&mut self, event: CaptureStatus) {
        match event {
            CaptureStatus::Trouble(trouble) => self.note_trouble(trouble),
            CaptureStatus::Recovered(stage) => self.note_recovery(stage),
            CaptureStatus::Ended => self.tell(AssistantEvent::RecordingEnded),
        }
    }

    /// Starts answering. The newest query wins, so a barge-in only ends the reply under way.
    async fn begin_reply(
        &mut self,
        text: String,
        language: Option<Language>,
        origin: Origin,
        conversation: ConversationId,
        asked_at: Instant,
    ) -> ReplyId {
        // We wait for the old reply to end: two replies must never speak at once.
        self.end_reply().await;
        let reply = ReplyId(self.next_reply);
        self.next_reply += 1;
        tracing::info!(
            reply = reply.0,
            ?origin,
            after_ms = asked_at.elapsed().as_millis() as u64,
            "a query was accepted"
        );
        if conversation.is_temporary() {
            self.inputs.in_passing.lock().unwrap_or_else(PoisonError::into_inner).insert(reply);
        }
        self.tell(AssistantEvent::Asked { reply, text: text.clone(), origin: origin.clone() });
        let voice = if origin == Origin::Voice { Voice::Aloud } else { Voice::Silent };
        self.voice_is_due = voice == Voice::Aloud && self.inputs.speech_output.speaks();
        let query = Query { reply, text, language, origin, conversation };
        let stop = self.stop.child_token();
        let answering = Answering {
            replier: Arc::clone(&self.inputs.replier),
            speech_output: self.inputs.speech_output.clone(),
            events: self.inputs.events.clone(),
            ended: self.ended.clone(),
        };
        let task = tokio::spawn(answering.answer(query, voice, stop.clone()));
        self.under_way = Some(UnderWay { reply, stop, task });
        reply
    }

    /// Says a text that was written before. Ends the reply under way.
    async fn read_aloud(&mut self, text: String) {
        self.end_reply().await;
        let reply = ReplyId(self.next_reply);
        self.next_reply += 1;
        self.voice_is_due = self.inputs.speech_output.speaks();
        let (speech_output, ended, stop) =
            (self.inputs.speech_output.clone(), self.ended.clone(), self.stop.child_token());
        let is_called_off = stop.clone();
        let task = tokio::spawn(async move {
            for sentence in replying::sentences(&text) {
                if is_called_off.is_cancelled() || speech_output.say(reply, &sentence).await.is_err() {
                    break;
                }
            }
            speech_output.finish(reply).await;
            // The conductor may be waiting for this very task, and knows then.
            let _ = ended.try_send(Ending { reply, is_whole: false });
        });
        self.under_way = Some(UnderWay { reply, stop, task });
    }

    /// Ends the reply under way, its model and its voice, and waits for it.
    async fn end_reply(&mut self) {
        self.voice_is_due = false;
        self.inputs.speech_output.fall_silent();
        if let Some(under_way) = self.under_way.take() {
            under_way.stop.cancel();
            if let Err(panic) = under_way.task.await {
                tracing::error!(%panic, "the reply under way did not end cleanly");
            }
            // A sentence may have slipped through between the two.
            self.inputs.speech_output.fall_silent();
        }
    }

    fn note_trouble(&mut self, trouble: Trouble) {
        let mut troubles = self.inputs.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        troubles.retain(|known| known.stage != trouble.stage);
        troubles.push(trouble.clone());
        drop(troubles);
        self.activity.is_troubled = true;
        self.tell(AssistantEvent::Trouble(trouble));
    }

    fn note_recovery(&mut self, stage: Stage) {
        if !self.activity.is_troubled {
            return;
        }
        let mut troubles = self.inputs.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let mended = troubles.iter().position(|known| known.stage == stage).map(|at| troubles.remove(at));
        self.activity.is_troubled = !troubles.is_empty();
        drop(troubles);
        if let Some(mended) = mended {
            self.tell(AssistantEvent::Recovered(mended));
        }
    }

    fn announce_state(&mut self) {
        let is_listening = self.talk_key.is_listening();
        if std::mem::replace(&mut self.talk_key_listens, is_listening) != is_listening {
            self.tell(AssistantEvent::TalkKey { is_listening });
        }
        self.activity.is_replying = self.under_way.is_some() || self.voice_is_due;
        let state = self.activity.state();
        if std::mem::replace(&mut self.announced, state) != state {
            self.inputs.state.send_replace(state);
            self.tell(AssistantEvent::State(state));
        }
    }

    fn tell(&self, event: AssistantEvent) {
        // Without a door open nobody reads along, which is fine.
        let _ = self.inputs.events.send(event);
    }
}

/// One reply on its way from the engine to screen and voice.
struct Answering {
    replier: Arc<dyn Replier>,
    speech_output: SpeechOutput,
    events: broadcast::Sender<AssistantEvent>,
    ended: mpsc::Sender<Ending>,
}

impl Answering {
    async fn answer(self, query: Query, voice: Voice, stop: CancellationToken) {
        let reply = query.reply;
        let channel =
            ScreenAndSpeaker { events: self.events.clone(), speech_output: self.speech_output.clone() };
        let mut delivery = Some(deliver(&channel, reply, voice));
        let mut stream = self.replier.reply(query, stop.clone());
        let (mut is_done, mut has_failed) = (false, false);
        while let Some(event) = stream.next().await {
            is_done |= matches!(event, ReplyEvent::Done(_));
            has_failed |= matches!(event, ReplyEvent::Failed(_));
            if let Some(delivery) = &mut delivery
                && !stop.is_cancelled()
            {
                delivery.pass_on(&event).await;
            }
            if let ReplyEvent::Done(response) = &event
                && let Some(delivery) = delivery.take()
                && !stop.is_cancelled()
            {
                let outcome = delivery.close(response).await;
                tracing::info!(reply = reply.0, ?outcome, "a reply was delivered");
            }
            // The channel has shown the deltas already.
            if !matches!(event, ReplyEvent::Delta { .. }) {
                let _ = self.events.send(AssistantEvent::Reply { reply, event });
            }
        }
        // The conductor may be waiting for this very task, and knows then.
        let is_whole = is_done && !has_failed && !stop.is_cancelled();
        let _ = self.ended.try_send(Ending { reply, is_whole });
    }
}
