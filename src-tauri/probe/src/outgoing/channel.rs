//! A channel that does what the input says, and writes down what it was asked.

use async_trait::async_trait;
use parking_lot::Mutex;
use routing::{Channel, ChannelError, DeliveryNote};
use serde::Deserialize;
use serde_json::{Value, json};
use vocabulary::{Attachment, Language, ReplyEvent, ReplyId, ReplyPart};

use crate::suite::or_default;

/// The channel of an input.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct WireChannel {
    pub registered: bool,
    #[serde(default, deserialize_with = "or_default")]
    supports: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    voice_enabled: bool,
    #[serde(default, deserialize_with = "or_default")]
    voice_available: bool,
    voice_error: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    fail: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    hang: Vec<String>,
}

/// The requests to a channel.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub attempts: Vec<Value>,
    pub sends: Vec<Value>,
    pub notices: usize,
}

/// A channel that does what the input says.
pub(super) struct ScriptedChannel {
    script: WireChannel,
    asked: Mutex<Asked>,
}

impl ScriptedChannel {
    pub fn new(script: WireChannel) -> Self {
        Self { script, asked: Mutex::default() }
    }

    /// The requests to it so far.
    pub fn asked(&self) -> Asked {
        self.asked.lock().clone()
    }

    async fn take(&self, part: ReplyPart, value: &str) -> Result<(), ChannelError> {
        let name = part_name(part);
        self.asked.lock().attempts.push(json!([name, value]));
        let is_in = |names: &[String]| names.iter().any(|it| it == name);
        if is_in(&self.script.hang) {
            std::future::pending::<()>().await;
        }
        if is_in(&self.script.fail) {
            return Err(ChannelError::Refused { reason: "scripted".to_owned() });
        }
        if part == ReplyPart::Voice && self.script.voice_error.as_deref() == Some("quota") {
            return Err(ChannelError::QuotaExceeded);
        }
        self.asked.lock().sends.push(json!([name, value]));
        Ok(())
    }
}

/// The name of a part in the suites.
pub(super) fn part_name(part: ReplyPart) -> &'static str {
    match part {
        ReplyPart::Text => "text",
        ReplyPart::Voice => "voice",
        ReplyPart::Image => "photo",
        ReplyPart::File => "document",
        ReplyPart::Notice => "notice",
    }
}

#[async_trait]
impl Channel for ScriptedChannel {
    fn carries(&self, part: ReplyPart) -> bool {
        let is_on = part != ReplyPart::Voice || self.script.voice_enabled;
        is_on && self.script.supports.iter().any(|it| it == part_name(part))
    }

    async fn send(&self, _: ReplyId, event: ReplyEvent) -> Result<(), ChannelError> {
        match event {
            ReplyEvent::Delta { text } => self.take(ReplyPart::Text, &text).await,
            _ => Ok(()),
        }
    }

    async fn speak(&self, _: ReplyId, sentence: &str, _: Option<&Language>) -> Result<(), ChannelError> {
        match self.script.voice_available {
            true => self.take(ReplyPart::Voice, sentence).await,
            false => Err(ChannelError::VoiceUnavailable),
        }
    }

    async fn attach(&self, _: ReplyId, attachment: &Attachment) -> Result<(), ChannelError> {
        self.take(ReplyPart::from_kind(attachment.kind), &attachment.filename).await
    }

    async fn note(&self, _: ReplyId, _: DeliveryNote, _: Option<&Language>) -> Result<(), ChannelError> {
        self.asked.lock().notices += 1;
        Ok(())
    }
}
