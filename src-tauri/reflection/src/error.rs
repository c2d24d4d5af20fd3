//! Why a pass over memory came to nothing.

use std::time::Duration;

use llm::LlmError;

/// Why the model was asked in vain. Whatever the pass was about stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum ReflectionError {
    /// Somebody cancelled it.
    #[error("it was stopped")]
    Stopped,
    /// The answer did not come in time.
    #[error("the language model took longer than {limit:?}")]
    TooSlow {
        /// How long it had.
        limit: Duration,
    },
    /// The answer is far longer than any good one: the model goes round in circles.
    #[error("the language model wrote more than {chars} characters")]
    TooMuch {
        /// How many were accepted.
        chars: usize,
    },
    /// The model failed.
    #[error("the language model could not be asked")]
    Model(#[from] LlmError),
}

impl ReflectionError {
    /// A word for it that holds nothing of what was said: for events and logs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::TooSlow { .. } => "too_slow",
            Self::TooMuch { .. } => "too_much",
            Self::Model(_) => "model_failed",
        }
    }
}
