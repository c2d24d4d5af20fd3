//! One delivery: from the first sentence of a reply to its last attachment.

use std::future::Future;
use std::time::Duration;

use vocabulary::{OutgoingResponse, ReplyEvent, ReplyId};

use crate::channel::{Channel, ChannelError, Part};

/// A channel must take a part within this. Source: the transport contract.
const PART_TIMEOUT: Duration = Duration::from_secs(30);

/// What became of a reply on its way to the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Some text was shown.
    pub sent_text: bool,
    /// Some words were queued to be spoken.
    pub sent_voice: bool,
    /// How many attachments were handed over.
    pub sent_attachments: usize,
    /// What did not arrive.
    pub failures: Vec<PartFailure>,
}

impl Outcome {
    /// Did the user get anything?
    pub fn is_delivered(&self) -> bool {
        self.sent_text || self.sent_voice || self.sent_attachments > 0
    }
}

/// A part that did not arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartFailure {
    /// What kind of part.
    pub part: Part,
    /// Which of its kind, from 0.
    pub index: usize,
    /// Why not.
    pub error: ChannelError,
}

/// A delivery that was opened and not closed yet.
pub struct Delivery<'c> {
    channel: &'c dyn Channel,
    reply: ReplyId,
    voice: Voice,
    shown: String,
    sentences: usize,
    outcome: Outcome,
}

/// Are the sentences of this reply to be spoken as they come?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// As they come.
    Aloud,
    /// Not at all, unless the response asks for it.
    Silent,
}

/// Opens a delivery of `reply` to `channel`.
pub fn deliver(channel: &dyn Channel, reply: ReplyId, voice: Voice) -> Delivery<'_> {
    let carries_voice = channel.carries(Part::Voice);
    let voice = if carries_voice { voice } else { Voice::Silent };
    Delivery { channel, reply, voice, shown: String::new(), sentences: 0, outcome: Outcome::default() }
}

impl Delivery<'_> {
    /// Passes on what happened to the reply, text before voice.
    pub async fn pass_on(&mut self, event: &ReplyEvent) {
        match event {
            ReplyEvent::Delta { text } => self.show(text).await,
            ReplyEvent::Sentence { text, .. } => {
                if self.voice == Voice::Aloud {
                    self.speak(text).await;
                }
            }
            ReplyEvent::Failed(_) | ReplyEvent::Done(_) => {}
        }
    }

    /// Sends what of the response was not delivered yet, in the order text, voice, attachments; a failure in one
    /// part does not stop the next. Says what became of it all.
    pub async fn close(mut self, response: &OutgoingResponse) -> Outcome {
        if let Some(text) = response.text.as_deref().map(|text| text.trim())
            && !text.is_empty()
        {
            let missing = text.strip_prefix(self.shown.trim()).unwrap_or(text).to_owned();
            if self.channel.carries(Part::Text) && !missing.trim().is_empty() {
                self.show(&missing).await;
            }
        }
        if let Some(words) = response.spoken_text()
            && self.sentences == 0
        {
            if self.channel.carries(Part::Voice) {
                self.speak(words).await;
            } else if !self.outcome.sent_text {
                // Nobody can hear it here, and there was nothing to read: then it is read.
                self.show(words).await;
            }
        }
        for (index, attachment) in response.attachments.iter().enumerate() {
            let sent = in_time(self.channel.attach(self.reply, attachment)).await;
            match sent {
                Ok(()) => self.outcome.sent_attachments += 1,
                Err(error) => self.fail(Part::Attachment, index, error),
            }
        }
        self.channel.close(self.reply).await;
        self.outcome
    }

    async fn show(&mut self, text: &str) {
        match in_time(self.channel.show(self.reply, text)).await {
            Ok(()) => {
                self.outcome.sent_text = true;
                self.shown.push_str(text);
            }
            Err(error) => self.fail(Part::Text, 0, error),
        }
    }

    async fn speak(&mut self, sentence: &str) {
        let index = self.sentences;
        self.sentences += 1;
        match in_time(self.channel.speak(self.reply, sentence)).await {
            Ok(()) => self.outcome.sent_voice = true,
            Err(error) => self.fail(Part::Voice, index, error),
        }
    }

    fn fail(&mut self, part: Part, index: usize, error: ChannelError) {
        tracing::warn!(?part, index, %error, "a part of a reply did not arrive");
        self.outcome.failures.push(PartFailure { part, index, error });
    }
}

async fn in_time(sending: impl Future<Output = Result<(), ChannelError>>) -> Result<(), ChannelError> {
    tokio::time::timeout(PART_TIMEOUT, sending).await.unwrap_or(Err(ChannelError::TimedOut))
}
