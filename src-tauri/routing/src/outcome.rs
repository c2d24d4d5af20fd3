//! The parts of a reply that arrived.

use vocabulary::{DeliveryTrace, ReplyPart};

use crate::channel::ChannelError;

/// The outcome of a reply on its way to the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Some text was shown.
    pub sent_text: bool,
    /// Some words were queued to be spoken.
    pub sent_voice: bool,
    /// The number of attachments that were handed over.
    pub sent_attachments: usize,
    /// Parts that did not arrive.
    pub failures: Vec<PartFailure>,
}

impl Outcome {
    /// Returns `true` if the user got anything.
    pub fn is_delivered(&self) -> bool {
        self.sent_text || self.sent_voice || self.sent_attachments > 0
    }

    /// The outcome as it is kept with the reply. A notice is none of its parts.
    pub fn trace(&self) -> DeliveryTrace {
        let mut missing = Vec::new();
        for failure in self.failures.iter().filter(|failure| failure.part != ReplyPart::Notice) {
            if !missing.contains(&failure.part) {
                missing.push(failure.part);
            }
        }
        DeliveryTrace {
            is_shown: self.sent_text,
            is_spoken: self.sent_voice,
            attachments: self.sent_attachments,
            missing,
        }
    }
}

/// A part that did not arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartFailure {
    /// Its kind.
    pub part: ReplyPart,
    /// Its position among the parts of its kind, from 0.
    pub index: usize,
    /// The reason why it did not arrive.
    pub error: ChannelError,
}

impl PartFailure {
    /// Returns `true` if the part is missing for the user and may arrive the next time.
    pub fn is_missing(&self) -> bool {
        self.part != ReplyPart::Notice && self.error.is_passing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_kind_is_traced_once_and_notices_are_not() {
        let failed = |part, index| PartFailure { part, index, error: ChannelError::Unsupported };
        let outcome = Outcome {
            sent_text: true,
            sent_attachments: 1,
            failures: vec![
                failed(ReplyPart::Voice, 0),
                failed(ReplyPart::Notice, 0),
                failed(ReplyPart::Voice, 1),
                failed(ReplyPart::File, 0),
            ],
            ..Outcome::default()
        };

        let missing = vec![ReplyPart::Voice, ReplyPart::File];
        assert_eq!(
            outcome.trace(),
            DeliveryTrace { is_shown: true, is_spoken: false, attachments: 1, missing }
        );
    }
}
