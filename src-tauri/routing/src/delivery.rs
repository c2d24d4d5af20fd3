//! One delivery: from the first event of a reply to its last attachment.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use vocabulary::{Attachment, AttachmentKind, Language, OutgoingResponse, ReplyEvent, ReplyId, ReplyPart};

use crate::channel::{Channel, ChannelError, DeliveryNote};
use crate::heard::Heard;
use crate::outcome::{Outcome, PartFailure};

/// The time that a channel may take for one part. Source: docs/behaviour/routing.md#order.
const PART_TIMEOUT: Duration = Duration::from_secs(30);

/// A delivery that was opened and not closed yet.
pub struct Delivery {
    channel: Arc<dyn Channel>,
    reply: ReplyId,
    /// Sentences are spoken as they come.
    is_aloud: bool,
    /// The language of the newest sentence.
    language: Option<Language>,
    shown: String,
    heard: Heard,
    /// The number of sentences that were to be spoken, questions among them.
    sentences: usize,
    /// Sentences of the answer were spoken, or could not be, as they came.
    is_spoken_as_made: bool,
    /// The user knows why nothing is heard.
    is_voice_noted: bool,
    outcome: Outcome,
}

impl Delivery {
    pub(crate) fn new(channel: Arc<dyn Channel>, reply: ReplyId, is_aloud: bool) -> Self {
        let is_aloud = is_aloud && channel.carries(ReplyPart::Voice);
        Self {
            channel,
            reply,
            is_aloud,
            language: None,
            shown: String::new(),
            heard: Heard::default(),
            sentences: 0,
            is_spoken_as_made: false,
            is_voice_noted: false,
            outcome: Outcome::default(),
        }
    }

    /// Returns `true` if the reader of the channel is gone, so that the rest of the reply is not needed.
    pub fn is_abandoned(&self) -> bool {
        self.outcome
            .failures
            .iter()
            .any(|failure| failure.part != ReplyPart::Voice && failure.error.is_final())
    }

    /// The outcome of the reply so far.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The text that was shown so far.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Passes on what happened to the reply, text before voice. The `Done` event does nothing here: its response goes to
    /// [`Delivery::deliver`], then to [`Delivery::close`].
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
                    self.is_spoken_as_made = true;
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

    /// Sends what of the response was not delivered yet, in the order text, voice, attachments; a failure in one part does
    /// not stop the next. Each part has half a minute. Never fails: [`Delivery::outcome`] tells what arrived.
    pub async fn deliver(&mut self, response: &OutgoingResponse) {
        self.deliver_text(response).await;
        self.check_voice().await;
        self.deliver_voice(response).await;
        for (index, attachment) in response.attachments.iter().enumerate() {
            self.attach(index, attachment).await;
        }
    }

    /// Sends the parts that did not arrive and may arrive now, in the same order. Call it once.
    pub async fn retry(&mut self, response: &OutgoingResponse) {
        let (again, rest): (Vec<PartFailure>, Vec<PartFailure>) =
            std::mem::take(&mut self.outcome.failures).into_iter().partition(PartFailure::is_missing);
        self.outcome.failures = rest;
        let failed = |part: ReplyPart| again.iter().any(|failure| failure.part == part);
        if failed(ReplyPart::Text) {
            self.deliver_text(response).await;
        }
        if failed(ReplyPart::Voice) {
            // A single sentence makes no sense behind those that came after it.
            self.is_spoken_as_made &= self.outcome.sent_voice;
            self.deliver_voice(response).await;
        }
        for failure in
            again.iter().filter(|failure| matches!(failure.part, ReplyPart::Image | ReplyPart::File))
        {
            if let Some(attachment) = response.attachments.get(failure.index) {
                self.attach(failure.index, attachment).await;
            }
        }
    }

    /// Tells the channel that nothing more of the reply comes. Returns what became of it all.
    pub async fn close(mut self, response: &OutgoingResponse) -> Outcome {
        if let Err(error) = self.channel.send(self.reply, ReplyEvent::Done(response.clone())).await {
            self.fail(ReplyPart::Notice, 0, error);
        }
        self.outcome
    }

    async fn deliver_text(&mut self, response: &OutgoingResponse) {
        let Some(text) = shown_text(response) else { return };
        let shown = self.shown.trim();
        let missing = match shown.is_empty() {
            true => text.to_owned(),
            false => text.trim().strip_prefix(shown).unwrap_or(text).to_owned(),
        };
        if missing.trim().is_empty() {
            return;
        }
        match self.channel.carries(ReplyPart::Text) {
            true => self.show(missing).await,
            // What cannot be read is at least heard.
            false if self.channel.carries(ReplyPart::Voice) && response.spoken_text().is_none() => {
                self.speak(&missing).await;
            }
            false => self.fail(ReplyPart::Text, 0, ChannelError::Unsupported),
        }
    }

    /// Checks if the sentences that were queued have failed since.
    async fn check_voice(&mut self) {
        if !self.outcome.sent_voice {
            return;
        }
        // A channel that does not know in time counts as one that speaks.
        let unheard = tokio::time::timeout(PART_TIMEOUT, self.channel.unheard(self.reply)).await;
        if let Ok(Some(error)) = unheard {
            self.outcome.sent_voice = false;
            if error != ChannelError::LoudspeakerAway {
                self.heard = Heard::default();
            }
            self.fail_voice(0, error).await;
        }
    }

    async fn deliver_voice(&mut self, response: &OutgoingResponse) {
        let Some(words) = response.spoken_text() else {
            if response.voice_requested {
                tracing::debug!("speech was requested without words");
            }
            return;
        };
        let missing = match self.is_spoken_as_made {
            false => Some(words.to_owned()),
            // A tool may want other words spoken than those of the answer.
            true => response.words_of_tools().and_then(|words| self.heard.missing_from(words)),
        };
        let Some(missing) = missing else { return };
        if self.channel.carries(ReplyPart::Voice) {
            self.speak(&missing).await;
            self.check_voice().await;
        }
        let is_read = self.outcome.sent_text || shown_text(response).is_some();
        if !self.outcome.sent_voice && !is_read {
            // It cannot be heard here, and there was nothing to read: then it is read.
            self.show(missing).await;
        }
    }

    async fn attach(&mut self, index: usize, attachment: &Attachment) {
        let part = ReplyPart::from_kind(attachment.kind);
        let sent = if self.channel.carries(part) {
            in_time(self.channel.attach(self.reply, attachment)).await
        } else if self.channel.carries(ReplyPart::File) {
            let file = Attachment { kind: AttachmentKind::Document, ..attachment.clone() };
            in_time(self.channel.attach(self.reply, &file)).await
        } else {
            self.note(DeliveryNote::NotShown(attachment.filename.clone())).await;
            Err(ChannelError::Unsupported)
        };
        match sent {
            Ok(()) => self.outcome.sent_attachments += 1,
            Err(error) => self.fail(part, index, error),
        }
    }

    async fn show(&mut self, text: String) {
        let event = ReplyEvent::Delta { text: text.clone() };
        match in_time(self.channel.send(self.reply, event)).await {
            Ok(()) => {
                self.outcome.sent_text = true;
                self.shown.push_str(&text);
            }
            Err(error) => self.fail(ReplyPart::Text, 0, error),
        }
    }

    async fn speak(&mut self, sentence: &str) {
        let index = self.sentences;
        self.sentences += 1;
        match in_time(self.channel.speak(self.reply, sentence, self.language.as_ref())).await {
            Ok(()) => {
                self.outcome.sent_voice = true;
                self.heard.add(sentence);
            }
            Err(error) => self.fail_voice(index, error).await,
        }
    }

    /// Notes that voice did not arrive, and tells the user why, once.
    async fn fail_voice(&mut self, index: usize, error: ChannelError) {
        let note = match &error {
            ChannelError::QuotaExceeded => Some(DeliveryNote::VoiceQuota),
            ChannelError::VoiceUnavailable => Some(DeliveryNote::VoiceUnavailable),
            _ => None,
        };
        self.fail(ReplyPart::Voice, index, error);
        if let Some(note) = note.filter(|_| !std::mem::replace(&mut self.is_voice_noted, true)) {
            self.note(note).await;
        }
    }

    async fn note(&mut self, note: DeliveryNote) {
        if let Err(error) = in_time(self.channel.note(self.reply, note, self.language.as_ref())).await {
            self.fail(ReplyPart::Notice, 0, error);
        }
    }

    async fn notify(&mut self, event: ReplyEvent) {
        if let Err(error) = in_time(self.channel.send(self.reply, event)).await {
            self.fail(ReplyPart::Notice, 0, error);
        }
    }

    fn fail(&mut self, part: ReplyPart, index: usize, error: ChannelError) {
        tracing::warn!(?part, index, %error, "a part of a reply did not arrive");
        self.outcome.failures.push(PartFailure { part, index, error });
    }
}

/// The text of the response, if it has any.
fn shown_text(response: &OutgoingResponse) -> Option<&str> {
    response.text.as_deref().map(String::as_str).filter(|text| !text.trim().is_empty())
}

async fn in_time(sending: impl Future<Output = Result<(), ChannelError>>) -> Result<(), ChannelError> {
    tokio::time::timeout(PART_TIMEOUT, sending).await.unwrap_or(Err(ChannelError::TimedOut))
}
