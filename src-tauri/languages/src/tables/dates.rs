//! The content of `dates.toml`: expressions of time.

use super::lists::{List, WordList};

/// The expressions of time of one language. `|` stands between alternatives; patterns are in the notation of `sequences`.
#[derive(Debug)]
pub struct DateTable {
    /// `{n}` as well: articles that mean one, besides the number.
    pub articles_as_one: &'static str,
    /// `{n}` as well: words for an approximate number, with its lowest and highest value.
    pub approximate_numbers: List<(&'static str, i32, i32)>,
    /// `{nth}`: first to thirty-first, as days of a month; digits need no entry.
    pub ordinals: List<&'static str>,
    /// `{unit}`
    pub units: List<(&'static str, TimeUnit)>,
    /// `{weekday}`, from Monday.
    pub weekdays: [&'static str; 7],
    /// `{month}`, from January.
    pub months: [&'static str; 12],
    /// `{season}`: spring, summer, autumn, winter.
    pub seasons: [&'static str; 4],
    /// `{holiday}`: Christmas, Easter, New Year.
    pub holidays: [&'static str; 3],
    /// Patterns that always name a time. Besides those above there are the slots `{dd}` (a day of a month in digits),
    /// `{dm}` (`3.5.`), `{year}` and `{when}` (any other pattern, or a name). A leading `~` means "only if no other
    /// language has more function words in the text": *hier* is yesterday in French and here in German.
    pub phrases: List<(&'static str, DateMeaning)>,
    /// Ambiguous patterns, which name a time only within another pattern (in its slot `{when}`).
    pub names: List<&'static str>,
    /// Words between a time and a larger one that contains it: *Monday of last week*.
    pub links: WordList,
    /// Pairs of words: a match that ends with the first is not a time when the second follows, as in *in spring onions*.
    pub never_before: List<(&'static str, &'static str)>,
    /// A match after one of these words is not a time: *every Monday*.
    pub never_after: WordList,
    /// Words for the night, which begins in the evening and ends in the morning: "at 3 at night" is 03:00.
    pub night: &'static str,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// One day.
    Day,
    /// Monday to Sunday.
    Week,
    /// Two weeks.
    Fortnight,
    /// Saturday and Sunday.
    Weekend,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

/// The meaning of a pattern, given the values of its slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateMeaning {
    /// A number of days from today; negative for the past.
    DaysFromToday(i32),
    /// A unit, counted from the current one.
    UnitFromNow(TimeUnit, i32),
    /// The slot's unit or name, counted from the current one.
    Counted(i32),
    /// The current unit or name of the slot.
    Current,
    /// The name of the slot: the latest or the next one.
    Nearest,
    /// `{n} {unit}` ago; without `{n}`, one unit ago.
    Ago,
    /// Between this low and this high number of units ago.
    AgoAbout(i32, i32, TimeUnit),
    /// In the last `{n} {unit}`.
    Within,
    /// In the last units, with this number.
    WithinAbout(i32, TimeUnit),
    /// The weekday of the slot, in a week counted from the current one.
    WeekdayOfWeek(i32),
    /// In `{n} {unit}`.
    Ahead,
    /// From `{when}` until today.
    Since,
    /// From one `{when}` to the other.
    Between,
}
