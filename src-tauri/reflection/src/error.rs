//! Why a pass over memory came to nothing.

use std::time::Duration;

use llm::LlmError;
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
    /// The same, as it is shown to people.
    pub fn trouble(&self) -> Trouble {
        let remedy = match self {
            Self::Model(error) => return error.trouble(),
            Self::Stopped => "Start it again when it suits you; nothing is lost.",
            Self::TooSlow { .. } => {
                "Start it again later; if it happens often, choose a smaller model in the settings."
            }
            Self::TooMuch { .. } => {
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
