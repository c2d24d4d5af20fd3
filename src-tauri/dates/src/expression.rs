//! The meaning of an expression of time, before it is turned into days.

use jiff::civil::{Date, Weekday};
use languages::TimeUnit;

/// A count, or a range for an approximate count ("a few").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub low: i32,
    pub high: i32,
}

impl Number {
    pub(crate) const ONE: Self = Self::exactly(1);

    pub(crate) const fn exactly(number: i32) -> Self {
        Self { low: number, high: number }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Season {
    Spring,
    Summer,
    Autumn,
    Winter,
}

/// Holidays that people use as dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holiday {
    /// 24 to 26 December.
    Christmas,
    /// Good Friday to Easter Monday, by the Western calendar.
    Easter,
    /// 31 December and 1 January.
    NewYear,
}

/// A time that recurs every week or year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecurringTime {
    Weekday(Weekday),
    Month(i8),
    Season(Season),
    Holiday(Holiday),
    DayOfMonth { month: i8, day: i8 },
}

/// Which occurrence of a recurring time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occurrence {
    /// The latest or the next one, depending on [`Direction`](crate::Direction).
    Nearest,
    /// Counted from today: `-1` is the last one that is over, `-2` the one before, `1` the next one.
    Nth(i32),
    This,
    /// The one that begins in this year.
    InYear(i16),
}

/// A time, relative to today or absolute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Days from today.
    Day(i32),
    /// A calendar week, month or year; `0` is the current one.
    Calendar(TimeUnit, i32),
    Ago(Number, TimeUnit),
    /// The period of this length that ends today.
    Within(Number, TimeUnit),
    /// This long from today.
    Ahead(Number, TimeUnit),
    RecurringTime(RecurringTime, Occurrence),
    /// A weekday of a week, counted from the current week.
    InWeek(Weekday, i32),
    Year(i16),
    Date(Date),
}

/// A time, or a span between two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeExpression {
    Time(When),
    Since(When),
    Between(When, When),
}
