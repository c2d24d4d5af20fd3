//! Symbolic keys for dates, which models write and which are resolved to instants.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};
use languages::LanguageData;

use crate::clock_time::{ClockTime, clock_time};
use crate::model_output::normalised_key;

/// The times of day that a key may name, with their hours. Source: the protocol.
const TIMES_OF_DAY: [(&str, u8); 6] =
    [("morning", 7), ("afternoon", 13), ("evening", 18), ("night", 21), ("noon", 12), ("midnight", 0)];

/// The hour of tonight and of last night. Source: the protocol.
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
            "weekend" => sunday()?.checked_add(count.weeks().days(6)),
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// The instants in UTC, or what is unresolved behind a question mark.
    fn resolved(keys: &[&str], now: &str, zone: &str) -> String {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        let zone = TimeZone::get(zone).unwrap();
        let dates = resolve_date_keys(&keys, now.parse().unwrap(), &zone, languages::of_code("en").unwrap());
        let instants = dates.instants.iter().map(ToString::to_string);
        instants.chain(dates.unresolved.iter().map(|key| format!("?{key}"))).collect::<Vec<_>>().join(" ")
    }

    /// On Wednesday, 15 January 2025, in New York, five hours behind UTC.
    #[rstest]
    #[case::today(&["today"], "2025-01-15T05:00:00Z")]
    #[case::tomorrow(&["tomorrow"], "2025-01-16T05:00:00Z")]
    #[case::yesterday(&["yesterday"], "2025-01-14T05:00:00Z")]
    #[case::day_after_tomorrow(&["day_after_tomorrow"], "2025-01-17T05:00:00Z")]
    #[case::day_before_yesterday(&["day_before_yesterday"], "2025-01-13T05:00:00Z")]
    #[case::this_week(&["this_week"], "2025-01-12T05:00:00Z")]
    #[case::next_week(&["next_week"], "2025-01-19T05:00:00Z")]
    #[case::last_week(&["last_week"], "2025-01-05T05:00:00Z")]
    #[case::this_weekend(&["this_weekend"], "2025-01-18T05:00:00Z")]
    #[case::next_weekend(&["next_weekend"], "2025-01-25T05:00:00Z")]
    #[case::next_month(&["next_month"], "2025-02-01T05:00:00Z")]
    #[case::last_year(&["last_year"], "2024-01-01T05:00:00Z")]
    #[case::next_friday(&["next_friday"], "2025-01-17T05:00:00Z")]
    #[case::next_wednesday_is_not_today(&["next_wednesday"], "2025-01-22T05:00:00Z")]
    #[case::last_monday(&["last_monday"], "2025-01-13T05:00:00Z")]
    #[case::last_wednesday_is_not_today(&["last_wednesday"], "2025-01-08T05:00:00Z")]
    #[case::tonight(&["tonight"], "2025-01-16T00:00:00Z")]
    #[case::last_night(&["last_night"], "2025-01-15T00:00:00Z")]
    #[case::morning(&["tomorrow_morning"], "2025-01-16T12:00:00Z")]
    #[case::afternoon(&["today_afternoon"], "2025-01-15T18:00:00Z")]
    #[case::evening(&["next_friday_evening"], "2025-01-17T23:00:00Z")]
    #[case::night(&["tomorrow_night"], "2025-01-17T02:00:00Z")]
    #[case::noon(&["day_after_tomorrow_noon"], "2025-01-17T17:00:00Z")]
    #[case::midnight(&["tomorrow_midnight"], "2025-01-16T05:00:00Z")]
    #[case::at(&["tomorrow_at_3pm"], "2025-01-16T20:00:00Z")]
    #[case::at_with_minutes(&["tomorrow_at_9_30am"], "2025-01-16T14:30:00Z")]
    #[case::at_out_of_range(&["tomorrow_at_25"], "2025-01-16T05:00:00Z")]
    #[case::at_no_time(&["tomorrow_at_banana"], "?tomorrow_at_banana")]
    #[case::minutes(&["in_30_minutes"], "2025-01-15T15:30:00Z")]
    #[case::one_hour(&["in_1_hour"], "2025-01-15T16:00:00Z")]
    #[case::compound(&["in_1_hours_30_minutes"], "2025-01-15T16:30:00Z")]
    #[case::days_keep_the_time(&["in_2_days"], "2025-01-17T15:00:00Z")]
    #[case::days_and_hours(&["in_1_day_2_hours"], "2025-01-16T17:00:00Z")]
    #[case::no_number(&["in_an_hour"], "?in_an_hour")]
    #[case::no_unit(&["in_5"], "?in_5")]
    #[case::too_many(&["in_99999999999999999999_days"], "?in_99999999999999999999_days")]
    #[case::beyond_all_years(&["in_99999999_days"], "?in_99999999_days")]
    #[case::day_and_time(&["tomorrow", "morning"], "2025-01-16T12:00:00Z")]
    #[case::time_before_day(&["at_3pm", "tomorrow"], "2025-01-16T20:00:00Z")]
    #[case::two_days_and_time(&["today", "tomorrow", "noon"], "2025-01-15T17:00:00Z 2025-01-16T17:00:00Z")]
    #[case::time_of_its_own(&["tomorrow_morning", "evening"], "2025-01-16T12:00:00Z")]
    #[case::tonight_at(&["tonight", "at_9pm"], "2025-01-16T02:00:00Z")]
    #[case::lone_time(&["morning"], "")]
    #[case::duplicates(&["today", "tomorrow", "today"], "2025-01-15T05:00:00Z 2025-01-16T05:00:00Z")]
    #[case::as_said(&["Tomorrow Morning", "today at 9:30am"], "2025-01-16T12:00:00Z 2025-01-15T14:30:00Z")]
    #[case::unknown(&["someday", "today", "someday"], "2025-01-15T05:00:00Z ?someday")]
    #[case::nothing(&[], "")]
    fn keys_are_resolved_in_local_time(#[case] keys: &[&str], #[case] expected: &str) {
        assert_eq!(resolved(keys, "2025-01-15T10:00:00", "America/New_York"), expected);
    }

    #[rstest]
    #[case::end_of_a_month("next_month", "2025-01-31T10:00:00", "UTC", "2025-02-01T00:00:00Z")]
    #[case::end_of_a_year("tomorrow", "2024-12-31T10:00:00", "UTC", "2025-01-01T00:00:00Z")]
    #[case::leap_day("tomorrow", "2024-02-28T10:00:00", "UTC", "2024-02-29T00:00:00Z")]
    #[case::sunday_begins_a_week("this_week", "2025-01-12T10:00:00", "UTC", "2025-01-12T00:00:00Z")]
    #[case::saturday_ends_a_week("this_week", "2025-01-18T10:00:00", "UTC", "2025-01-12T00:00:00Z")]
    #[case::day_of_the_change("tomorrow", "2025-03-09T00:30:00", "America/New_York", "2025-03-10T04:00:00Z")]
    #[case::days_over_the_change(
        "in_1_days",
        "2025-03-08T10:00:00",
        "America/New_York",
        "2025-03-09T14:00:00Z"
    )]
    #[case::hours_over_the_change(
        "in_24_hours",
        "2025-03-08T10:00:00",
        "America/New_York",
        "2025-03-09T15:00:00Z"
    )]
    #[case::time_in_the_gap(
        "today_at_2_30am",
        "2025-03-09T00:30:00",
        "America/New_York",
        "2025-03-09T07:30:00Z"
    )]
    #[case::midnight_in_the_gap("today", "2018-11-04T10:00:00", "America/Sao_Paulo", "2018-11-04T03:00:00Z")]
    #[case::time_said_twice(
        "today_at_1_30am",
        "2025-11-02T00:30:00",
        "America/New_York",
        "2025-11-02T05:30:00Z"
    )]
    #[case::half_hour_zone("today", "2025-01-15T10:00:00", "Asia/Kolkata", "2025-01-14T18:30:00Z")]
    fn calendars_and_zones_are_followed(
        #[case] key: &str,
        #[case] now: &str,
        #[case] zone: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(resolved(&[key], now, zone), expected);
    }
}
