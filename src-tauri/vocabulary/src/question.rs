//! A question to the user before something is done, and its answer.

use serde::{Deserialize, Serialize};

use crate::Private;

/// Names a question so that its answer finds it. Counts up within one reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuestionId(pub u64);

/// Something the user must decide: shown as a card, asked aloud, or put to a calling program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Unique within its reply.
    pub id: QuestionId,
    /// The question as one sentence.
    pub text: String,
    /// The answers to choose from; empty means free text.
    pub options: Vec<String>,
    /// Only a key or a click may agree: anybody in the room can say "yes", and so can a recording.
    pub by_hand: bool,
}

/// The answer of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The question it belongs to.
    pub question: QuestionId,
    /// One of the question's options as it was offered, or free text where it offered none.
    pub text: Private<String>,
}
