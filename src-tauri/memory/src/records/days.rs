//! Ranges of local days, as people and models ask for them.

use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// A range of days, both ends included; `None` is unbounded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Days {
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

impl Days {
    /// Parses bounds as models write them: a day, or a time of that day. An invalid bound is ignored.
    pub fn read(from: &str, to: &str) -> Self {
        Self { from: day_in(from), to: day_in(to) }
    }

    /// Returns `true` if the range contains a day.
    pub fn contains(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }

    /// Returns `true` if a line such as `[2025-11-22] Bought a cello.` is in the range. Lines without a day always are.
    ///
    /// Source: docs/behaviour/memory.md#search.
    pub fn keep(&self, line: &str) -> bool {
        let day = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let day = day.and_then(|(day, _)| day.parse::<Date>().ok());
        day.is_none_or(|day| self.contains(day))
    }

    /// The range in microseconds since 1970 UTC; `None` without any bound.
    pub fn span(&self, zone: &TimeZone) -> Option<Range<i64>> {
        let midnight = |day: Date| Some(day.to_zoned(zone.clone()).ok()?.timestamp().as_microsecond());
        let start = self.from.and_then(midnight);
        let end = self.to.and_then(|to| midnight(to.tomorrow().ok()?));
        (self.from.is_some() || self.to.is_some()).then(|| start.unwrap_or(i64::MIN)..end.unwrap_or(i64::MAX))
    }
}

/// The day as it is written in a text, whatever its time zone.
fn day_in(text: &str) -> Option<Date> {
    let text = text.trim();
    let is_time = || text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok();
    let day: Date = text.get(..10)?.parse().ok()?;
    (text.len() == 10 || is_time()).then_some(day)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_day("2025-11-22", Some(date(2025, 11, 22)))]
    #[case::a_time("2025-11-22T23:30:00Z", Some(date(2025, 11, 22)))]
    #[case::the_day_as_it_is_written("2025-11-22T23:30:00-05:00", Some(date(2025, 11, 22)))]
    #[case::no_zone("2025-11-22T23:30:00", Some(date(2025, 11, 22)))]
    #[case::no_such_day("2025-13-41", None)]
    #[case::more_than_a_day("2025-11-22 or so", None)]
    #[case::words("last week", None)]
    #[case::nothing("", None)]
    fn bounds_are_read_as_models_write_them(#[case] text: &str, #[case] expected: Option<Date>) {
        assert_eq!(Days::read(text, "").from, expected);
    }

    #[rstest]
    #[case::before("[2025-11-20] a", false)]
    #[case::first_day("[2025-11-21] a", true)]
    #[case::last_day("[2025-11-22] a", true)]
    #[case::after("[2025-11-23] a", false)]
    #[case::without_a_day("what is known", true)]
    #[case::no_day_in_brackets("[note] a", true)]
    fn lines_are_kept_by_their_whole_day(#[case] line: &str, #[case] expected: bool) {
        assert_eq!(Days::read("2025-11-21T18:00:00", "2025-11-22").keep(line), expected);
    }

    #[test]
    fn span_runs_from_local_midnight_to_local_midnight() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let at = |text: &str| text.parse::<Timestamp>().unwrap().as_microsecond();
        let day = Some(date(2025, 11, 22));

        let one_day = Days { from: day, to: day }.span(&zone);
        let since = Days { from: day, to: None }.span(&zone);

        assert_eq!(one_day, Some(at("2025-11-21T23:00:00Z")..at("2025-11-22T23:00:00Z")));
        assert_eq!(since, Some(at("2025-11-21T23:00:00Z")..i64::MAX));
        assert_eq!(Days::default().span(&zone), None);
    }
}
