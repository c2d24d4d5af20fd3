//! One table of expressions for each language.
//!
//! # Patterns
//!
//! A pattern is a sequence of words: `the? last|past {n} {unit}`. `a|b` is either word, `a?` is optional, `{slot}` stands
//! for a word of the table, a leading `~` means "only if no other language has more function words in the text": *hier* is
//! yesterday in French and here in German. Case and accents are ignored. Patterns separate words by blanks, also for scripts
//! without spaces. Dates in digits (`2024-05-03`) need no pattern.

mod table; // the fields of a table: start here
mod arabic;
mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod italian;
mod japanese;
mod portuguese;
mod russian;
mod spanish;
mod turkish;

pub(crate) use table::{Language, PatternMeaning};

/// All tables. When two match a text equally well, the earlier one wins.
pub(crate) const ALL: [&Language; 12] = [
    &english::ENGLISH,
    &german::GERMAN,
    &french::FRENCH,
    &spanish::SPANISH,
    &italian::ITALIAN,
    &dutch::DUTCH,
    &portuguese::PORTUGUESE,
    &chinese::CHINESE,
    &japanese::JAPANESE,
    &russian::RUSSIAN,
    &arabic::ARABIC,
    &turkish::TURKISH,
];
