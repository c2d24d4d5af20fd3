//! The channel of a person at this machine: words on the screen, and aloud.

use async_trait::async_trait;
use routing::{Channel, ChannelError, Part};
use tokio::sync::broadcast;
use vocabulary::{AssistantEvent, Attachment, ReplyEvent, ReplyId};

use crate::voice::SpeechOutput;

/// Every open door reads the events, so showing text is telling of it.
pub(crate) struct ScreenAndSpeaker {
    pub events: broadcast::Sender<AssistantEvent>,
    pub speech_output: SpeechOutput,
}

#[async_trait]
impl Channel for ScreenAndSpeaker {
    fn carries(&self, part: Part) -> bool {
        match part {
            Part::Text => true,
            Part::Voice => self.speech_output.speaks(),
            Part::Attachment => false,
        }
    }

    async fn show(&self, reply: ReplyId, text: &str) -> Result<(), ChannelError> {
        let event = ReplyEvent::Delta { text: text.to_owned() };
        // With no door open there is nobody to show it to, and nothing lost: the reply is remembered.
        let _ = self.events.send(AssistantEvent::Reply { reply, event });
        Ok(())
    }

    async fn speak(&self, reply: ReplyId, sentence: &str) -> Result<(), ChannelError> {
        self.speech_output.say(reply, sentence).await
    }

    async fn attach(&self, _: ReplyId, attachment: &Attachment) -> Result<(), ChannelError> {
        Err(ChannelError::Refused { reason: format!("{} has no place to be shown yet", attachment.filename) })
    }

    async fn close(&self, reply: ReplyId) {
        self.speech_output.finish(reply).await;
    }
}
