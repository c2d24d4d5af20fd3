//! Why a pass over memory came to nothing.

use std::time::Duration;

use llm::LlmError;
use memory::MemoryError;
use vocabulary::{Stage, Trouble};

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
    /// The answer made no sense.
    #[error("the language model's answer made no sense")]
    Unusable,
    /// The memory failed.
    #[error("the memory could not be read or written")]
    Memory(#[from] MemoryError),
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
            Self::Unusable => "unusable_answer",
            Self::Memory(_) => "memory_failed",
            Self::Model(_) => "model_failed",
        }
    }

    /// Would the model fail in the same way if it were asked the same again? One that is merely away would not.
    pub(crate) fn is_of_the_answer(&self) -> bool {
        match self {
            Self::TooSlow { .. } | Self::TooMuch { .. } | Self::Unusable => true,
            Self::Model(error) => matches!(
                error,
                LlmError::Incomplete
                    | LlmError::InvalidResponse { .. }
                    | LlmError::TooLong { .. }
                    | LlmError::Unsupported { .. }
            ),
            Self::Stopped | Self::Memory(_) => false,
        }
    }

    /// The same, as it is shown to people.
    pub fn trouble(&self) -> Trouble {
        let remedy = match self {
            Self::Model(error) => return error.trouble(),
            Self::Memory(error) => return error.trouble(),
            Self::Stopped => "Start it again when it suits you; nothing is lost.",
            Self::TooSlow { .. } => {
                "Start it again later; if it happens often, choose a smaller model in the settings."
            }
            Self::TooMuch { .. } | Self::Unusable => {
                "Start it again; if it happens often, choose another model in the settings."
            }
        };
        Trouble::from_error(Stage::LanguageModel, self, remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_says_what_happened_and_what_to_do() {
        let trouble = ReflectionError::TooSlow { limit: Duration::from_secs(45) }.trouble();

        assert_eq!(
            trouble.to_string(),
            "language model: The language model took longer than 45s. Start it again later; if it happens often, \
             choose a smaller model in the settings."
        );
    }
}
