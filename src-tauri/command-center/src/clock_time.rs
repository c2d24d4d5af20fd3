//! Times of day, written or said.

use languages::phrases::{MINUS, Phrases, words};
use languages::{ClockMeaning, LanguageData, PatternItemKind, PerLanguage, sequences};

use crate::spoken::SpokenNumbers;

/// A time of day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClockTime {
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
}

impl ClockTime {
    fn from_minutes(minutes: i32) -> Self {
        let minutes = minutes.rem_euclid(24 * 60);
        let part = |value: i32| u8::try_from(value).expect("a part of a day is small");
        Self { hour: part(minutes / 60), minute: part(minutes % 60) }
    }
}

/// The time of a text such as `7:30 pm`, `730pm` or `half past seven`. Falls open: what is out of range is midnight. `None`
/// if the text has no time.
pub fn clock_time(text: &str, language: &'static LanguageData) -> Option<ClockTime> {
    let reader = READERS.get(language).as_ref()?;
    let words = words(&text.replace('_', " "));
    let said = (0..words.len())
        .find_map(|at| reader.said_at(&words[at..]).map(|(length, minutes)| (at + length, minutes)));
    let digits = || {
        let at = words.iter().position(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
        let (length, hour, minute) = reader.written_at(&words[at..]);
        Some((at + length, hour, minute))
    };
    let words_only = || {
        (0..words.len()).find_map(|at| {
            reader.number_words_at(&words[at..]).map(|(length, hour, minute)| (at + length, hour, minute))
        })
    };
    if let Some((end, minutes)) = said {
        let half = reader.half_behind(&words[end..]);
        return Some(ClockTime::from_minutes(
            half.map_or(minutes, |half| half.applied(minutes / 60) * 60 + minutes % 60),
        ));
    }
    let (end, hour, minute) = digits().or_else(words_only)?;
    let half = reader.half_behind(&words[end..]);
    let is_negative = words.iter().any(|word| word == MINUS);
    let is_in_range = !is_negative && minute < 60 && hour < half.map_or(24, |_| 13);
    let hour = half.map_or(hour, |half| half.applied(hour));
    Some(if is_in_range { ClockTime::from_minutes(hour * 60 + minute) } else { ClockTime::default() })
}

/// The half of the day that the words name.
#[derive(Debug, Clone, Copy)]
enum Half {
    Morning,
    Evening,
    /// From six in the evening to six in the morning.
    Night,
}

impl Half {
    fn applied(self, hour: i32) -> i32 {
        match (self, hour) {
            (Self::Morning | Self::Night, 12) => 0,
            (Self::Evening, 0..12) | (Self::Night, 6..12) => hour + 12,
            _ => hour,
        }
    }
}

/// A place in a pattern.
enum Item {
    Hour,
    Minute,
    Words(Phrases, bool),
}

struct Reader {
    numbers: &'static SpokenNumbers,
    /// Patterns with words, such as "half past {h}".
    patterns: Vec<(Vec<Item>, ClockMeaning)>,
    morning: Phrases,
    evening: Phrases,
    night: Phrases,
    clock_sign: Phrases,
}

static READERS: PerLanguage<Option<Reader>> = PerLanguage::new(Reader::new);

impl Reader {
    fn new(data: &'static LanguageData) -> Option<Self> {
        let table = data.requests.as_ref()?;
        let phrases = |text: &'static str| Phrases::new(text.split('|'));
        let readings = |pattern: &&str| sequences(pattern).unwrap_or_default();
        let rows = table.clock.iter().flat_map(|(pattern, meaning)| {
            readings(pattern).into_iter().map(move |sequence| (sequence, *meaning))
        });
        let item = |item: languages::PatternItem| match item.kind {
            PatternItemKind::Slot(slot) if slot == "h" => Some(Item::Hour),
            PatternItemKind::Slot(slot) if slot == "m" => Some(Item::Minute),
            // Hours and minutes in digits are read as they are.
            PatternItemKind::Slot(_) => None,
            PatternItemKind::Words(words) => {
                Some(Item::Words(Phrases::new(words.iter().map(String::as_str)), item.is_optional))
            }
        };
        let patterns = rows.filter_map(|(sequence, meaning)| {
            let items: Option<Vec<Item>> = sequence.into_iter().map(item).collect();
            let has_words =
                |items: &Vec<Item>| items.iter().any(|item| matches!(item, Item::Words(_, false)));
            items.filter(has_words).map(|items| (items, meaning))
        });
        Some(Self {
            numbers: SpokenNumbers::from_data(data)?,
            patterns: patterns.collect(),
            morning: phrases(table.morning),
            evening: phrases(table.evening),
            night: phrases(data.dates.as_ref().map_or("", |dates| dates.night)),
            clock_sign: phrases(table.clock_sign),
        })
    }

    /// A time in words at the beginning: its length, and minutes since midnight.
    fn said_at(&self, words: &[String]) -> Option<(usize, i32)> {
        let matches = self.patterns.iter().filter_map(|(items, meaning)| {
            let (length, hour, minute) = self.matched(items, words)?;
            let minutes = match meaning {
                ClockMeaning::Offset(offset) => hour * 60 + minute + offset,
                ClockMeaning::Past => hour * 60 + minute,
                ClockMeaning::To => hour * 60 - minute,
                ClockMeaning::Fixed(fixed) => i32::try_from(*fixed).ok()?,
            };
            Some((length, minutes.rem_euclid(24 * 60)))
        });
        matches.max_by_key(|(length, _)| *length)
    }

    fn matched(&self, items: &[Item], words: &[String]) -> Option<(usize, i32, i32)> {
        let (mut at, mut hour, mut minute) = (0, 0, 0);
        for item in items {
            match item {
                Item::Hour => {
                    let (length, value) = self.whole_at(&words[at..], 24)?;
                    (at, hour) = (at + length, value);
                }
                Item::Minute => {
                    let (length, value) = self.whole_at(&words[at..], 60)?;
                    (at, minute) = (at + length, value);
                }
                Item::Words(phrases, is_optional) => match phrases.at(&words[at..]) {
                    Some(length) => at += length,
                    None if *is_optional => {}
                    None => return None,
                },
            }
        }
        Some((at, hour, minute))
    }

    fn whole_at(&self, words: &[String], below: i32) -> Option<(usize, i32)> {
        let (length, number) = self.numbers.number_at(words)?;
        let is_hour = number.fract() == 0.0 && number < f64::from(below);
        is_hour.then_some((length, number as i32))
    }

    /// `7`, `730`, `7:30`, `7.30`, `7 30`, `7h30` at the beginning: its length, the hour and the minute, in range or not.
    fn written_at(&self, words: &[String]) -> (usize, i32, i32) {
        let number = |text: &str| text.parse::<i32>().unwrap_or(i32::MAX / 100);
        let first = &words[0];
        let parts: Vec<&str> = first.split([':', '.', ',', '/']).collect();
        if let [hour, minute, ..] = parts.as_slice() {
            return (1, number(hour), number(minute));
        }
        if first.len() > 2 {
            let value = number(first);
            return (1, value / 100, value % 100);
        }
        let sign = usize::from(words.get(1).is_some_and(|word| word == "h"));
        let minute =
            words.get(1 + sign).filter(|word| word.len() == 2 && word.bytes().all(|b| b.is_ascii_digit()));
        match minute {
            Some(minute) => (2 + sign, number(first), number(minute)),
            None => (1 + sign, number(first), 0),
        }
    }

    /// "seven thirty", "seven o'clock"
    fn number_words_at(&self, words: &[String]) -> Option<(usize, i32, i32)> {
        let (length, hour) = self.whole_at(words, 24)?;
        let sign = self.clock_sign.at(&words[length..]).unwrap_or_default();
        match self.whole_at(&words[length + sign..], 60) {
            Some((more, minute)) => Some((length + sign + more, hour, minute)),
            None => Some((length + sign, hour, 0)),
        }
    }

    fn half_behind(&self, words: &[String]) -> Option<Half> {
        let sign = self.clock_sign.at(words).unwrap_or_default();
        let words = &words[sign..];
        let is = |phrases: &Phrases| phrases.at(words).is_some();
        if is(&self.night) {
            Some(Half::Night)
        } else if is(&self.morning) {
            Some(Half::Morning)
        } else {
            is(&self.evening).then_some(Half::Evening)
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::hour("7", "07:00")]
    #[case::hour_and_minute("7:30", "07:30")]
    #[case::short_minute("7:5", "07:05")]
    #[case::afternoon("3pm", "15:00")]
    #[case::blank("3 pm", "15:00")]
    #[case::dots("3 p.m.", "15:00")]
    #[case::capitals("3PM", "15:00")]
    #[case::glued("730pm", "19:30")]
    #[case::four_digits("1930", "19:30")]
    #[case::underscore("9_30am", "09:30")]
    #[case::full_stop("7.30pm", "19:30")]
    #[case::seconds("19:30:15", "19:30")]
    #[case::noon_in_digits("12pm", "12:00")]
    #[case::midnight_in_digits("12am", "00:00")]
    #[case::half_past_midnight("12:30am", "00:30")]
    #[case::glued_midnight("1230am", "00:30")]
    #[case::noon("noon", "12:00")]
    #[case::midnight("midnight", "00:00")]
    #[case::at("at 5 pm", "17:00")]
    #[case::half_past("half past seven", "07:30")]
    #[case::quarter_to("quarter to eight pm", "19:45")]
    #[case::minutes_past("ten past 3", "03:10")]
    #[case::words("seven thirty pm", "19:30")]
    #[case::o_clock("seven o'clock in the evening", "19:00")]
    #[case::at_night("9 at night", "21:00")]
    #[case::three_at_night("3 at night", "03:00")]
    #[case::french_sign("19h30", "19:30")]
    #[case::hour_out_of_range("25:00", "00:00")]
    #[case::hour_24("24:00", "00:00")]
    #[case::minute_out_of_range("7:60", "00:00")]
    #[case::too_many_digits("123456", "00:00")]
    #[case::very_many_digits("99999999999999999999", "00:00")]
    #[case::hour_13_pm("13pm", "00:00")]
    #[case::negative("-5:00", "00:00")]
    #[case::full_width("７：３０", "07:30")]
    #[case::word_without_a_time("banana", "none")]
    #[case::nothing("", "none")]
    fn time_is_read_with_tolerance(#[case] text: &str, #[case] expected: &str) {
        let time = clock_time(text, languages::of_code("en").unwrap());

        let shown = time.map_or("none".to_owned(), |time| format!("{:02}:{:02}", time.hour, time.minute));
        assert_eq!(shown, expected);
    }
}
