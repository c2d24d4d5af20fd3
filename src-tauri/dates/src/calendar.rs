//! What expressions of time are measured against, and what they turn out to mean.

use std::ops::Range;

use jiff::civil::Date;

/// The day and the place against which expressions are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calendar {
    /// The local day on which the words are said.
    pub today: Date,
    /// Decides which months the seasons are.
    pub hemisphere: Hemisphere,
    /// Whether the sentence is about the past or the future.
    pub direction: Direction,
}

impl Calendar {
    /// For questions about what was: the north's seasons.
    pub fn looking_back(today: Date) -> Self {
        Self { today, hemisphere: Hemisphere::Northern, direction: Direction::Past }
    }

    /// For plans and reminders: the north's seasons.
    pub fn looking_ahead(today: Date) -> Self {
        Self { direction: Direction::Future, ..Self::looking_back(today) }
    }
}

/// The half of the earth the speaker lives in; it decides when summer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hemisphere {
    /// Summer is June to August.
    #[default]
    Northern,
    /// Summer is December to February.
    Southern,
}

/// Whether a sentence is about the past or the future: decides which Monday "on Monday" is, and which times are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// The latest Monday; times that have not begun are skipped.
    #[default]
    Past,
    /// The coming Monday; times that are over are skipped.
    Future,
}

/// The days that an expression of time means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateSpan {
    /// The first local day meant.
    pub first: Date,
    /// The last local day meant, included; never before `first`.
    pub last: Date,
    /// Byte range of the expression in the text, on character boundaries.
    pub words: Range<usize>,
}

impl DateSpan {
    /// Has no day of it begun yet?
    pub fn is_future(&self, today: Date) -> bool {
        self.first > today
    }

    /// Is its last day over?
    pub fn is_past(&self, today: Date) -> bool {
        self.last < today
    }
}
