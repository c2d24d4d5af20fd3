//! What the loudspeaker says of itself.

use std::time::{Duration, Instant};

use crate::ReplyId;

/// What happens to spoken sentences. `listening` needs the times to tell our own voice from the user's.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeechEvent {
    /// The first sound of a reply left for the loudspeaker.
    Started {
        /// Whose voice it is.
        reply: ReplyId,
        /// When.
        at: Instant,
    },
    /// A sentence began to sound.
    Sentence {
        /// Whose voice it is.
        reply: ReplyId,
        /// The words as they are spoken, after clean-up for speech.
        text: String,
        /// When its first sample is heard.
        at: Instant,
        /// How long it sounds, exactly.
        lasts: Duration,
    },
    /// All was spoken, to the end.
    Finished {
        /// Whose voice it was.
        reply: ReplyId,
        /// When its last sample was heard.
        at: Instant,
    },
    /// It was cut short: stop, barge-in, or a newer query. No hot window opens after it.
    Interrupted {
        /// Whose voice it was.
        reply: ReplyId,
        /// When it fell silent.
        at: Instant,
    },
}
