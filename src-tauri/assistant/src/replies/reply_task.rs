//! The task of one reply: from the query to exactly one end, whatever happens in between.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::channel::mpsc::{Receiver as CallReceiver, Sender as AnswerSender};
use futures::channel::oneshot;
use futures::{FutureExt, StreamExt};
use languages::messages::Messages;
use routing::{Channels, Delivery, Feedback, Registration, RunEnd, feedback};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use vocabulary::{
    Answer, AssistantEvent, CALLER_PATIENCE, Caller, CallerCall, Language, OutgoingResponse, Query, Question,
    Replier, ReplyControls, ReplyEvent, ReplyId, ReplyStream, ReplyTrace, Stage, Trouble,
};

use super::late_voice::LateVoice;
use super::turn::Turn;
use crate::event_bus::EventBus;

/// The time that a stopped reply may take to end by itself; then it is dropped.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// The number of events of a stopped reply that are discarded before it is dropped: more than any reply has on its way.
const DISCARDED_AT_MOST: usize = 1024;

/// A reply under way, as its owner sees it.
pub(crate) struct Session {
    pub reply: ReplyId,
    pub query: Query,
    pub stop: CancellationToken,
    /// Cancelled when its task has ended, however it ended.
    pub finished: CancellationToken,
    pub answers: AnswerSender<Answer>,
}

/// A reply ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EndedReply {
    pub reply: ReplyId,
    /// The language model gave all of it.
    pub is_whole: bool,
    /// Its words wait for the loudspeaker.
    pub late_voice: Option<LateVoice>,
}

impl EndedReply {
    /// The end of a reply of which nothing more is known.
    pub fn broken(reply: ReplyId) -> Self {
        Self { reply, is_whole: false, late_voice: None }
    }
}

/// The way of the calls of a caller's own tools.
pub(super) struct CallsToCaller {
    pub from_reply: CallReceiver<CallerCall>,
    pub to_caller: mpsc::Sender<CallerCall>,
}

/// All that the task of a reply works with.
pub(super) struct SessionTask {
    pub query: Query,
    replier: Arc<dyn Replier>,
    channels: Channels,
    controls: ReplyControls,
    answers: AnswerSender<Answer>,
    stop: CancellationToken,
    finished: CancellationToken,
    after: Option<CancellationToken>,
    calls: Option<CallsToCaller>,
    turn: Option<Turn>,
    question: Option<watch::Sender<Option<Question>>>,
    bus: Option<EventBus>,
    /// The questions are copied to the bus, too.
    shows_questions: bool,
    registration: Option<Registration>,
}

impl SessionTask {
    /// Answers `query` with `replier` through the channel of its origin.
    pub fn new(
        replier: Arc<dyn Replier>,
        query: Query,
        channels: Channels,
        controls: ReplyControls,
        answers: AnswerSender<Answer>,
    ) -> Self {
        let stop = controls.stop.clone();
        Self {
            query,
            replier,
            channels,
            controls,
            answers,
            stop,
            finished: CancellationToken::new(),
            after: None,
            calls: None,
            turn: None,
            question: None,
            bus: None,
            shows_questions: true,
            registration: None,
        }
    }

    /// Publishes the question that the reply waits for an answer to.
    pub fn with_question(mut self, question: watch::Sender<Option<Question>>) -> Self {
        self.question = Some(question);
        self
    }

    /// Replies to this caller instead of the user of this machine.
    pub fn asked_by(mut self, caller: Caller, calls: CallsToCaller) -> Self {
        self.controls.caller = caller;
        self.calls = Some(calls);
        self
    }

    /// Waits for the reply that it supersedes to end.
    pub fn after(mut self, previous: Option<CancellationToken>) -> Self {
        self.after = previous;
        self
    }

    /// Waits for its turn among the background replies, and for the foreground reply to end.
    pub fn in_turn(mut self, running: Arc<Semaphore>, foreground: watch::Receiver<Option<ReplyId>>) -> Self {
        self.turn = Some(Turn::new(running, foreground));
        self
    }

    /// Copies every event to the bus.
    pub fn shown_to(mut self, bus: EventBus) -> Self {
        self.bus = Some(bus);
        self
    }

    /// Copies every event but questions to the bus: nobody at this machine can answer them.
    pub fn shown_without_questions_to(mut self, bus: EventBus) -> Self {
        self.shows_questions = false;
        self.shown_to(bus)
    }

    /// Keeps the reply's channel registered until it ends.
    pub fn with_registration(mut self, registration: Registration) -> Self {
        self.registration = Some(registration);
        self
    }

    /// The owner's view of this task.
    pub fn session(&self) -> Session {
        Session {
            reply: self.query.reply,
            query: self.query.clone(),
            stop: self.stop.clone(),
            finished: self.finished.clone(),
            answers: self.answers.clone(),
        }
    }

    /// Replies. Ends soon after `stop` is cancelled; its channel is closed exactly once.
    pub async fn run(self) -> EndedReply {
        let span = tracing::info_span!(
            "reply",
            reply = self.query.reply.0,
            conversation = %self.query.conversation.0,
            origin = ?self.query.origin,
        );
        self.answer().instrument(span).await
    }

    async fn answer(mut self) -> EndedReply {
        let reply = self.query.reply;
        let _finished = self.finished.clone().drop_guard();
        let _registration = self.registration.take();
        let Some(mut delivery) = self.open_channel() else { return EndedReply::broken(reply) };
        let events = Events {
            question: self.question.take(),
            bus: self.bus.take(),
            shows_questions: self.shows_questions,
            reply,
        };
        events.ask(&self.query).await;
        self.wait_for_turn().await;
        let waiting = CallerOfTurn { turn: self.turn.take(), calls: self.calls.take() };
        let asker = Asker { is_voice: self.query.origin.is_spoken(), language: self.query.language.clone() };
        let conversation = self.query.conversation.clone();
        let stream = self.replier.reply(self.query, self.controls);
        let (stop, mut kept) = (self.stop, Kept::default());
        let relay =
            EventRelay { waiting, delivery: &mut delivery, events: &events, kept: &mut kept, stop: &stop };
        let answering = relay.pass_on_all(stream);
        // A bug in one reply must not end the others, nor leave its caller without an end.
        let answered = AssertUnwindSafe(answering).catch_unwind().await;
        let Kept { mut troubles, trace } = kept;
        let is_whole = matches!(answered, Ok(Some(_))) && troubles.is_empty() && !stop.is_cancelled();
        let mut response = answered.unwrap_or_default();
        if response.is_none() && !stop.is_cancelled() {
            troubles.push(broke_off());
            events.publish(&mut delivery, ReplyEvent::Failed(broke_off())).await;
        }
        let guarantee = Guarantee { replier: self.replier.as_ref(), asker, troubles: &troubles, stop: &stop };
        // A channel that hangs must not keep a stopped reply from ending.
        stop.run_until_cancelled(guarantee.deliver(&mut delivery, &mut response)).await;
        let arrived = delivery.outcome().trace();
        self.replier.note_delivery(&conversation, reply, arrived.clone());
        let trace = trace.map(|trace| Box::new(ReplyTrace { delivery: Some(arrived), ..*trace }));
        if let Some(trace) = trace.clone() {
            stop.run_until_cancelled(events.publish(&mut delivery, ReplyEvent::Traced(trace))).await;
        }
        let late_voice = LateVoice::new(reply, conversation, delivery.outcome(), trace);
        let response = response.unwrap_or_default();
        let outcome = delivery.close(&response).await;
        tracing::info!(?outcome, "a reply was delivered");
        events.show(ReplyEvent::Done(response)).await;
        events.settle();
        EndedReply { reply, is_whole, late_voice: late_voice.filter(|_| !stop.is_cancelled()) }
    }

    fn open_channel(&self) -> Option<Delivery> {
        let opened = self.channels.open(&self.query);
        opened.inspect_err(|error| tracing::error!(%error, "a query was not answered")).ok()
    }

    /// Waits until the reply may ask the model.
    async fn wait_for_turn(&mut self) {
        let (after, turn) = (self.after.take(), &mut self.turn);
        let waiting = async {
            if let Some(previous) = after {
                previous.cancelled().await;
            }
            if let Some(turn) = turn {
                turn.take().await;
            }
        };
        self.stop.run_until_cancelled(waiting).await;
    }
}

/// The one who asked.
struct Asker {
    is_voice: bool,
    language: Option<Language>,
}

/// Sees to it that whoever asked gets something.
struct Guarantee<'r> {
    replier: &'r dyn Replier,
    asker: Asker,
    troubles: &'r [Trouble],
    stop: &'r CancellationToken,
}

impl Guarantee<'_> {
    /// Delivers the response. What is missing of it is sent once more; if nothing arrives, words of our own take its place.
    async fn deliver(&self, delivery: &mut Delivery, response: &mut Option<OutgoingResponse>) {
        if let Some(response) = &*response {
            delivery.deliver(response).await;
        }
        let mut is_retried = false;
        while !self.stop.is_cancelled() {
            let text = match self.decide(delivery, response.as_ref(), is_retried) {
                Feedback::Nothing => return,
                Feedback::Retry => {
                    if let Some(response) = &*response {
                        delivery.retry(response).await;
                    }
                    is_retried = true;
                    continue;
                }
                Feedback::Text(text) => text,
                Feedback::Explain => self.explanation().await,
                Feedback::Apologise => self.messages().feedback_generic().to_owned(),
            };
            let words = OutgoingResponse::text(text);
            let words = if self.asker.is_voice { words.spoken() } else { words };
            let attachments = response.take().map(|response| response.attachments).unwrap_or_default();
            delivery.deliver(&words).await;
            *response = Some(OutgoingResponse { attachments, ..words });
            return;
        }
    }

    fn decide(&self, delivery: &Delivery, response: Option<&OutgoingResponse>, is_retried: bool) -> Feedback {
        feedback(&RunEnd {
            outcome: delivery.outcome(),
            response,
            model_text: delivery.shown(),
            has_failed: !self.troubles.is_empty(),
            is_silent: delivery.is_abandoned(),
            is_retried,
        })
    }

    /// The reason why there is no answer, in the words of a model; an apology if none is reachable.
    async fn explanation(&self) -> String {
        match self.replier.explain(self.troubles, self.asker.language.as_ref()).await {
            Some(explanation) => self.messages().feedback_explained(&explanation),
            None => self.messages().feedback_generic().to_owned(),
        }
    }

    fn messages(&self) -> &'static Messages {
        Messages::for_language(self.asker.language.as_ref())
    }
}

/// The place where the events of a reply go besides its channel.
struct Events {
    reply: ReplyId,
    question: Option<watch::Sender<Option<Question>>>,
    bus: Option<EventBus>,
    shows_questions: bool,
}

impl Events {
    async fn publish(&self, delivery: &mut Delivery, event: ReplyEvent) {
        if let Some(pending) = &self.question {
            match &event {
                ReplyEvent::Question(question) => {
                    pending.send_replace(Some(question.clone()));
                }
                ReplyEvent::QuestionSettled { .. } => {
                    pending.send_replace(None);
                }
                _ => {}
            }
        }
        let is_question = matches!(event, ReplyEvent::Question(_) | ReplyEvent::QuestionSettled { .. });
        let is_shown = self.bus.is_some() && (self.shows_questions || !is_question);
        let copy = is_shown.then(|| event.clone());
        delivery.pass_on(event).await;
        if let Some(copy) = copy {
            self.show(copy).await;
        }
    }

    async fn ask(&self, query: &Query) {
        if let Some(bus) = &self.bus {
            bus.tell(AssistantEvent::asked(query));
        }
    }

    async fn show(&self, event: ReplyEvent) {
        if let Some(bus) = &self.bus {
            bus.send(AssistantEvent::Reply { reply: self.reply, event }).await;
        }
    }

    fn settle(&self) {
        if let Some(pending) = &self.question {
            pending.send_replace(None);
        }
    }
}

/// The turn and the caller, for which a reply waits besides the model.
struct CallerOfTurn {
    turn: Option<Turn>,
    calls: Option<CallsToCaller>,
}

impl CallerOfTurn {
    fn give_up_turn(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.give_up();
        }
    }

    async fn take_turn(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.take().await;
        }
    }

    /// The next call of a tool of the caller; never, if it has none.
    async fn next_call(&mut self) -> CallerCall {
        match self.calls.as_mut() {
            Some(calls) => match calls.from_reply.next().await {
                Some(call) => call,
                None => std::future::pending().await,
            },
            None => std::future::pending().await,
        }
    }

    /// Has the caller run a call. The reply rests meanwhile.
    async fn run_by_caller(&mut self, call: CallerCall) {
        let Some(calls) = &self.calls else { return };
        let (result, answered) = oneshot::channel();
        let passed_on = CallerCall { name: call.name, arguments: call.arguments, result };
        let to_caller = calls.to_caller.clone();
        self.give_up_turn();
        let outcome = match to_caller.send(passed_on).await {
            // The stream rests, so that no other time limit counts.
            Ok(()) => tokio::time::timeout(CALLER_PATIENCE, answered).await.ok().and_then(Result::ok),
            Err(_) => None,
        };
        self.take_turn().await;
        if let Some(outcome) = outcome {
            // A call whose time is over waits no more.
            let _ = call.result.send(outcome);
        }
    }
}

/// The part of its events that the end of a reply needs.
#[derive(Default)]
struct Kept {
    troubles: Vec<Trouble>,
    /// Passed on once it is known what arrived.
    trace: Option<Box<ReplyTrace>>,
}

/// Passes the events of a reply on to its channel.
struct EventRelay<'r> {
    waiting: CallerOfTurn,
    delivery: &'r mut Delivery,
    events: &'r Events,
    kept: &'r mut Kept,
    stop: &'r CancellationToken,
}

impl EventRelay<'_> {
    /// Passes every event on until the reply is done, but for its trace. `None` when it ended without a `Done`.
    async fn pass_on_all(mut self, mut stream: ReplyStream) -> Option<OutgoingResponse> {
        loop {
            let event = tokio::select! {
                biased;
                () = self.stop.cancelled() => return response_of_stopped(stream).await,
                event = stream.next() => event,
                call = self.waiting.next_call() => {
                    self.stop.run_until_cancelled(self.waiting.run_by_caller(call)).await;
                    continue;
                }
            };
            match event? {
                ReplyEvent::Done(response) => return Some(response),
                ReplyEvent::Traced(trace) => self.kept.trace = Some(trace),
                event => self.pass_on(event).await,
            }
        }
    }

    async fn pass_on(&mut self, event: ReplyEvent) {
        match &event {
            ReplyEvent::Question(_) => self.waiting.give_up_turn(),
            ReplyEvent::QuestionSettled { .. } => {
                self.stop.run_until_cancelled(self.waiting.take_turn()).await;
            }
            ReplyEvent::Failed(trouble) => self.kept.troubles.push(trouble.clone()),
            _ => {}
        }
        // A caller who reads nothing must not keep a stopped reply from ending.
        self.stop.run_until_cancelled(self.events.publish(self.delivery, event)).await;
        if self.delivery.is_abandoned() {
            tracing::info!("the reply is stopped because its reader is gone");
            self.stop.cancel();
        }
    }
}

/// The response of a stopped reply. Words that still come before it are not shown.
async fn response_of_stopped(stream: ReplyStream) -> Option<OutgoingResponse> {
    let rest = async {
        let mut rest = std::pin::pin!(stream.take(DISCARDED_AT_MOST));
        while let Some(event) = rest.next().await {
            if let ReplyEvent::Done(response) = event {
                return Some(response);
            }
        }
        None
    };
    let response = tokio::time::timeout(STOP_LIMIT, rest).await.ok().flatten();
    if response.is_none() {
        tracing::warn!("a stopped reply did not end in time and was dropped");
    }
    response
}

fn broke_off() -> Trouble {
    Trouble::new(
        Stage::LanguageModel,
        "The reply broke off because of a fault in Jarvis.",
        "Ask again; if it happens again, send us the log.",
    )
}
