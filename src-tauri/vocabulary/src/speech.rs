//! When our own voice can be heard.

use std::time::{Duration, Instant};

use crate::ReplyId;

/// The events of spoken sentences. `listening` needs the times to tell our own voice from the user's.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeechEvent {
    /// The first sound of a reply was sent to the loudspeaker.
    Started {
        /// The reply that is spoken.
        reply: ReplyId,
        /// When it started.
        at: Instant,
    },
    /// A sentence began to sound.
    Sentence {
        /// The reply that is spoken.
        reply: ReplyId,
        /// The words as they are spoken, after clean-up for speech.
        text: String,
        /// When its first sample is heard.
        at: Instant,
        /// The time that it sounds.
        lasts: Duration,
    },
    /// The reply was spoken to its end.
    Finished {
        /// The reply that was spoken.
        reply: ReplyId,
        /// When its last sample was heard.
        at: Instant,
    },
    /// The reply was cut short by stop, barge-in or a newer query. No hot window opens after it.
    Interrupted {
        /// The reply that was spoken.
        reply: ReplyId,
        /// When the sound stopped.
        at: Instant,
    },
}
