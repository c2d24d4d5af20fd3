//! The parts of a reply, and which of them arrived.

use serde::{Deserialize, Serialize};

use crate::AttachmentKind;

/// A kind of thing that can be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyPart {
    /// Words to read.
    Text,
    /// Words to hear.
    Voice,
    /// A picture, shown in place.
    Image,
    /// A file to save.
    File,
    /// Progress, tool calls, questions, troubles and notes of a reply.
    Notice,
}

impl ReplyPart {
    /// The part that an attachment of this kind is.
    pub fn from_kind(kind: AttachmentKind) -> Self {
        match kind {
            AttachmentKind::Image => Self::Image,
            AttachmentKind::Document => Self::File,
        }
    }
}

/// The parts of a reply that arrived. Kept with the way it was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeliveryTrace {
    /// Some text was shown.
    pub is_shown: bool,
    /// Some words were queued to be spoken.
    pub is_spoken: bool,
    /// The number of attachments that were handed over.
    pub attachments: usize,
    /// The kinds of parts that did not arrive, each once.
    pub missing: Vec<ReplyPart>,
}
