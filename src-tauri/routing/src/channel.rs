//! The port to a place where a user gets answers.

use async_trait::async_trait;
use vocabulary::{Attachment, Language, ReplyEvent, ReplyId, ReplyPart};

/// Something about a delivery that the user has to know. The channel words it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryNote {
    /// The voice of an online service may not be used any more.
    VoiceQuota,
    /// No voice works at the moment.
    VoiceUnavailable,
    /// The channel cannot show the file of this name.
    NotShown(String),
}

/// Why a channel did not take a part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// The reader went away.
    #[error("the reader went away")]
    Gone,
    /// The channel did not take the part in time.
    #[error("the channel did not answer in time")]
    TimedOut,
    /// The channel carries no such parts.
    #[error("the channel does not carry this")]
    Unsupported,
    /// No voice works at the moment.
    #[error("no voice works at the moment")]
    VoiceUnavailable,
    /// The voice of an online service may not be used any more.
    #[error("the quota of the voice is used up")]
    QuotaExceeded,
    /// The loudspeaker is away. The channel speaks later if it is back soon.
    #[error("the loudspeaker is away")]
    LoudspeakerAway,
    /// The channel refused.
    #[error("the channel refused: {reason}")]
    Refused {
        /// In its own words.
        reason: String,
    },
}

impl ChannelError {
    /// Returns `true` if the reader of this channel is gone, so that the rest of the reply is not needed.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Gone | Self::TimedOut => true,
            Self::Unsupported
            | Self::VoiceUnavailable
            | Self::QuotaExceeded
            | Self::LoudspeakerAway
            | Self::Refused { .. } => false,
        }
    }

    /// Returns `true` if the same part may arrive the next time.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

/// A place where a user gets answers: a window, a loudspeaker, a calling program.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Returns `true` if this channel can carry such a part at all.
    fn carries(&self, part: ReplyPart) -> bool;

    /// Passes on an event of a reply: more text, a notice, or its end. The `Done` comes exactly once for each delivery,
    /// and nothing of the reply follows.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when it was not passed on.
    async fn send(&self, reply: ReplyId, event: ReplyEvent) -> Result<(), ChannelError>;

    /// Speaks a sentence after those before it, with a voice of its language. Returns when it is queued, not when it was
    /// heard.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when it will not be heard.
    async fn speak(
        &self,
        reply: ReplyId,
        sentence: &str,
        language: Option<&Language>,
    ) -> Result<(), ChannelError>;

    /// The reason why nothing that [`Channel::speak`] queued for the reply is heard, as far as that is known; `None` if something
    /// is. A channel that passes sentences on at once knows no such reason.
    async fn unheard(&self, _: ReplyId) -> Option<ChannelError> {
        None
    }

    /// All words so far are complete: the reply waits for an answer to the question it asked, and may go on after it.
    async fn await_answer(&self, _: ReplyId) {}

    /// Hands over a file or picture, of a kind that this channel carries.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when it was not handed over.
    async fn attach(&self, reply: ReplyId, attachment: &Attachment) -> Result<(), ChannelError>;

    /// Tells the user something about the delivery, in the language of the reply if known.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when it was not told.
    async fn note(
        &self,
        reply: ReplyId,
        note: DeliveryNote,
        language: Option<&Language>,
    ) -> Result<(), ChannelError>;
}
