//! A reply as it grows, and the port that makes one.

use std::pin::Pin;

use futures::Stream;
use tokio_util::sync::CancellationToken;

use crate::{OutgoingResponse, Query, Trouble};

/// What happens between a query and its answer, in this order: `Delta`s and `Sentence`s interleaved, perhaps a
/// `Failed`, then exactly one `Done`.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyEvent {
    /// More text for the screen: append it to what came before. Passed the malformed-output guard.
    Delta {
        /// The text to append, blanks included.
        text: String,
    },
    /// A sentence is complete and may be spoken. Its text has already come as deltas.
    Sentence {
        /// Counts the sentences of the reply from 0.
        index: usize,
        /// The sentence, trimmed.
        text: String,
    },
    /// A step of the reply went wrong. What the user gets to read is in the `Done` that follows.
    Failed(Trouble),
    /// The reply is complete: all that the user gets. Nothing follows.
    Done(OutgoingResponse),
}

/// A reply under way.
pub type ReplyStream = Pin<Box<dyn Stream<Item = ReplyEvent> + Send>>;

/// The port through which the assistant asks for replies; `replying` holds the real one.
pub trait Replier: Send + Sync {
    /// Answers `query`. The stream ends after its `Done`.
    ///
    /// Cancelling `stop` ends it early, with a `Done` that holds what was released until then. Dropping the
    /// stream is safe too: nothing more happens, and what was released is not remembered.
    fn reply(&self, query: Query, stop: CancellationToken) -> ReplyStream;
}
