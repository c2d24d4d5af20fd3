//! Symbolic keys for dates, which models write and which are resolved to instants.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};
use languages::LanguageData;

use crate::clock_time::{ClockTime, clock_time};

/// The times of day that a key may name, with their hours. Source: the Command Center protocol.
const TIMES_OF_DAY: [(&str, u8); 6] =
    [("morning", 7), ("afternoon", 13), ("evening", 18), ("night", 21), ("noon", 12), ("midnight", 0)];

/// The hour of tonight and of last night. Source: the Command Center protocol.
const NIGHT_HOUR: u8 = 19;

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// The instants of some keys, and the keys that are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedDates {
    /// In the order of the keys, each once.
    pub instants: Vec<Timestamp>,
    /// As they were written, each once.
    pub unresolved: Vec<String>,
}

/// Resolves keys against a local time. A day without a time of day is its beginning; a time of day that stands alone in the
/// list is the time of all days beside it, and nothing without one.
pub fn resolve_date_keys(
    keys: &[String],
    now: DateTime,
    zone: &TimeZone,
    language: &'static LanguageData,
) -> ResolvedDates {
    let resolver = Resolver { now, zone, language };
    let read: Vec<(&String, Option<DateKey>)> =
        keys.iter().map(|key| (key, resolver.read(&normalised_key(key)))).collect();
    let times: Vec<LoneTime> = read
        .iter()
        .filter_map(|(_, key)| match key {
            Some(DateKey::Time(time)) => Some(*time),
            _ => None,
        })
        .collect();
    let mut resolved = ResolvedDates::default();
    for (key, meaning) in read {
        let instants = meaning.and_then(|meaning| resolver.instants(meaning, &times));
        match instants {
            Some(instants) => {
                for instant in instants {
                    if !resolved.instants.contains(&instant) {
                        resolved.instants.push(instant);
                    }
                }
            }
            None if !resolved.unresolved.contains(key) => resolved.unresolved.push(key.clone()),
            None => {}
        }
    }
    resolved
}

/// A time of day without a day.
#[derive(Debug, Clone, Copy)]
struct LoneTime {
    time: ClockTime,
    /// It was given as a time of the clock.
    is_exact: bool,
}

/// The meaning of a key.
#[derive(Debug, Clone, Copy)]
enum DateKey {
    /// A day, whose time may be said in another key.
    Day(Date),
    /// An evening, whose time of the clock may be said in another key.
    Evening(Date),
    /// The first day of a longer time.
    Start(Date),
    /// A day with its time.
    At(Date, ClockTime),
    /// A time from now: days first, then hours and minutes.
    Ahead {
        days: Span,
        time: Span,
    },
    Time(LoneTime),
}

struct Resolver<'a> {
    now: DateTime,
    zone: &'a TimeZone,
    language: &'static LanguageData,
}

impl Resolver<'_> {
    fn read(&self, key: &str) -> Option<DateKey> {
        if let Some(day) = self.day(key) {
            return Some(day);
        }
        if let Some(ahead) = key.strip_prefix("in_") {
            return ahead_of(ahead);
        }
        if let Some(time) = self.time_of_day(key) {
            return Some(DateKey::Time(time));
        }
        // The last sign that leaves a day before it: "day_after_tomorrow_at_9_30am".
        let day_and_time = key.match_indices('_').find_map(|(at, _)| {
            let (DateKey::Day(date) | DateKey::Evening(date)) = self.day(&key[..at])? else { return None };
            Some(DateKey::At(date, self.time_of_day(&key[at + 1..])?.time))
        });
        day_and_time.or_else(|| self.start(key))
    }

    /// A key for one day.
    fn day(&self, key: &str) -> Option<DateKey> {
        let today = self.now.date();
        let after = |days: i32| today.checked_add(days.days()).ok().map(DateKey::Day);
        match key {
            "today" => after(0),
            "tomorrow" => after(1),
            "yesterday" => after(-1),
            "day_after_tomorrow" => after(2),
            "day_before_yesterday" => after(-2),
            "tonight" => Some(DateKey::Evening(today)),
            "last_night" => today.yesterday().ok().map(DateKey::Evening),
            _ => {
                let (which, name) = key.split_once('_')?;
                let (_, weekday) = WEEKDAYS.iter().find(|(known, _)| *known == name)?;
                let nth = match which {
                    "next" => 1,
                    "last" => -1,
                    _ => return None,
                };
                today.nth_weekday(nth, *weekday).ok().map(DateKey::Day)
            }
        }
    }

    /// A key for a longer time. Weeks run from Sunday to Saturday.
    fn start(&self, key: &str) -> Option<DateKey> {
        let today = self.now.date();
        let (which, unit) = key.split_once('_')?;
        let count = match which {
            "this" => 0,
            "next" => 1,
            "last" => -1,
            _ => return None,
        };
        let sunday = || today.checked_sub(today.weekday().to_sunday_zero_offset().days()).ok();
        let start = match unit {
            "week" => sunday()?.checked_add(count.weeks()),
            // In two steps: a span has one sign, so `-1` week and 6 days in one would go back 13 days.
            "weekend" => sunday()?.checked_add(count.weeks()).and_then(|sunday| sunday.checked_add(6.days())),
            "month" => today.first_of_month().checked_add(count.months()),
            "year" => today.first_of_year().checked_add(count.years()),
            _ => return None,
        };
        start.ok().map(DateKey::Start)
    }

    /// `morning`, `at_9_30am`
    fn time_of_day(&self, key: &str) -> Option<LoneTime> {
        if let Some((_, hour)) = TIMES_OF_DAY.iter().find(|(name, _)| *name == key) {
            return Some(LoneTime { time: ClockTime { hour: *hour, minute: 0 }, is_exact: false });
        }
        let time = clock_time(key.strip_prefix("at_")?, self.language)?;
        Some(LoneTime { time, is_exact: true })
    }

    /// The instants of a key; `None` if they are out of range.
    fn instants(&self, key: DateKey, times: &[LoneTime]) -> Option<Vec<Timestamp>> {
        let at = |date: Date, times: &mut dyn Iterator<Item = &LoneTime>| -> Option<Vec<Timestamp>> {
            times.map(|time| self.at(date, time.time)).collect()
        };
        match key {
            DateKey::Time(_) => Some(Vec::new()),
            DateKey::At(date, time) => Some(vec![self.at(date, time)?]),
            DateKey::Day(date) if !times.is_empty() => at(date, &mut times.iter()),
            DateKey::Evening(date) => {
                let exact = at(date, &mut times.iter().filter(|time| time.is_exact))?;
                let night = ClockTime { hour: NIGHT_HOUR, minute: 0 };
                Some(if exact.is_empty() { vec![self.at(date, night)?] } else { exact })
            }
            DateKey::Day(date) | DateKey::Start(date) => {
                // The first instant of the day, which is not always midnight.
                Some(vec![date.to_zoned(self.zone.clone()).ok()?.start_of_day().ok()?.timestamp()])
            }
            DateKey::Ahead { days, time } => {
                let day = self.now.checked_add(days).ok()?.to_zoned(self.zone.clone()).ok()?;
                Some(vec![day.timestamp().checked_add(time).ok()?])
            }
        }
    }

    fn at(&self, date: Date, ClockTime { hour, minute }: ClockTime) -> Option<Timestamp> {
        let (hour, minute) = (i8::try_from(hour).ok()?, i8::try_from(minute).ok()?);
        Some(date.at(hour, minute, 0, 0).to_zoned(self.zone.clone()).ok()?.timestamp())
    }
}

/// `2_days`, `1_hours_30_minutes`, also in the singular.
fn ahead_of(text: &str) -> Option<DateKey> {
    let parts: Vec<&str> = text.split('_').collect();
    let (pairs, []) = parts.as_chunks::<2>() else { return None };
    let (mut days, mut time) = (Span::new(), Span::new());
    for [count, unit] in pairs {
        if !count.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let count: i64 = count.parse().ok()?;
        match *unit {
            "minute" | "minutes" => time = time.checked_add(Span::new().try_minutes(count).ok()?).ok()?,
            "hour" | "hours" => time = time.checked_add(Span::new().try_hours(count).ok()?).ok()?,
            "day" | "days" => days = days.try_days(i64::from(days.get_days()).checked_add(count)?).ok()?,
            _ => return None,
        }
    }
    (!pairs.is_empty()).then_some(DateKey::Ahead { days, time })
}

/// A date key in its usual form: `Tomorrow at 9:30am` is `tomorrow_at_9_30am`.
pub(crate) fn normalised_key(text: &str) -> String {
    let lower = text.trim().to_lowercase();
    let parts = lower.split(|c: char| c.is_whitespace() || matches!(c, ':' | '_'));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests;
