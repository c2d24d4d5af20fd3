//! Words of time to days: what somebody means by "last spring".
//!
//! A sentence and a calendar come in, a stretch of local days goes out, with the words that named it. No clock, no time
//! zone, no language model in here: whoever asks says what day it is and which way the sentence looks.
//!
//! # What the words mean
//!
//! | said | meant |
//! |---|---|
//! | three days ago | that day |
//! | two weeks ago | that day, three days either side: nobody counts weeks to the day |
//! | two months ago, two years ago | that calendar month, that calendar year |
//! | a couple of days ago | one to three days ago |
//! | a few weeks ago | two to five weeks ago, with the three days of "weeks ago" |
//! | in the last three months | from the same day three months back until today |
//! | last week, this week | Monday to Sunday |
//! | at the end of July, in early July | July |
//! | last night | yesterday |
//! | last summer | the latest one that is over, by meteorological seasons |
//! | winter 2023 | the one that begins in 2023 |
//! | on Monday, in March, on 3 May | the latest one, or the coming one looking ahead; Monday is never today |
//! | 3/5/2024 | 3 May, unless only the other order is a date |
//!
//! Words that name a time only sometimes count when something says so: "in May" does, "may I" does not. One table for
//! each language in `languages`, one engine for all of them.

mod reading; // the task: start here
mod grammar; // patterns of the tables, and what matches them
mod days; // what was meant, to days
mod tokens;
mod languages;
#[cfg(test)]
mod tests;

use std::ops::Range;

use jiff::civil::Date;

/// What the words are measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calendar {
    /// The local day on which the words are said.
    pub today: Date,
    /// Where the seasons are the speaker's.
    pub hemisphere: Hemisphere,
    /// Which way the sentence looks.
    pub looking: Looking,
}

impl Calendar {
    /// For questions about what was: the north's seasons.
    pub fn looking_back(today: Date) -> Self {
        Self { today, hemisphere: Hemisphere::Northern, looking: Looking::Back }
    }

    /// For plans and reminders: the north's seasons.
    pub fn looking_ahead(today: Date) -> Self {
        Self { looking: Looking::Ahead, ..Self::looking_back(today) }
    }
}

/// Decides when summer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hemisphere {
    /// Summer is June to August.
    #[default]
    Northern,
    /// Summer is December to February.
    Southern,
}

/// Which Monday "on Monday" is, and what is passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Looking {
    /// The latest one; times that have not begun are passed over.
    #[default]
    Back,
    /// The coming one; times that are over are passed over.
    Ahead,
}

/// A stretch of days somebody named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The first local day meant.
    pub first: Date,
    /// The last local day meant, included; never before `first`.
    pub last: Date,
    /// Where the words are: bytes of the text, on boundaries of characters.
    pub words: Range<usize>,
}

impl Found {
    /// Nothing of it has begun.
    pub fn lies_ahead(&self, today: Date) -> bool {
        self.first > today
    }

    /// All of it is over.
    pub fn lies_behind(&self, today: Date) -> bool {
        self.last < today
    }
}

/// The time a sentence names: the first, unless a later one narrows it down ("this year, on 3 May").
///
/// `None` when it names none, or none on the side [`Calendar::looking`] looks to. Case and accents count for nothing.
pub fn span_of(text: &str, calendar: &Calendar) -> Option<Found> {
    reading::read(text, calendar)
}
