//! The caller's end of a background reply.

use std::sync::Arc;

use async_trait::async_trait;
use futures::channel::mpsc::Sender as AnswerSender;
use parking_lot::Mutex;
use routing::{Channel, ChannelError, DeliveryNote};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use vocabulary::{
    Answer, Attachment, CallerCall, Language, OutgoingResponse, Private, Question, ReplyEvent, ReplyId,
    ReplyPart,
};

use super::spoken_answer;

use super::delivery_notes::in_words;

/// Events that wait for the caller to read them. When it is full the reply waits, and is stopped when the caller reads
/// nothing for half a minute.
const EVENTS: usize = 64;

/// Calls that wait for the caller. A reply makes one at a time.
const CALLS: usize = 4;

/// A background reply under way. Dropping it stops the reply.
#[derive(Debug)]
pub struct ReplyHandle {
    reply: ReplyId,
    events: mpsc::Receiver<ReplyEvent>,
    response: Response,
    calls: mpsc::Receiver<CallerCall>,
    is_over: bool,
    answers: AnswerSender<Answer>,
    stop: CancellationToken,
    _stops_when_dropped: DropGuard,
}

/// The next step of a reply.
#[derive(Debug)]
pub enum ReplyStep {
    /// An event of the reply.
    Event(ReplyEvent),
    /// The reply goes on when the caller has run this call of one of its tools.
    Call(CallerCall),
}

/// The reply does not wait for this answer: it asked nothing, or it was answered already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the reply does not wait for this answer")]
pub struct NoQuestion;

/// The outcome of the reply. It has a place of its own, so that a caller who reads nothing cannot keep it from
/// arriving.
type Response = Arc<Mutex<Option<OutgoingResponse>>>;

impl ReplyHandle {
    /// Which reply this is.
    pub fn reply(&self) -> ReplyId {
        self.reply
    }

    /// The next event. The last one is always a [`ReplyEvent::Done`], and there is exactly one; `None` after it.
    /// Cancel-safe.
    pub async fn next(&mut self) -> Option<ReplyEvent> {
        next(&mut self.events, &self.response, &mut self.is_over).await
    }

    /// The next event, or the next call of a tool of the caller; the end as in [`ReplyHandle::next`]. Cancel-safe.
    pub async fn step(&mut self) -> Option<ReplyStep> {
        tokio::select! {
            biased; // What was said before a call comes before it.
            event = next(&mut self.events, &self.response, &mut self.is_over) => event.map(ReplyStep::Event),
            Some(call) = self.calls.recv() => Some(ReplyStep::Call(call)),
        }
    }

    /// Answers a question of this reply.
    ///
    /// # Errors
    ///
    /// [`NoQuestion`] when the reply does not wait for an answer.
    pub fn answer(&mut self, answer: Answer) -> Result<(), NoQuestion> {
        self.answers.try_send(answer).map_err(|_| NoQuestion)
    }

    /// Answers a question in the words of a person: the option that they mean, or the words themselves.
    ///
    /// # Errors
    ///
    /// [`NoQuestion`] when the reply does not wait for an answer.
    pub fn answer_with(&mut self, question: &Question, words: &str) -> Result<(), NoQuestion> {
        let text = spoken_answer::read(words, question).unwrap_or_else(|| words.to_owned());
        self.answer(Answer { question: question.id, text: Private(text) })
    }

    /// Takes what a person typed for a question: empty words decline it. `open` is the question that this reply asked last.
    ///
    /// # Errors
    ///
    /// [`NoQuestion`] if the answer belongs to another question than `open`, or the reply does not wait for an answer.
    pub fn take_typed(&mut self, open: Option<&Question>, answer: &Answer) -> Result<(), NoQuestion> {
        let question = open.filter(|question| question.id == answer.question).ok_or(NoQuestion)?;
        match answer.text.trim() {
            "" => self.decline(question),
            words => self.answer_with(question, words),
        }
    }

    /// Declines, in place of a person who cannot press a key here.
    ///
    /// # Errors
    ///
    /// [`NoQuestion`] when the reply does not wait for an answer.
    pub fn decline(&mut self, question: &Question) -> Result<(), NoQuestion> {
        let text = Private(spoken_answer::refusal(question).unwrap_or_default());
        self.answer(Answer { question: question.id, text })
    }

    /// Nobody answers the questions of this reply: what it asks for is not done, and it says so.
    pub fn answers_nothing(&mut self) {
        self.answers.close_channel();
    }

    /// Stops the reply. Its `Done` still comes, with the text that was released until then.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

async fn next(
    events: &mut mpsc::Receiver<ReplyEvent>,
    response: &Response,
    is_over: &mut bool,
) -> Option<ReplyEvent> {
    if *is_over {
        return None;
    }
    if let Some(event) = events.recv().await {
        return Some(event);
    }
    *is_over = true;
    // The slot is empty only when the runtime dropped the task unfinished.
    let response = response.lock().take();
    Some(ReplyEvent::Done(response.unwrap_or_default()))
}

/// The parts of a handle, before its reply has begun.
pub(super) struct Caller {
    events: mpsc::Receiver<ReplyEvent>,
    response: Response,
    calls: (mpsc::Sender<CallerCall>, mpsc::Receiver<CallerCall>),
}

impl Caller {
    /// The way on which calls of the caller's tools reach the handle.
    pub fn calls_sender(&self) -> mpsc::Sender<CallerCall> {
        self.calls.0.clone()
    }

    /// The handle of `reply`.
    pub fn handle(
        self,
        reply: ReplyId,
        answers: AnswerSender<Answer>,
        stop: CancellationToken,
    ) -> ReplyHandle {
        let Self { events, response, calls: (_, calls) } = self;
        let _stops_when_dropped = stop.clone().drop_guard();
        ReplyHandle { reply, events, response, calls, is_over: false, answers, stop, _stops_when_dropped }
    }
}

/// A channel to a caller, and the caller's end of it.
pub(super) fn channel() -> (Arc<dyn Channel>, Caller) {
    let (sender, events) = mpsc::channel(EVENTS);
    let response = Response::default();
    let channel = CallerChannel { events: Mutex::new(Some(sender)), response: Arc::clone(&response) };
    (Arc::new(channel), Caller { events, response, calls: mpsc::channel(CALLS) })
}

/// Passes all events on to the caller, who decides what to do with them.
struct CallerChannel {
    /// `None` once the reply is complete.
    events: Mutex<Option<mpsc::Sender<ReplyEvent>>>,
    response: Response,
}

#[async_trait]
impl Channel for CallerChannel {
    fn carries(&self, part: ReplyPart) -> bool {
        match part {
            // Attachments come with the response: front ends of programs hand them on.
            ReplyPart::Text | ReplyPart::Image | ReplyPart::File | ReplyPart::Notice => true,
            ReplyPart::Voice => false,
        }
    }

    async fn send(&self, _: ReplyId, event: ReplyEvent) -> Result<(), ChannelError> {
        if let ReplyEvent::Done(response) = event {
            *self.response.lock() = Some(response);
            self.events.lock().take();
            return Ok(());
        }
        let events = self.events.lock().clone();
        let events = events.ok_or(ChannelError::Gone)?;
        events.send(event).await.map_err(|_| ChannelError::Gone)
    }

    async fn speak(&self, _: ReplyId, _: &str, _: Option<&Language>) -> Result<(), ChannelError> {
        Err(ChannelError::Unsupported)
    }

    async fn attach(&self, _: ReplyId, _: &Attachment) -> Result<(), ChannelError> {
        Ok(())
    }

    async fn note(
        &self,
        reply: ReplyId,
        note: DeliveryNote,
        language: Option<&Language>,
    ) -> Result<(), ChannelError> {
        self.send(reply, ReplyEvent::Note { text: in_words(&note, language) }).await
    }
}
