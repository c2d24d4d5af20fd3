//! Why a pass failed.

use std::time::Duration;

use llm::LlmError;
use memory::MemoryError;
use vocabulary::{Stage, Trouble};

/// Why a pass failed. The memory stays as it was.
#[derive(Debug, thiserror::Error)]
pub enum ReflectionError {
    /// The pass was cancelled.
    #[error("the pass was stopped")]
    Stopped,
    /// The answer exceeded the time limit.
    #[error("the language model took longer than {limit:?}")]
    TooSlow {
        /// The time limit.
        limit: Duration,
    },
    /// The answer is far longer than any correct one: the model repeats itself.
    #[error("the language model wrote more than {chars} characters")]
    TooMuch {
        /// The longest answer that is accepted.
        chars: usize,
    },
    /// The answer could not be parsed, or failed a check.
    #[error("the language model's answer could not be used")]
    Unusable,
    /// The database failed.
    #[error("the memory could not be read or written")]
    Memory(#[from] MemoryError),
    /// The model failed or is not reachable.
    #[error("the language model could not be asked")]
    Model(#[from] LlmError),
}

impl ReflectionError {
    /// A code for events and logs. It contains nothing of the dialogue.
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

    /// Returns `true` if the model's answer caused the error, so that the same question would probably fail again.
    /// False when the model was only unavailable.
    pub(crate) fn is_caused_by_answer(&self) -> bool {
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

    /// The error with its remedy, as the user reads it.
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
    fn trouble_contains_the_cause_and_the_remedy() {
        let trouble = ReflectionError::TooSlow { limit: Duration::from_secs(45) }.trouble();

        assert_eq!(
            trouble.to_string(),
            "language model: The language model took longer than 45s. Start it again later; if it happens often, \
             choose a smaller model in the settings."
        );
    }
}
