//! The port to a place where a user gets answers.

use async_trait::async_trait;
use vocabulary::{Attachment, Language, ReplyEvent, ReplyId};

/// A kind of thing that can be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Words to read.
    Text,
    /// Words to hear.
    Voice,
    /// A picture or file.
    Attachment,
    /// Progress, tool calls, questions and troubles of a reply.
    Notice,
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
    /// The channel refused.
    #[error("the channel refused: {reason}")]
    Refused {
        /// In its own words.
        reason: String,
    },
}

impl ChannelError {
    /// Whether the reader of this channel is gone, so that the rest of the reply is not needed.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Gone | Self::TimedOut => true,
            Self::Refused { .. } => false,
        }
    }
}

/// A place where a user gets answers: a window, a loudspeaker, a calling program.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Whether this channel can carry such a part at all.
    fn carries(&self, part: Part) -> bool;

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

    /// All words so far are complete: the reply waits for an answer to the question it asked, and may go on after it.
    async fn await_answer(&self, _: ReplyId) {}

    /// Hands over a file or picture.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when it was not handed over.
    async fn attach(&self, reply: ReplyId, attachment: &Attachment) -> Result<(), ChannelError>;
}
