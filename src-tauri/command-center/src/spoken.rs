//! Numbers and durations in the words of an utterance.

use languages::phrases::{Phrases, is_number, vulgar_fraction};
use languages::{LanguageData, List, MeasureNames, NumberWords, PerLanguage, RequestTable};

/// Longest number in words that is read.
const MAX_NUMBER_WORDS: usize = 12;

/// A longer duration is no timer. Source: a year, and nobody waits longer for an egg.
const MAX_SECONDS: f64 = 31_622_400.0;

/// The numbers and durations of a language.
pub(crate) struct SpokenNumbers {
    numbers: &'static NumberWords,
    decimal_sign: char,
    point: Phrases,
    one: Phrases,
    and: Phrases,
    durations: Vec<(Phrases, u32)>,
    and_a_half: Phrases,
    unit_and_a_half: Phrases,
    halves: Vec<(Phrases, u32)>,
    fractions: Vec<(Phrases, f64)>,
    two: Phrases,
    units: Vec<(Phrases, u32)>,
    /// Days and longer, which are no timers.
    long_units: Phrases,
}

/// A duration at the beginning of some words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SpokenDuration {
    /// The number of its words.
    pub length: usize,
    pub seconds: f64,
    /// Of its smallest unit.
    pub unit_seconds: u32,
}

static NUMBERS: PerLanguage<Option<SpokenNumbers>> =
    PerLanguage::new(|data| SpokenNumbers::new(data, data.requests.as_ref()?, data.measures.as_ref()?));

impl SpokenNumbers {
    /// The numbers of a language; `None` if its files have no requests.
    pub(crate) fn from_data(data: &'static LanguageData) -> Option<&'static Self> {
        NUMBERS.get(data).as_ref()
    }

    fn new(
        data: &'static LanguageData,
        table: &'static RequestTable,
        measures: &MeasureNames,
    ) -> Option<Self> {
        let pairs = |list: List<(&'static str, u32)>| {
            list.iter().map(|(text, value)| (Phrases::from_text(text), *value)).collect()
        };
        let names = |ids: &[&str]| {
            let of_ids = measures.iter().filter(|(id, _)| ids.contains(id)).flat_map(|(_, names)| names);
            Phrases::new(of_ids)
        };
        let timer = data.command_center.as_ref().map(|words| &words.timer);
        let mut units = vec![(names(&["hour"]), 3600), (names(&["minute"]), 60), (names(&["second"]), 1)];
        units.extend(timer.map(|timer| (Phrases::from_list(timer.minutes), 60)));
        Some(Self {
            numbers: NumberWords::of_code(data.code)?,
            decimal_sign: table.decimal_sign,
            point: Phrases::from_text(table.point),
            one: Phrases::from_text(table.one),
            and: Phrases::from_text(table.and),
            durations: pairs(table.durations),
            and_a_half: Phrases::from_text(table.and_a_half),
            unit_and_a_half: Phrases::from_text(table.unit_and_a_half),
            halves: pairs(table.halves),
            fractions: table
                .fractions
                .iter()
                .map(|(text, (above, below))| {
                    (Phrases::from_text(text), f64::from(*above) / f64::from(*below))
                })
                .collect(),
            two: timer.map(|timer| Phrases::from_list(timer.two)).unwrap_or_default(),
            units,
            long_units: names(&["day", "week", "year"]),
        })
    }

    /// The number at the beginning of the words, and how many of them it is.
    pub(crate) fn number_at(&self, words: &[String]) -> Option<(usize, f64)> {
        let first = words.first()?;
        if is_number(first) {
            let whole = self.in_digits(first)?;
            // "1 ½", "1 1/2"
            let fraction = words.get(1).and_then(|word| fraction_of(word));
            return Some(fraction.map_or((1, whole), |fraction| (2, whole + fraction)));
        }
        if let Some(fraction) = fraction_of(first) {
            return Some((1, fraction));
        }
        let (used, whole) = self.whole_in_words(words)?;
        let Some(point) = self.point.at(&words[used..]) else { return Some((used, f64::from(whole))) };
        let (mut at, mut decimals) = (used + point, String::new());
        while let Some((more, digit @ 0..10)) = self.whole_in_words(&words[at..]) {
            decimals.push_str(&digit.to_string());
            at += more;
        }
        let with_decimals = format!("{whole}.{decimals}").parse().ok()?;
        Some(if decimals.is_empty() { (used, f64::from(whole)) } else { (at, with_decimals) })
    }

    fn whole_in_words(&self, words: &[String]) -> Option<(usize, u32)> {
        let words: Vec<&str> = words.iter().take(MAX_NUMBER_WORDS).map(String::as_str).collect();
        self.numbers.leading(&words).map(|(number, used)| (used, number))
    }

    /// `1.5`, `1,000`, `1/2`; a time such as `1:30` is no number.
    fn in_digits(&self, text: &str) -> Option<f64> {
        if let Some(fraction) = fraction_of(text) {
            return Some(fraction);
        }
        let group_sign = if self.decimal_sign == '.' { ',' } else { '.' };
        if let Some((whole, thousands)) = text.split_once(group_sign) {
            let is_group = thousands.split(group_sign).all(|group| group.len() == 3);
            // "1,5" in a language with a decimal point still means one and a half.
            return if is_group {
                format!("{whole}{thousands}").replace(group_sign, "").parse().ok()
            } else {
                format!("{whole}.{thousands}").parse().ok()
            };
        }
        text.replace(self.decimal_sign, ".").parse().ok()
    }

    /// Returns `true` if the words begin with a number of days, weeks or years.
    pub(crate) fn is_long_duration(&self, words: &[String]) -> bool {
        let count = self.number_at(words).map(|(used, _)| used).or_else(|| self.one.at(words));
        count.is_some_and(|used| self.long_units.at(&words[used..]).is_some())
    }

    /// The duration at the beginning of the words: parts in different units, one behind the other.
    pub(crate) fn duration_at(&self, words: &[String]) -> Option<SpokenDuration> {
        let mut whole = self.part_at(words)?;
        let mut seen = vec![whole.unit_seconds];
        loop {
            let and = self.and.at(&words[whole.length..]).unwrap_or_default();
            let Some(part) = self.part_at(&words[whole.length + and..]) else { break };
            if seen.contains(&part.unit_seconds) {
                break;
            }
            seen.push(part.unit_seconds);
            whole = SpokenDuration {
                length: whole.length + and + part.length,
                seconds: whole.seconds + part.seconds,
                unit_seconds: whole.unit_seconds.min(part.unit_seconds),
            };
        }
        Some(whole)
    }

    /// A duration that the table has as a whole: "half an hour".
    fn fixed_at(&self, words: &[String]) -> Option<(usize, u32)> {
        self.durations.iter().filter_map(|(phrases, seconds)| Some((phrases.at(words)?, *seconds))).max()
    }

    /// A number and its unit.
    fn part_at(&self, words: &[String]) -> Option<SpokenDuration> {
        if let Some((length, seconds)) = self.fixed_at(words) {
            return Some(SpokenDuration {
                length,
                seconds: f64::from(seconds),
                unit_seconds: if seconds < 60 { 1 } else { 60 },
            });
        }
        if let Some(part) = self.clock_part_at(words) {
            return Some(part);
        }
        // "hour and a half"
        if let Some((unit, unit_seconds)) = self.unit_at(words)
            && unit_seconds > 1
            && let Some(half) = self.unit_and_a_half.at(&words[unit..])
        {
            return Some(SpokenDuration {
                length: unit + half,
                seconds: 1.5 * f64::from(unit_seconds),
                unit_seconds,
            });
        }
        let (mut length, mut count, is_article) = self.count_at(words)?;
        if let Some((more, part)) = self.and_part_at(&self.and_a_half, &words[length..]) {
            (length, count) = (length + more, count + part);
        } else if count < 1.0 {
            // "½ an hour"
            length += self.one.at(&words[length..]).unwrap_or_default();
        }
        let (unit, unit_seconds) = self.unit_at(&words[length..])?;
        if is_article && unit_seconds == 1 {
            // "a second timer", "in a second"
            return None;
        }
        length += unit;
        if unit_seconds > 1
            && let Some((more, part)) = self.and_part_at(&self.unit_and_a_half, &words[length..])
        {
            (length, count) = (length + more, count + part);
        }
        let seconds = count * f64::from(unit_seconds);
        (seconds <= MAX_SECONDS).then_some(SpokenDuration { length, seconds, unit_seconds })
    }

    /// "and a half", "and three quarters"
    fn and_part_at(&self, half: &Phrases, words: &[String]) -> Option<(usize, f64)> {
        let and = self.and.at(words);
        // "and half an hour" is a part of its own.
        if and.is_some_and(|and| self.fixed_at(&words[and..]).is_some()) {
            return None;
        }
        if let Some(length) = half.at(words) {
            return Some((length, 0.5));
        }
        let and = and?;
        let fractions = self.fractions.iter();
        let parts = fractions.filter_map(|(phrases, part)| Some((and + phrases.at(&words[and..])?, *part)));
        parts.max_by_key(|(length, _)| *length)
    }

    /// The count of a unit at the beginning; `true` if an article says so.
    fn count_at(&self, words: &[String]) -> Option<(usize, f64, bool)> {
        let halves = self.halves.iter().filter_map(|(phrases, tenths)| Some((phrases.at(words)?, *tenths)));
        if let Some((length, tenths)) = halves.max() {
            return Some((length, f64::from(tenths) / 10.0, false));
        }
        if let Some(length) = self.two.at(words) {
            return Some((length, 2.0, false));
        }
        if let Some((length, number)) = self.number_at(words) {
            return Some((length, number, false));
        }
        let article = self.one.at(words)?;
        // "a hundred seconds"
        match self.number_at(&words[article..]) {
            Some((length, number)) if number >= 100.0 => Some((article + length, number, false)),
            _ => Some((article, 1.0, true)),
        }
    }

    /// `1:30` before hours or minutes counts the next smaller unit too.
    fn clock_part_at(&self, words: &[String]) -> Option<SpokenDuration> {
        let (large, small) = words.first()?.split_once(':')?;
        let (unit, unit_seconds) = self.unit_at(&words[1..]).filter(|(_, seconds)| *seconds > 1)?;
        let (large, small): (u32, u32) =
            (large.parse().ok()?, small.parse().ok().filter(|small| *small < 60)?);
        let seconds = f64::from(large) * f64::from(unit_seconds) + f64::from(small * (unit_seconds / 60));
        (seconds <= MAX_SECONDS).then_some(SpokenDuration {
            length: 1 + unit,
            seconds,
            unit_seconds: unit_seconds / 60,
        })
    }

    fn unit_at(&self, words: &[String]) -> Option<(usize, u32)> {
        self.units.iter().find_map(|(names, seconds)| Some((names.at(words)?, *seconds)))
    }
}

/// `1/2`, `½`
fn fraction_of(word: &str) -> Option<f64> {
    if let Some((above, below)) = word.split_once('/') {
        let (above, below): (f64, f64) = (above.parse().ok()?, below.parse().ok()?);
        return (below > 0.0).then(|| above / below);
    }
    let mut chars = word.chars();
    vulgar_fraction(chars.next()?).filter(|_| chars.next().is_none())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use languages::phrases::words;

    #[rstest]
    #[case::minutes("5 minutes", Some(300.0))]
    #[case::words("twenty-five minutes", Some(1500.0))]
    #[case::hundreds("a hundred and twenty seconds", Some(120.0))]
    #[case::hour_and_minutes("1 hour and 30 minutes", Some(5400.0))]
    #[case::three_units("1h 2m 3s", Some(3723.0))]
    #[case::decimals("1.5 hours", Some(5400.0))]
    #[case::decimals_in_words("two point five hours", Some(9000.0))]
    #[case::half_an_hour("half an hour", Some(1800.0))]
    #[case::quarter("a quarter of an hour", Some(900.0))]
    #[case::hour_and_a_half("an hour and a half", Some(5400.0))]
    #[case::two_and_a_half("two and a half hours", Some(9000.0))]
    #[case::no_article("hour and a half", Some(5400.0))]
    #[case::and_a_quarter("two and a quarter hours", Some(8100.0))]
    #[case::and_three_quarters("an hour and three quarters", Some(6300.0))]
    #[case::minutes_and_half_an_hour("one hour and half an hour", Some(5400.0))]
    #[case::fraction("1 1/2 hours", Some(5400.0))]
    #[case::sign("½ hour", Some(1800.0))]
    #[case::sign_and_article("½ an hour", Some(1800.0))]
    #[case::full_width("１０ minutes", Some(600.0))]
    #[case::clock("1:30 minutes", Some(90.0))]
    #[case::couple("a couple of minutes", Some(120.0))]
    #[case::thousands("1,000 seconds", Some(1000.0))]
    #[case::moment("a second", None)]
    #[case::no_number("minutes", None)]
    #[case::metres("5 metres", None)]
    #[case::too_long("99999999999999999999 hours", None)]
    fn duration_is_read_from_words(#[case] text: &str, #[case] seconds: Option<f64>) {
        let english = SpokenNumbers::from_data(languages::of_code("en").unwrap()).unwrap();

        assert_eq!(english.duration_at(&words(text)).map(|duration| duration.seconds), seconds);
    }
}
