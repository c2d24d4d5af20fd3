//! Echo: our own voice coming back through the microphone. Its words distinguish it from the voice of the user.
//!
//! Pure functions over plain values. All times are seconds on one timeline with an arbitrary zero.
//!
//! Source: docs/behaviour/listening.md#echo.

mod speech; // the values: start here
mod similar;
mod timed_words;
mod salvage;
mod rejection;

pub use rejection::is_echo;
pub(crate) use rejection::{
    MAX_SHORT_WORDS, has_words_of_user, is_echo_of_whole_words, is_explained_by_own_words, is_own_call,
    own_words_during, resembles_words,
};
pub use salvage::{after_leading_echo, after_rightmost_echo, user_words_while_speaking};
pub(crate) use salvage::{after_merged_echo, after_own_words, has_enough_words};
pub(crate) use similar::resembles_own_words;
pub use similar::{is_pure_echo, is_similar, normalise};
pub use speech::{EchoConfig, HeardSpeech, OwnSpeech, SentenceTime};
