//! A question to the user before something is done.

use serde::{Deserialize, Serialize};

/// Names a question so that its answer finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuestionId(pub u64);

/// Something the user must decide: shown as a card, asked aloud, or put to a calling program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Its name.
    pub id: QuestionId,
    /// What is asked, as one sentence.
    pub text: String,
    /// The answers to choose from; empty means free text.
    pub options: Vec<String>,
}
