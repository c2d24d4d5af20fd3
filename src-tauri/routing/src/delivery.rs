//! One delivery: from the first event of a reply to its last attachment.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use vocabulary::{Language, OutgoingResponse, ReplyEvent, ReplyId};

use crate::channel::{Channel, ChannelError, Part};

/// How long a channel may take for one part. Source: the transport contract.
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
    /// Parts that did not arrive.
    pub failures: Vec<PartFailure>,
}

impl Outcome {
    /// Whether the user got anything.
    pub fn is_delivered(&self) -> bool {
        self.sent_text || self.sent_voice || self.sent_attachments > 0
    }
}

/// A part that did not arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartFailure {
    /// Its kind.
    pub part: Part,
    /// Its position among the parts of its kind, from 0.
    pub index: usize,
    /// Why it did not arrive.
    pub error: ChannelError,
}

/// A delivery that was opened and not closed yet.
pub struct Delivery {
    channel: Arc<dyn Channel>,
    reply: ReplyId,
    /// Sentences are spoken as they come.
    is_aloud: bool,
    /// The language of the newest sentence.
    language: Option<Language>,
    shown: String,
    sentences: usize,
    outcome: Outcome,
}

impl Delivery {
    pub(crate) fn new(channel: Arc<dyn Channel>, reply: ReplyId, is_aloud: bool) -> Self {
        let is_aloud = is_aloud && channel.carries(Part::Voice);
        Self {
            channel,
            reply,
            is_aloud,
            language: None,
            shown: String::new(),
            sentences: 0,
            outcome: Outcome::default(),
        }
    }

    /// Whether the reader of the channel is gone, so that the rest of the reply is not needed.
    pub fn is_abandoned(&self) -> bool {
        self.outcome.failures.iter().any(|failure| failure.part != Part::Voice && failure.error.is_final())
    }

    /// Passes on what happened to the reply, text before voice. The `Done` event does nothing here: it goes to
    /// [`Delivery::close`].
    pub async fn pass_on(&mut self, event: ReplyEvent) {
        let question = match &event {
            ReplyEvent::Question(question) => Some(question.text.clone()),
            _ => None,
        };
        match event {
            ReplyEvent::Delta { text } => self.show(text).await,
            ReplyEvent::Sentence { ref text, ref language, .. } => {
                let (text, language) = (text.clone(), language.clone());
                self.notify(event).await;
                self.language = language;
                if self.is_aloud {
                    self.speak(&text).await;
                }
            }
            ReplyEvent::Done(_) => {}
            notice => self.notify(notice).await,
        }
        if let Some(question) = question.filter(|_| self.is_aloud) {
            self.speak(&question).await;
            self.channel.await_answer(self.reply).await;
        }
    }

    /// Sends what of the response was not delivered yet, in the order text, voice, attachments; a failure in one
    /// part does not stop the next. Returns what became of it all.
    pub async fn close(mut self, response: &OutgoingResponse) -> Outcome {
        if let Some(text) = response.text.as_deref().map(|text| text.trim())
            && !text.is_empty()
        {
            let missing = text.strip_prefix(self.shown.trim()).unwrap_or(text).to_owned();
            if self.channel.carries(Part::Text) && !missing.trim().is_empty() {
                self.show(missing).await;
            }
        }
        if let Some(words) = response.spoken_text()
            && self.sentences == 0
        {
            if self.channel.carries(Part::Voice) {
                self.speak(words).await;
            } else if !self.outcome.sent_text {
                // It cannot be heard here, and there was nothing to read: then it is read.
                self.show(words.to_owned()).await;
            }
        }
        for (index, attachment) in response.attachments.iter().enumerate() {
            let sent = in_time(self.channel.attach(self.reply, attachment)).await;
            match sent {
                Ok(()) => self.outcome.sent_attachments += 1,
                Err(error) => self.fail(Part::Attachment, index, error),
            }
        }
        self.stop(response).await
    }

    /// Closes a reply that was stopped: nothing more of it is sent.
    pub async fn stop(mut self, response: &OutgoingResponse) -> Outcome {
        if let Err(error) = self.channel.send(self.reply, ReplyEvent::Done(response.clone())).await {
            self.fail(Part::Notice, 0, error);
        }
        self.outcome
    }

    async fn show(&mut self, text: String) {
        let event = ReplyEvent::Delta { text: text.clone() };
        match in_time(self.channel.send(self.reply, event)).await {
            Ok(()) => {
                self.outcome.sent_text = true;
                self.shown.push_str(&text);
            }
            Err(error) => self.fail(Part::Text, 0, error),
        }
    }

    async fn speak(&mut self, sentence: &str) {
        let index = self.sentences;
        self.sentences += 1;
        match in_time(self.channel.speak(self.reply, sentence, self.language.as_ref())).await {
            Ok(()) => self.outcome.sent_voice = true,
            Err(error) => self.fail(Part::Voice, index, error),
        }
    }

    async fn notify(&mut self, event: ReplyEvent) {
        if let Err(error) = in_time(self.channel.send(self.reply, event)).await {
            self.fail(Part::Notice, 0, error);
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
