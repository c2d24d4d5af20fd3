//! A channel that writes down what it gets.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use routing::{Channel, ChannelError, DeliveryNote};
use vocabulary::{Attachment, Language, ReplyEvent, ReplyId, ReplyPart};

/// Records what it receives; refuses, or never answers, the parts it is configured for.
#[derive(Debug, Default)]
pub struct Recording {
    given: Mutex<Vec<String>>,
    fails: Vec<(ReplyPart, ChannelError)>,
    fails_once: Mutex<Vec<ReplyPart>>,
    hangs: Vec<ReplyPart>,
    lacks: Vec<ReplyPart>,
    unheard: Mutex<Option<ChannelError>>,
}

fn refused() -> ChannelError {
    ChannelError::Refused { reason: "scripted".into() }
}

impl Recording {
    /// A channel that takes everything.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    fn with(self: Arc<Self>, change: impl FnOnce(&mut Self)) -> Arc<Self> {
        let mut channel = Arc::into_inner(self).expect("nobody else has it yet");
        change(&mut channel);
        Arc::new(channel)
    }

    pub fn refusing(self: Arc<Self>, parts: impl IntoIterator<Item = ReplyPart>) -> Arc<Self> {
        self.with(|it| it.fails.extend(parts.into_iter().map(|part| (part, refused()))))
    }

    pub fn failing(self: Arc<Self>, part: ReplyPart, error: ChannelError) -> Arc<Self> {
        self.with(|it| it.fails.push((part, error)))
    }

    pub fn refusing_once(self: Arc<Self>, parts: impl IntoIterator<Item = ReplyPart>) -> Arc<Self> {
        self.with(|it| it.fails_once.get_mut().extend(parts))
    }

    /// Refuses the next such part.
    pub fn refuse_next(&self, part: ReplyPart) {
        self.fails_once.lock().push(part);
    }

    /// From now on nothing is heard that was to be spoken, for this reason.
    pub fn fall_silent(&self, reason: Option<ChannelError>) {
        *self.unheard.lock() = reason;
    }

    pub fn hanging(self: Arc<Self>, parts: impl IntoIterator<Item = ReplyPart>) -> Arc<Self> {
        self.with(|it| it.hangs.extend(parts))
    }

    pub fn without(self: Arc<Self>, parts: impl IntoIterator<Item = ReplyPart>) -> Arc<Self> {
        self.with(|it| it.lacks.extend(parts))
    }

    /// The parts that it took, in order.
    pub fn given(&self) -> Vec<String> {
        self.given.lock().clone()
    }

    async fn take(&self, part: ReplyPart, what: &str) -> Result<(), ChannelError> {
        if self.hangs.contains(&part) {
            std::future::pending::<()>().await;
        }
        if let Some((_, error)) = self.fails.iter().find(|(failing, _)| *failing == part) {
            return Err(error.clone());
        }
        let mut once = self.fails_once.lock();
        if let Some(at) = once.iter().position(|failing| *failing == part) {
            once.remove(at);
            return Err(refused());
        }
        self.given.lock().push(format!("{part:?} {what}"));
        Ok(())
    }
}

#[async_trait]
impl Channel for Recording {
    fn carries(&self, part: ReplyPart) -> bool {
        !self.lacks.contains(&part)
    }

    async fn send(&self, _: ReplyId, event: ReplyEvent) -> Result<(), ChannelError> {
        match event {
            ReplyEvent::Delta { text } => self.take(ReplyPart::Text, &text).await,
            // Its words have come as deltas.
            ReplyEvent::Sentence { .. } => Ok(()),
            ReplyEvent::Done(_) => {
                self.given.lock().push("closed".into());
                Ok(())
            }
            event => self.take(ReplyPart::Notice, &format!("{event:?}")).await,
        }
    }

    async fn speak(&self, _: ReplyId, sentence: &str, _: Option<&Language>) -> Result<(), ChannelError> {
        self.take(ReplyPart::Voice, sentence).await
    }

    async fn unheard(&self, _: ReplyId) -> Option<ChannelError> {
        self.unheard.lock().clone()
    }

    async fn attach(&self, _: ReplyId, attachment: &Attachment) -> Result<(), ChannelError> {
        self.take(ReplyPart::from_kind(attachment.kind), &attachment.filename).await
    }

    async fn note(&self, _: ReplyId, note: DeliveryNote, _: Option<&Language>) -> Result<(), ChannelError> {
        self.given.lock().push(format!("Note {note:?}"));
        Ok(())
    }

    async fn await_answer(&self, _: ReplyId) {
        self.given.lock().push("awaits an answer".into());
    }
}
