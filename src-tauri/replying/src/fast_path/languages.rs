//! The requests of each language, one table for each.
//!
//! # Patterns
//!
//! A pattern is a sequence of words: `set|start a? timer for {duration}`. `a|b` is either word, `a?` is optional, `_` joins
//! several words to one alternative: `what_is|what's`. `{slot}` stands for a value. Case and accents are ignored, and an
//! apostrophe ends a word.

mod table; // the fields of a table: start here
mod english;
mod german;
mod french;
mod spanish;
mod italian;
mod dutch;
mod portuguese;
mod turkish;

pub(super) use table::{ClockMeaning, Meaning, Table};

/// All tables. A text whose language is unknown is tried in this order.
pub(super) const ALL: [&Table; 8] = [
    &english::ENGLISH,
    &german::GERMAN,
    &french::FRENCH,
    &spanish::SPANISH,
    &italian::ITALIAN,
    &dutch::DUTCH,
    &portuguese::PORTUGUESE,
    &turkish::TURKISH,
];
