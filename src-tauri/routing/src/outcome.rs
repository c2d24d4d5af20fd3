//! The parts of a reply that arrived.

use crate::channel::{ChannelError, ReplyPart};

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
