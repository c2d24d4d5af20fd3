//! Resolves expressions of time in natural language, such as "last spring", to days.
//!
//! A sentence and a calendar come in; a span of local days goes out, with the position of the words that name it. There is
//! no clock, no time zone and no language model here: the caller says what day it is and whether the sentence is about
//! the past or the future.
//!
//! # What the words mean
//!
//! | words | meaning |
//! |---|---|
//! | three days ago | that day |
//! | two weeks ago | that day, with three days on either side, because people count weeks roughly |
//! | two months ago, two years ago | that calendar month, that calendar year |
//! | a couple of days ago | one to three days ago |
//! | a few weeks ago | two to five weeks ago, with the three days of "weeks ago" |
//! | in the last three months | from the same day three months back until today |
//! | last week, this week | Monday to Sunday |
//! | at the end of July, in early July | July |
//! | last night | yesterday |
//! | last summer | the latest summer that is over, by meteorological seasons |
//! | winter 2023 | the winter that begins in 2023 |
//! | on Monday, in March, on 3 May | the latest one, or the next one in a sentence about the future; Monday is never today |
//! | 3/5/2024 | 3 May, unless only the other order is a date |
//!
//! Ambiguous words count only in a context that makes them a time: "in May" is one, "may I" is not. Each language has a table
//! in the crate `languages`; one engine matches all of them, and compiles the table of a language when a text has words of
//! it.

mod calendar; // input and output
mod reading; // finds the expression: start here
mod candidates; // which languages the words may be in
mod grammar; // matches the patterns of the tables
mod expression; // the meaning of an expression
mod days; // turns the meaning into days
mod tokens;
#[cfg(test)]
mod tests;

pub use calendar::{Calendar, DateSpan, Direction, Hemisphere, Weeks};
pub use days::easter_sunday;

/// The first time in a sentence, unless a later one narrows it down ("this year, on 3 May").
///
/// `None` when there is no time in the [`Calendar::direction`] of the sentence. Case and accents are ignored.
pub fn span_of(text: &str, calendar: &Calendar) -> Option<DateSpan> {
    reading::read(text, calendar)
}

/// The days of a text that is an expression of time and nothing else, such as `Christmas` or `in six weeks`. Names that are
/// too ambiguous inside a sentence count here.
pub fn whole_span_of(text: &str, calendar: &Calendar) -> Option<DateSpan> {
    reading::read_whole(text, calendar)
}

/// The codes of the languages whose table was compiled so far: those of the texts read.
pub fn compiled_languages() -> Vec<&'static str> {
    grammar::compiled()
}
