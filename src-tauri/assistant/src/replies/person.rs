//! The channel to the person at this machine: words on the screen, and aloud.

use async_trait::async_trait;
use routing::{Channel, ChannelError, Part};
use tokio::sync::broadcast;
use vocabulary::{AssistantEvent, Attachment, Language, OutgoingResponse, ReplyEvent, ReplyId};

use crate::voice::SpeechOutput;

/// Every open window and terminal reads the assistant's events, so showing something is sending an event.
pub(crate) struct PersonChannel {
    pub events: broadcast::Sender<AssistantEvent>,
    pub speech_output: SpeechOutput,
}

impl PersonChannel {
    fn send(&self, reply: ReplyId, event: ReplyEvent) {
        // Without an open window there is no receiver. Nothing is lost: the reply is stored.
        let _ = self.events.send(AssistantEvent::Reply { reply, event });
    }
}

#[async_trait]
impl Channel for PersonChannel {
    fn carries(&self, part: Part) -> bool {
        match part {
            Part::Text | Part::Notice => true,
            Part::Voice => self.speech_output.speaks(),
            Part::Attachment => false,
        }
    }

    async fn show(&self, reply: ReplyId, text: &str) -> Result<(), ChannelError> {
        self.send(reply, ReplyEvent::Delta { text: text.to_owned() });
        Ok(())
    }

    async fn speak(
        &self,
        reply: ReplyId,
        sentence: &str,
        language: Option<&Language>,
    ) -> Result<(), ChannelError> {
        self.speech_output.say(reply, sentence, language).await
    }

    async fn notify(&self, reply: ReplyId, event: &ReplyEvent) -> Result<(), ChannelError> {
        self.send(reply, event.clone());
        Ok(())
    }

    async fn await_answer(&self, reply: ReplyId) {
        self.speech_output.finish(reply).await;
    }

    async fn attach(&self, _: ReplyId, attachment: &Attachment) -> Result<(), ChannelError> {
        Err(ChannelError::Refused { reason: format!("{} cannot be shown here", attachment.filename) })
    }

    async fn close(&self, reply: ReplyId, response: &OutgoingResponse) {
        self.speech_output.finish(reply).await;
        self.send(reply, ReplyEvent::Done(response.clone()));
    }
}
