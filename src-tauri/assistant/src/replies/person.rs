//! The channel to the person at this machine: words on the screen, and aloud.

use async_trait::async_trait;
use routing::{Channel, ChannelError, DeliveryNote};
use vocabulary::{AssistantEvent, Attachment, Language, ReplyEvent, ReplyId, ReplyPart};

use super::delivery_notes::in_words;
use crate::event_bus::EventBus;
use crate::sound_paths::voice::SpeechOutput;

/// Shows replies to every open door, and speaks them. Without a door nothing is lost: the reply is stored.
pub(crate) struct PersonChannel {
    pub events: EventBus,
    pub speech_output: SpeechOutput,
}

#[async_trait]
impl Channel for PersonChannel {
    fn carries(&self, part: ReplyPart) -> bool {
        match part {
            // Attachments come with the `Done`, and are drawn below the text.
            ReplyPart::Text | ReplyPart::Image | ReplyPart::File | ReplyPart::Notice => true,
            ReplyPart::Voice => self.speech_output.speaks(),
        }
    }

    async fn send(&self, reply: ReplyId, event: ReplyEvent) -> Result<(), ChannelError> {
        if matches!(event, ReplyEvent::Done(_)) {
            self.speech_output.finish(reply).await;
        }
        self.events.send(AssistantEvent::Reply { reply, event }).await;
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

    async fn unheard(&self, reply: ReplyId) -> Option<ChannelError> {
        self.speech_output.unheard(reply).await
    }

    async fn await_answer(&self, reply: ReplyId) {
        self.speech_output.pause(reply).await;
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
