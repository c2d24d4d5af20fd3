//! The words of each language, one table each, and what such a table holds.
//!
//! # Patterns
//!
//! A pattern is a row of words: `the? last|past {n} {unit}`. `a|b` is either word, `a?` may be missing, `{slot}` stands
//! for a word of the table, a leading `~` for "only if nothing in the text speaks for another language": *hier* is
//! yesterday in French and here in German. Case and accents do not matter. Where a script has no spaces, blanks part the
//! words of a pattern all the same. Dates in digits (`2024-05-03`) need no pattern.

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

use crate::days::Unit;

/// All tables. Of two that read a text alike, the earlier wins.
pub(crate) const ALL: [&Language; 11] = [
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
];

/// One language's words of time. Several words for one thing are parted by `|`.
pub(crate) struct Language {
    /// `{n}`: one to thirty-one, as counted; digits need no entry.
    pub numbers: &'static [&'static str],
    /// `{n}` too: words for about so many.
    pub vague: &'static [(&'static str, i32, i32)],
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
    /// `{feast}`: Christmas, Easter, New Year.
    pub feasts: [&'static str; 3],
    /// Patterns that name a time wherever they stand. Besides those above there are the slots `{dd}` (a day of a month
    /// in digits), `{dm}` (`3.5.`), `{year}` and `{when}` (any other pattern, or a name).
    pub phrases: &'static [(&'static str, Sense)],
    /// Patterns that name a time only where something else says so, such as `{when}`.
    pub names: &'static [&'static str],
    /// Words that may part a time from the larger one it is in: *Monday of last week*.
    pub links: &'static [&'static str],
    /// What ends with a word of the left does not name a time before one of the right: *in spring onions*.
    pub never_before: &'static [(&'static str, &'static str)],
    /// Nothing names a time after these: *every Monday*.
    pub never_after: &'static [&'static str],
    /// Frequent words that hardly any other language has.
    pub marks: &'static [&'static str],
}

/// What a pattern means, given what its slots stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sense {
    /// So many days from today.
    Day(i32),
    /// So many of these from the current one.
    Of(Unit, i32),
    /// The slot's unit or name: so many from the current one.
    Nth(i32),
    /// The slot's unit or name, this one.
    This,
    /// The slot's name, as the sentence looks.
    Nearest,
    /// `{n} {unit}` ago; one, where there is no `{n}`.
    Ago,
    /// The same for words that hold number and unit: two of them, as in Arabic.
    Ago2(Unit),
    /// About so many of these ago.
    AgoAbout(i32, i32, Unit),
    /// In the last `{n} {unit}`.
    Within,
    /// In the last so many of these.
    WithinAbout(i32, Unit),
    /// The slot's weekday in the week so many from the current one.
    InWeek(i32),
    /// In `{n} {unit}`.
    Ahead,
    /// From `{when}` until today.
    Since,
    /// From one `{when}` to the other.
    Between,
}
