//! The intent judge: a language model says whether an utterance was meant for us, and writes it as one complete query.
//!
//! It is asked only about utterances that the rules are unsure of. Without an answer, the rules decide.
//!
//! Source: behaviour reference, section 1.9.

mod verdict; // what it answers: start here
mod aliases;

pub use aliases::with_name_for_aliases;
pub use verdict::{IntentVerdict, first_object};
