//! Replies as sessions: each has a task, a token and a channel of its own, and ends exactly once.
//!
//! One reply is in the foreground: the one that the person at this machine hears and sees. A newer query takes its place.
//! Replies to calling programs run in the background: they neither stop the foreground reply nor are stopped by it, and
//! a newer one supersedes only the one before it in the same conversation.

mod reply_ids; // their names
mod request; // what is asked, and why it can be refused
mod delivery_notes; // about what did not arrive
mod handle; // the caller's end of a background reply
mod late_voice; // words that wait for the loudspeaker
mod person; // the channel to screen and loudspeaker
mod satellite; // the channel to another room
pub(crate) mod spoken_answer; // which answer "yes" is
mod turn; // which background reply may ask the model
mod reply_task; // the task of one reply

use std::collections::HashMap;
use std::sync::Arc;

use memory::Dialogue;
use routing::{ChannelId, Channels};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use vocabulary::{
    Answer, AssistantEvent, Caller, CallerTools, ConversationId, Origin, Private, Query, Question, Replier,
    ReplyControls, ReplyEvent, ReplyId, VoiceMatch,
};

use crate::event_bus::EventBus;
pub use handle::{NoQuestion, ReplyHandle, ReplyStep};
use late_voice::LateVoice;
pub(crate) use person::PersonChannel;
pub(crate) use reply_ids::ReplyIds;
pub(crate) use reply_task::EndedReply;
use reply_task::{CallsToCaller, Session, SessionTask};
pub(crate) use request::check_length;
pub use request::{ReplyRefused, ReplyRequest};
pub(crate) use satellite::{SatelliteChannel, SatelliteReply, SatelliteRequest, SatelliteTurn, SpeakerOrder};

/// The most background replies that may be open at once, waiting ones included. Each costs some kilobytes.
const MAX_OPEN: usize = 512;

/// The most background replies that ask the model at the same time. Servers answer two at once nearly as fast as one;
/// the embedded model answers one after the other, and then a spoken query waits for two at the most.
const RUNNING_AT_ONCE: usize = 2;

/// The meaning of heard words for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Its answer.
    Answered,
    /// They agree, and only a key or a click may; the question of this reply still waits.
    NeedsHand(ReplyId),
    /// Nothing is asked, or they are about something else.
    NoAnswer,
}

/// The replies under way.
pub(crate) struct ReplySessions {
    replier: Arc<dyn Replier>,
    channels: Channels,
    dialogue: Dialogue,
    events: EventBus,
    stop: CancellationToken,
    reply_ids: ReplyIds,
    foreground: Option<Session>,
    background: HashMap<ReplyId, Session>,
    running: Arc<Semaphore>,
    /// The newest query of the conversation that microphone, window and satellites share.
    newest_shared: Option<ReplyId>,
    /// The question that the foreground reply waits for an answer to.
    question: watch::Sender<Option<Question>>,
    /// The foreground reply under way: background replies let it go first.
    under_way: watch::Sender<Option<ReplyId>>,
    /// The foreground reply before, if its words wait for the loudspeaker.
    late_voice: Option<LateVoice>,
    /// The reply whose voice began last.
    voiced: Option<ReplyId>,
    tasks: JoinSet<EndedReply>,
}

impl ReplySessions {
    /// No replies yet. `stop` ends all that will be.
    pub fn new(
        replier: Arc<dyn Replier>,
        channels: Channels,
        dialogue: Dialogue,
        events: EventBus,
        stop: CancellationToken,
    ) -> Self {
        Self {
            replier,
            channels,
            dialogue,
            events,
            stop,
            reply_ids: ReplyIds::default(),
            foreground: None,
            background: HashMap::new(),
            running: Arc::new(Semaphore::new(RUNNING_AT_ONCE)),
            newest_shared: None,
            question: watch::Sender::new(None),
            under_way: watch::Sender::new(None),
            late_voice: None,
            voiced: None,
            tasks: JoinSet::new(),
        }
    }

    /// A name for a reply that is made elsewhere, such as text read aloud.
    pub fn next_id(&mut self) -> ReplyId {
        self.reply_ids.next()
    }

    /// Names for what sounds beside replies.
    pub fn ids(&self) -> ReplyIds {
        self.reply_ids.clone()
    }

    /// The foreground reply, if one is under way.
    pub fn foreground(&self) -> Option<ReplyId> {
        self.foreground.as_ref().map(|session| session.reply)
    }

    /// The foreground reply under way, now and later.
    pub fn under_way(&self) -> watch::Receiver<Option<ReplyId>> {
        self.under_way.subscribe()
    }

    /// The question that the foreground reply waits for an answer to.
    pub fn question(&self) -> watch::Receiver<Option<Question>> {
        self.question.subscribe()
    }

    /// Starts the foreground reply to `query`. The caller has ended the one before.
    pub fn begin_foreground(&mut self, query: Query) {
        self.events.tell(AssistantEvent::asked(&query));
        self.late_voice = None;
        self.under_way.send_replace(Some(query.reply));
        self.newest_shared = Some(query.reply);
        let task = self.task(query).with_question(self.question.clone());
        self.foreground = Some(self.spawn(task));
    }

    /// Opens a background reply.
    ///
    /// # Errors
    ///
    /// [`ReplyRefused`] when the question is too long or too many replies are open.
    pub fn open(&mut self, request: ReplyRequest) -> Result<ReplyHandle, ReplyRefused> {
        request::check_length(&request.text)?;
        if self.background.len() >= MAX_OPEN {
            return Err(ReplyRefused::Busy { open: MAX_OPEN });
        }
        let reply = self.next_id();
        let ReplyRequest { text, language, conversation, replaces_previous, caller: asker, tools } = request;
        let previous = self.supersede(&conversation);
        let query = Query { reply, text, language, origin: Origin::Program, conversation, replaces_previous };
        let (channel, caller) = handle::channel();
        let (tools, calls) = CallerTools::new(tools);
        let asker = Caller { tools, ..asker };
        let registration = self.channels.register(ChannelId::Caller(reply), channel);
        let mut task = self
            .task(query)
            .asked_by(asker, CallsToCaller { from_reply: calls, to_caller: caller.calls_sender() })
            .after(previous)
            .in_turn(Arc::clone(&self.running), self.under_way.subscribe())
            .with_registration(registration);
        if !task.query.conversation.is_temporary() {
            task = task.shown_to(self.events.clone());
        }
        let session = self.spawn(task);
        let handle = caller.handle(reply, session.answers.clone(), session.stop.clone());
        self.background.insert(reply, session);
        Ok(handle)
    }

    /// Opens a reply at a satellite. The caller has ended the one before there.
    ///
    /// # Errors
    ///
    /// [`ReplyRefused`] when the question is too long or too many replies are open.
    pub fn open_at_satellite(&mut self, request: SatelliteRequest) -> Result<SatelliteReply, ReplyRefused> {
        request::check_length(&request.text)?;
        if self.background.len() >= MAX_OPEN {
            return Err(ReplyRefused::Busy { open: MAX_OPEN });
        }
        let reply = self.next_id();
        let SatelliteRequest { text, language, replaces_previous, previous, channel } = request;
        let (before, ended) = previous.unzip();
        // Somebody else may have asked meanwhile: that query is not taken back.
        let replaces_previous = replaces_previous && before.is_some() && before == self.newest_shared;
        let (origin, conversation) = (Origin::Satellite, ConversationId::main());
        let query = Query { reply, text, language, origin, conversation, replaces_previous };
        self.newest_shared = Some(reply);
        let registration = self.channels.register(ChannelId::Satellite(reply), channel);
        let task = self
            .task(query)
            .after(ended)
            .shown_without_questions_to(self.events.clone())
            .with_registration(registration);
        let session = self.spawn(task);
        let opened = SatelliteReply::new(reply, &session);
        self.background.insert(reply, session);
        Ok(opened)
    }

    /// Stops the background replies of this conversation. Returns the end of the newest, which waits for the others.
    fn supersede(&self, conversation: &ConversationId) -> Option<CancellationToken> {
        let same = self.background.values().filter(|session| {
            session.query.origin == Origin::Program && session.query.conversation == *conversation
        });
        let newest = same.inspect(|session| session.stop.cancel()).max_by_key(|session| session.reply);
        newest.map(|session| session.finished.clone())
    }

    /// Takes `text` as the answer to the foreground reply's question. Returns the reply that goes on, or `None` when
    /// it asks nothing or the text answers something else.
    pub fn answer_with(&mut self, text: &str) -> Option<ReplyId> {
        let question = self.question.borrow().clone()?;
        let text = spoken_answer::read(text, &question)?;
        self.answer(Answer { question: question.id, text: Private(text) }).ok()
    }

    /// Answers the question of the foreground reply with words that were heard.
    pub fn answer_aloud(&mut self, text: &str, voice: VoiceMatch) -> Heard {
        let question = self.question.borrow().clone();
        let needs_hand = |question: &Question| {
            question.by_hand && spoken_answer::agrees(text, question)
                || voice == VoiceMatch::TooShort && spoken_answer::consents(text, question)
        };
        match (question.as_ref().is_some_and(needs_hand), &self.foreground) {
            (true, Some(session)) => Heard::NeedsHand(session.reply),
            _ => self.answer_with(text).map_or(Heard::NoAnswer, |_| Heard::Answered),
        }
    }

    /// Answers the question of the foreground reply.
    ///
    /// # Errors
    ///
    /// [`NoQuestion`] when it does not wait for this answer.
    pub fn answer(&mut self, answer: Answer) -> Result<ReplyId, NoQuestion> {
        let is_asked = self.question.borrow().as_ref().is_some_and(|asked| asked.id == answer.question);
        let session = self.foreground.as_mut().filter(|_| is_asked).ok_or(NoQuestion)?;
        if session.answers.is_closed() {
            return Err(NoQuestion);
        }
        let reply = session.reply;
        self.question.send_replace(None);
        // Before the reply gets it: what the reply does with it comes later for everybody.
        self.events.tell(AssistantEvent::Answered { reply, answer: answer.clone() });
        session.answers.try_send(answer).map_err(|_| NoQuestion)?;
        Ok(reply)
    }

    /// Stops the foreground reply and waits until it has ended.
    pub async fn end_foreground(&mut self) {
        let Some(session) = self.foreground.take() else { return };
        session.stop.cancel();
        session.finished.cancelled().await;
        self.foreground_is_over();
    }

    /// Stops all replies and waits until they have ended.
    pub async fn end_all(&mut self) {
        self.stop.cancel();
        self.end_foreground().await;
        while self.ended().await.is_some() {}
    }

    /// The next reply that ends; `None` when none is under way. Cancel-safe.
    pub async fn ended(&mut self) -> Option<EndedReply> {
        loop {
            match self.tasks.join_next().await? {
                Ok(mut ended) => {
                    self.take_out(&mut ended);
                    return Some(ended);
                }
                Err(error) => {
                    tracing::error!(%error, "the task of a reply did not end cleanly");
                    if let Some(ended) = self.take_out_broken() {
                        return Some(ended);
                    }
                }
            }
        }
    }

    /// Notes that the voice of a reply began: if it ended before, its trace tells so from now on.
    pub fn note_voice(&mut self, reply: ReplyId) {
        self.voiced = Some(reply);
        self.correct_trace();
    }

    fn correct_trace(&mut self) {
        let voiced = self.voiced;
        let Some(late) = self.late_voice.take_if(|late| voiced == Some(late.reply)) else { return };
        let LateVoice { reply, conversation, delivery, trace } = late;
        tracing::info!(reply = reply.0, "a reply is heard after its end");
        self.replier.note_delivery(&conversation, reply, delivery);
        if let Some(trace) = trace {
            self.events.tell(AssistantEvent::Reply { reply, event: ReplyEvent::Traced(trace) });
        }
    }

    /// Takes out the replies whose task broke off. Returns the foreground reply, if it is one of them.
    fn take_out_broken(&mut self) -> Option<EndedReply> {
        self.background.retain(|_, session| !session.finished.is_cancelled());
        let broken = self.foreground.take_if(|session| session.finished.is_cancelled())?;
        self.foreground_is_over();
        Some(EndedReply::broken(broken.reply))
    }

    fn take_out(&mut self, ended: &mut EndedReply) {
        if self.foreground() == Some(ended.reply) {
            self.foreground = None;
            self.foreground_is_over();
            self.late_voice = ended.late_voice.take();
            // Its voice may have begun while it ended.
            self.correct_trace();
        }
        let session = self.background.remove(&ended.reply);
        if let Some(session) = session
            && session.query.conversation.is_temporary()
        {
            self.dialogue.end_conversation(&session.query.conversation);
        }
    }

    fn foreground_is_over(&mut self) {
        self.question.send_replace(None);
        self.under_way.send_replace(None);
    }

    fn task(&self, query: Query) -> SessionTask {
        let stop = self.stop.child_token();
        let (controls, answers) = ReplyControls::new(stop);
        SessionTask::new(Arc::clone(&self.replier), query, self.channels.clone(), controls, answers)
    }

    fn spawn(&mut self, task: SessionTask) -> Session {
        let session = task.session();
        self.tasks.spawn(task.run());
        session
    }
}

#[cfg(test)]
mod tests;
