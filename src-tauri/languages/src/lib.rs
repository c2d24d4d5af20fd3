//! The words of each language that several rooms need, and the language of a text.
//!
//! One data file per language: [`LanguageData`] says what it contains. [`of`] and [`of_code`] find it, [`all`] are for
//! callers that do not know the language, [`detect`] tells it from a text. Words are compared in the form of
//! [`normalised`]. What Jarvis says in fixed words is in [`messages`]. No I/O, no settings, no grammar in here:
//! expressions of time are in `dates`.

mod language_data; // the fields of a data file: start here
mod word_list;
mod normalisation;
mod data;
mod measures;
mod number_words;
mod detection;
pub mod messages;

pub use detection::{Detection, detect};
pub use language_data::{LanguageData, WordOrder, Writing};
pub use measures::{MEASURES, MeasureNames};
pub use normalisation::{folded, folded_words, normalised};
pub use number_words::NumberWords;
pub use word_list::WordList;

use vocabulary::Language;

/// The data of a language; `None` where we have none.
pub fn of(language: &Language) -> Option<&'static LanguageData> {
    of_code(language.code())
}

/// The data of a language by its code, such as `de`; `None` where we have none.
pub fn of_code(code: &str) -> Option<&'static LanguageData> {
    all().iter().find(|data| data.code == code)
}

/// The data of all languages, English first.
pub fn all() -> &'static [LanguageData] {
    &data::ALL
}

/// Whether the character ends a sentence in any language; Hindi and Urdu count too, though they have no data.
pub fn is_sentence_end(c: char) -> bool {
    matches!(c, '।' | '۔') || all().iter().any(|data| data.sentence_ends.contains(&c))
}

/// Whether the word calls somebody by name in any language: "hey".
pub fn is_greeting(word: &str) -> bool {
    let word = normalised(word);
    all().iter().any(|data| data.greetings.contains(&word))
}

#[cfg(test)]
mod tests;
