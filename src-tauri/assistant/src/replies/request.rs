//! The question of a caller, and the reasons to refuse it.

use redaction::MAX_CHARS;
use vocabulary::{Caller, CallerTool, ConversationId, Language, Stage, Trouble};

/// A question of a calling program.
#[derive(Debug, Clone)]
pub struct ReplyRequest {
    /// The question, not yet redacted.
    pub text: String,
    /// The language of the question, if known.
    pub language: Option<Language>,
    /// The conversation it belongs to. A newer question of the same conversation supersedes it.
    pub conversation: ConversationId,
    /// It replaces the newest question of the conversation and its reply.
    pub replaces_previous: bool,
    /// The limits of the caller.
    pub caller: Caller,
    /// Tools that the caller runs itself: their calls come through [`crate::ReplyHandle::step`].
    pub tools: Vec<CallerTool>,
}

impl ReplyRequest {
    /// A question of somebody who may use everything.
    pub fn new(text: impl Into<String>, conversation: ConversationId) -> Self {
        Self {
            text: text.into(),
            language: None,
            conversation,
            replaces_previous: false,
            caller: Caller::default(),
            tools: Vec::new(),
        }
    }
}

/// Why a question is not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplyRefused {
    /// Only the beginning of the question would be read.
    #[error("the question has {characters} characters, and Jarvis reads {MAX_CHARS} at a time")]
    TooLong {
        /// The length of the question.
        characters: usize,
    },
    /// As many questions wait as may.
    #[error("{open} other questions are waiting for an answer")]
    Busy {
        /// The number of open replies.
        open: usize,
    },
    /// The assistant is ending.
    #[error("Jarvis is quitting")]
    ShuttingDown,
}

impl ReplyRefused {
    /// The same for the user's screen.
    pub fn trouble(&self) -> Trouble {
        let remedy = match self {
            Self::TooLong { .. } => "Shorten it, or ask in parts.",
            Self::Busy { .. } => "Ask again in a moment.",
            Self::ShuttingDown => "Start Jarvis again, then ask.",
        };
        Trouble::from_error(Stage::Instance, self, remedy)
    }
}

/// Refuses a question of which only the beginning would be read.
///
/// # Errors
///
/// [`ReplyRefused::TooLong`].
pub(crate) fn check_length(question: &str) -> Result<(), ReplyRefused> {
    let characters = question.chars().count();
    if characters > MAX_CHARS { Err(ReplyRefused::TooLong { characters }) } else { Ok(()) }
}
