//! A reply while it is made, and the port that makes one.

use std::pin::Pin;

use futures::Stream;
use futures::channel::mpsc;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::{
    Answer, Caller, ConversationId, DeliveryTrace, Language, OutgoingResponse, Query, Question, QuestionId,
    ReplyId, ReplyTrace, ToolCallId, ToolOutcome, Trouble,
};

/// The events between a query and its answer: any number of events, perhaps a `Failed`, then exactly one `Done`.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyEvent {
    /// More text for the screen: append it to what came before. It passed the malformed-output guard.
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
        /// Its language, if known: a voice of that language speaks it.
        language: Option<Language>,
    },
    /// One short line about work that takes a while. Not part of the answer.
    Progress {
        /// A sentence for the screen.
        text: String,
    },
    /// One short line about something that did not reach the user as it should. Not part of the answer.
    Note {
        /// A sentence for the screen.
        text: String,
    },
    /// A tool was called.
    ToolStarted {
        /// Names the call, so that its end can be told from others.
        call: ToolCallId,
        /// The tool's name.
        tool: String,
    },
    /// A tool call ended.
    ToolFinished {
        /// The call, as named by its `ToolStarted`.
        call: ToolCallId,
        /// The way it ended.
        outcome: ToolOutcome,
    },
    /// The user has to decide something before the reply goes on.
    Question(Question),
    /// The question is settled: it was answered, timed out or is no longer needed.
    QuestionSettled {
        /// The question to the user.
        question: QuestionId,
    },
    /// The way the reply was made. Comes once, before the `Done`. What arrived is added on its way to the user.
    Traced(Box<ReplyTrace>),
    /// A step of the reply went wrong. The text for the user is in the `Done` that follows.
    Failed(Trouble),
    /// The reply is complete: all that the user gets. Nothing follows.
    Done(OutgoingResponse),
}

/// A reply under way.
pub type ReplyStream = Pin<Box<dyn Stream<Item = ReplyEvent> + Send>>;

/// The controls of a reply under way, for the one who asked.
#[derive(Debug)]
pub struct ReplyControls {
    /// Ends the reply early, with a `Done` that holds what was released until then.
    pub stop: CancellationToken,
    /// Answers to the questions of the reply. Closed when no answer can come any more.
    pub answers: mpsc::Receiver<Answer>,
    /// The one who asked.
    pub caller: Caller,
}

/// Answers that wait for the replier to read them. A reply asks one question at a time, so a second is already a repeat.
const ANSWERS: usize = 4;

impl ReplyControls {
    /// Controls that `stop` and the returned sender drive, for the user of this machine.
    pub fn new(stop: CancellationToken) -> (Self, mpsc::Sender<Answer>) {
        let (sender, answers) = mpsc::channel(ANSWERS);
        (Self { stop, answers, caller: Caller::default() }, sender)
    }
}

/// The port through which the assistant asks for replies; `replying` holds the real one.
pub trait Replier: Send + Sync {
    /// Answers `query`. The stream ends after its `Done`.
    ///
    /// Dropping the stream is safe: nothing more happens, and what was released is not remembered.
    fn reply(&self, query: Query, controls: ReplyControls) -> ReplyStream;

    /// Explains to the user in one or two sentences why there is no answer. `None` if no model says so within some seconds.
    ///
    /// Cancel-safe.
    fn explain<'r>(
        &'r self,
        troubles: &'r [Trouble],
        language: Option<&'r Language>,
    ) -> BoxFuture<'r, Option<String>>;

    /// Keeps with a reply which parts of it arrived. A reply that is not remembered is left alone.
    fn note_delivery(&self, conversation: &ConversationId, reply: ReplyId, delivery: DeliveryTrace);
}
