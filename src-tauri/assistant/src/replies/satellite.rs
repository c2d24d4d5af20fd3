//! The channel to a satellite: a microphone and a loudspeaker in another room.

use std::sync::Arc;

use async_trait::async_trait;
use futures::channel::mpsc::Sender as AnswerSender;
use routing::{Channel, ChannelError, DeliveryNote};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use vocabulary::{Answer, Attachment, Language, Private, Question, ReplyEvent, ReplyId, ReplyPart};

use super::delivery_notes::in_words;
use super::reply_task::Session;
use super::spoken_answer;

/// A query that was spoken at a satellite.
pub(crate) struct SatelliteRequest {
    pub text: String,
    pub language: Option<Language>,
    /// It goes on with the query before.
    pub replaces_previous: bool,
    /// The reply before it at the same satellite, and its end.
    pub previous: Option<(ReplyId, CancellationToken)>,
    pub channel: Arc<SatelliteChannel>,
}

/// A reply at a satellite. Dropping it stops the reply.
pub(crate) struct SatelliteReply {
    reply: ReplyId,
    answers: AnswerSender<Answer>,
    finished: CancellationToken,
    _stops_when_dropped: DropGuard,
}

impl SatelliteReply {
    pub(super) fn new(reply: ReplyId, session: &Session) -> Self {
        Self {
            reply,
            answers: session.answers.clone(),
            finished: session.finished.clone(),
            _stops_when_dropped: session.stop.clone().drop_guard(),
        }
    }

    /// Its number.
    pub fn id(&self) -> ReplyId {
        self.reply
    }

    /// Answers its question in the words of a person. Returns `false` if they are about something else, or it waits no more.
    pub fn answer_with(&mut self, question: &Question, words: &str) -> bool {
        let Some(text) = spoken_answer::read(words, question) else { return false };
        self.answers.try_send(Answer { question: question.id, text: Private(text) }).is_ok()
    }

    /// Stops the reply. The token is cancelled when it has ended.
    pub fn into_finished(self) -> CancellationToken {
        self.finished.clone()
    }
}

/// Words on their way to the loudspeaker of a satellite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SpeakerOrder {
    /// Say this after what was said before.
    Say {
        /// The reply that says it.
        reply: ReplyId,
        text: String,
        language: Option<Language>,
    },
    /// All words of the reply so far are complete.
    Finish(ReplyId),
}

/// Turns of a reply that its satellite has to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SatelliteTurn {
    /// The reply waits for an answer.
    Asked(Question),
    /// It does not wait any more.
    Settled,
    /// Nothing of the reply follows.
    Done,
}

/// Passes the words of one reply on to the satellite it was asked at.
pub(crate) struct SatelliteChannel {
    pub orders: mpsc::Sender<SpeakerOrder>,
    pub turns: mpsc::Sender<(ReplyId, SatelliteTurn)>,
}

impl SatelliteChannel {
    async fn say(
        &self,
        reply: ReplyId,
        text: String,
        language: Option<&Language>,
    ) -> Result<(), ChannelError> {
        let order = SpeakerOrder::Say { reply, text, language: language.cloned() };
        self.orders.send(order).await.map_err(|_| ChannelError::Gone)
    }

    async fn finish(&self, reply: ReplyId) -> Result<(), ChannelError> {
        self.orders.send(SpeakerOrder::Finish(reply)).await.map_err(|_| ChannelError::Gone)
    }

    async fn tell(&self, reply: ReplyId, turn: SatelliteTurn) -> Result<(), ChannelError> {
        self.turns.send((reply, turn)).await.map_err(|_| ChannelError::Gone)
    }
}

#[async_trait]
impl Channel for SatelliteChannel {
    fn carries(&self, part: ReplyPart) -> bool {
        match part {
            // The text goes to the satellite sentence by sentence, with its sound.
            ReplyPart::Text | ReplyPart::Voice | ReplyPart::Notice => true,
            ReplyPart::Image | ReplyPart::File => false,
        }
    }

    async fn send(&self, reply: ReplyId, event: ReplyEvent) -> Result<(), ChannelError> {
        match event {
            ReplyEvent::Question(question) => self.tell(reply, SatelliteTurn::Asked(question)).await,
            ReplyEvent::QuestionSettled { .. } => self.tell(reply, SatelliteTurn::Settled).await,
            // There is no screen for it.
            ReplyEvent::Note { text } => self.say(reply, text, None).await,
            ReplyEvent::Done(_) => {
                self.finish(reply).await?;
                self.tell(reply, SatelliteTurn::Done).await
            }
            ReplyEvent::Delta { .. }
            | ReplyEvent::Sentence { .. }
            | ReplyEvent::Progress { .. }
            | ReplyEvent::ToolStarted { .. }
            | ReplyEvent::ToolFinished { .. }
            | ReplyEvent::Traced(_)
            | ReplyEvent::Failed(_) => Ok(()),
        }
    }

    async fn speak(
        &self,
        reply: ReplyId,
        sentence: &str,
        language: Option<&Language>,
    ) -> Result<(), ChannelError> {
        self.say(reply, sentence.to_owned(), language).await
    }

    async fn await_answer(&self, reply: ReplyId) {
        // A satellite that is gone answers nothing.
        let _ = self.finish(reply).await;
    }

    async fn attach(&self, _: ReplyId, _: &Attachment) -> Result<(), ChannelError> {
        Err(ChannelError::Unsupported)
    }

    async fn note(
        &self,
        reply: ReplyId,
        note: DeliveryNote,
        language: Option<&Language>,
    ) -> Result<(), ChannelError> {
        self.say(reply, in_words(&note, language), language).await
    }
}
