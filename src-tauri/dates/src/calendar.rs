//! Input and output: the reference day, and the days of an expression.

use std::ops::Range;

use jiff::civil::Date;

/// The day and the place against which expressions are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calendar {
    /// The current local day.
    pub today: Date,
    /// Decides the months of the seasons.
    pub hemisphere: Hemisphere,
    /// The direction of the sentence: past or future.
    pub direction: Direction,
    /// The meaning of a count of weeks.
    pub weeks: Weeks,
}

impl Calendar {
    /// For questions about the past, with northern seasons.
    pub fn looking_back(today: Date) -> Self {
        Self { today, hemisphere: Hemisphere::Northern, direction: Direction::Past, weeks: Weeks::Roughly }
    }

    /// For plans and reminders, with northern seasons.
    pub fn looking_ahead(today: Date) -> Self {
        Self { direction: Direction::Future, ..Self::looking_back(today) }
    }

    /// The same, with weeks counted to the day.
    pub fn with_exact_weeks(self) -> Self {
        Self { weeks: Weeks::Exactly, ..self }
    }
}

/// The hemisphere where the user lives. It decides the months of the seasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hemisphere {
    /// Summer is June to August.
    #[default]
    Northern,
    /// Summer is December to February.
    Southern,
}

/// The direction of a sentence: past or future. It decides which Monday "on Monday" means, and which times are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// The latest Monday. Future times are skipped.
    #[default]
    Past,
    /// The next Monday. Past times are skipped.
    Future,
}

/// The meaning of "two weeks ago" and "in two weeks".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weeks {
    /// That day with three days on either side, because people count weeks roughly.
    #[default]
    Roughly,
    /// That day.
    Exactly,
}

/// The days of an expression of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateSpan {
    /// First local day.
    pub first: Date,
    /// Last local day, inclusive; never before `first`.
    pub last: Date,
    /// Byte range of the expression in the text, on character boundaries.
    pub words: Range<usize>,
}
