//! The port to a place where a user gets answers.

use async_trait::async_trait;
use vocabulary::{Attachment, ReplyId};

/// A kind of thing that can be delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Words to read.
    Text,
    /// Words to hear.
    Voice,
    /// A picture or file.
    Attachment,
}

/// Why a channel did not take a part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// Whoever was to get it has gone.
    #[error("nobody is there any more")]
    Gone,
    /// The channel did not answer in time.
    #[error("the channel did not answer in time")]
    TimedOut,
    /// The channel refused.
    #[error("the channel refused: {reason}")]
    Refused {
        /// In its own words.
        reason: String,
    },
}

/// A place where a user gets answers: a window, a loudspeaker, a calling program.
#[async_trait]
pub trait Channel: Send + Sync {
    /// Can this channel carry such a part at all?
    fn carries(&self, part: Part) -> bool;

    /// Shows more text of a reply, to be appended to what came before.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when it could not be shown.
    async fn show(&self, reply: ReplyId, text: &str) -> Result<(), ChannelError>;

    /// Speaks a sentence after those before it. Returns when it is queued, not when it was heard.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when it will not be heard.
    async fn speak(&self, reply: ReplyId, sentence: &str) -> Result<(), ChannelError>;

    /// Hands over a file or picture.
    ///
    /// # Errors
    ///
    /// [`ChannelError`] when it was not handed over.
    async fn attach(&self, reply: ReplyId, attachment: &Attachment) -> Result<(), ChannelError>;

    /// Nothing more comes of this reply.
    async fn close(&self, reply: ReplyId);
}
