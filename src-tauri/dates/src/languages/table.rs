//! The fields of a language's table.

use languages::LanguageData;

use crate::expression::Unit;

/// The expressions of time of one language. Alternatives are separated by `|`.
pub(crate) struct Language {
    /// ISO 639-1. The crate `languages` has its numbers (`{n}`: one to thirty-one) and its function words.
    pub code: &'static str,
    /// `{n}` as well: articles that mean one, besides the number.
    pub articles_as_one: &'static str,
    /// `{n}` as well: words for an approximate number, with its lowest and highest value.
    pub approximate_numbers: &'static [(&'static str, i32, i32)],
    /// `{nth}`: first to thirty-first, as days of a month; digits need no entry.
    pub ordinals: &'static [&'static str],
    /// `{unit}`
    pub units: &'static [(&'static str, Unit)],
    /// `{weekday}`, from Monday.
    pub weekdays: [&'static str; 7],
    /// `{month}`, from January.
    pub months: [&'static str; 12],
    /// `{season}`: spring, summer, autumn, winter.
    pub seasons: [&'static str; 4],
    /// `{holiday}`: Christmas, Easter, New Year.
    pub holidays: [&'static str; 3],
    /// Patterns that always name a time. Besides those above there are the slots `{dd}` (a day of a month
    /// in digits), `{dm}` (`3.5.`), `{year}` and `{when}` (any other pattern, or a name).
    pub phrases: &'static [(&'static str, PatternMeaning)],
    /// Ambiguous patterns, which name a time only within another pattern (in its slot `{when}`).
    pub names: &'static [&'static str],
    /// Words between a time and a larger one that contains it: *Monday of last week*.
    pub links: &'static [&'static str],
    /// Pairs of words: a match that ends with the first is not a time when the second follows, as in *in spring onions*.
    pub never_before: &'static [(&'static str, &'static str)],
    /// A match after one of these words is not a time: *every Monday*.
    pub never_after: &'static [&'static str],
}

impl Language {
    /// The words that other crates need as well.
    pub(crate) fn words(&self) -> &'static LanguageData {
        languages::of_code(self.code).expect("a test compiles every table")
    }
}

/// The meaning of a pattern, given the values of its slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternMeaning {
    /// Days from today.
    Day(i32),
    /// A unit, counted from the current one.
    Of(Unit, i32),
    /// The slot's unit or name, counted from the current one.
    Nth(i32),
    /// The current unit or name of the slot.
    This,
    /// The name of the slot: the latest or the next one.
    Nearest,
    /// `{n} {unit}` ago; without `{n}`, one unit ago.
    Ago,
    /// Two units ago: the Arabic dual expresses number and unit in one word.
    TwoAgo(Unit),
    /// Between this low and this high number of units ago.
    AgoAbout(i32, i32, Unit),
    /// In the last `{n} {unit}`.
    Within,
    /// In the last units, with this number.
    WithinAbout(i32, Unit),
    /// The weekday of the slot, in a week counted from the current one.
    InWeek(i32),
    /// In `{n} {unit}`.
    Ahead,
    /// From `{when}` until today.
    Since,
    /// From one `{when}` to the other.
    Between,
}
