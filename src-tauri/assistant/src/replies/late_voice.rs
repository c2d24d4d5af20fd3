//! A reply whose words wait for the loudspeaker when it ends.

use routing::{ChannelError, Outcome};
use vocabulary::{ConversationId, DeliveryTrace, ReplyId, ReplyPart, ReplyTrace};

/// A reply that ended while its words waited for the loudspeaker. Its trace says that the voice is missing, until they are heard.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LateVoice {
    pub reply: ReplyId,
    pub conversation: ConversationId,
    /// The parts that arrived, once the words are heard.
    pub delivery: DeliveryTrace,
    /// The way the reply was made, with those parts.
    pub trace: Option<Box<ReplyTrace>>,
}

impl LateVoice {
    /// `None` if no words of the reply wait. `trace` is that of its end.
    pub fn new(
        reply: ReplyId,
        conversation: ConversationId,
        outcome: &Outcome,
        trace: Option<Box<ReplyTrace>>,
    ) -> Option<Self> {
        let is_away = outcome.failures.iter().any(|failure| failure.error == ChannelError::LoudspeakerAway);
        if outcome.sent_voice || !is_away {
            return None;
        }
        let mut delivery = DeliveryTrace { is_spoken: true, ..outcome.trace() };
        delivery.missing.retain(|part| *part != ReplyPart::Voice);
        let trace = trace.map(|trace| Box::new(ReplyTrace { delivery: Some(delivery.clone()), ..*trace }));
        Some(Self { reply, conversation, delivery, trace })
    }
}
