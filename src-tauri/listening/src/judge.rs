//! The intent judge: a language model says whether an utterance was meant for us, and writes it as one complete query.
//!
//! It is asked only about utterances that the rules are unsure of. Without an answer, the rules decide.
//!
//! Source: docs/behaviour/listening.md#intent-judge.

mod verdict; // what it answers: start here
mod aliases;
mod prompt;
mod availability;
mod port;

pub use aliases::with_name_for_aliases;
pub(crate) use availability::JudgeAvailability;
pub use availability::JudgeError;
pub use port::IntentJudge;
pub(crate) use prompt::JudgeInput;
pub use prompt::JudgePrompt;
pub use verdict::{IntentVerdict, first_object};
