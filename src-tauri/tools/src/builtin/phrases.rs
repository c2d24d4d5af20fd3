//! Whole answers in the language of the user, where a tool can word them itself.

mod language; // the fields of a data file: start here
mod english;
mod german;
mod french;
mod spanish;
mod italian;
mod dutch;
mod portuguese;
mod turkish;

use jiff::civil::{Date, Time, Weekday};
use languages::MeasureNames;
use vocabulary::Language;

use language::Phrases;

static ALL: [Phrases; 8] = [
    english::ENGLISH,
    german::GERMAN,
    french::FRENCH,
    spanish::SPANISH,
    italian::ITALIAN,
    dutch::DUTCH,
    portuguese::PORTUGUESE,
    turkish::TURKISH,
];

/// Words the answers of one language.
#[derive(Clone, Copy)]
pub(crate) struct Wording {
    phrases: &'static Phrases,
    measures: &'static MeasureNames,
}

impl std::ops::Deref for Wording {
    type Target = Phrases;

    fn deref(&self) -> &Phrases {
        self.phrases
    }
}

/// The sentence with its names in braces filled in.
pub(crate) fn fill(sentence: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(sentence.len() + 32);
    let mut rest = sentence;
    // One pass, so that braces in a value stay as they are.
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        filled.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        rest = after;
    }
    filled.push_str(rest);
    let mut chars = filled.chars();
    // A label or an amount may begin the sentence.
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

impl Wording {
    /// English, the language of the data for models.
    pub fn english() -> Self {
        Self::of_code("en").expect("English is in the list")
    }

    /// The wording of a language; `None` where we have none.
    pub fn of(language: Option<&Language>) -> Option<Self> {
        Self::of_code(language?.code())
    }

    fn of_code(code: &str) -> Option<Self> {
        let phrases = ALL.iter().find(|phrases| phrases.code == code)?;
        Some(Self { phrases, measures: MeasureNames::of_code(code)? })
    }

    pub fn weekday(&self, weekday: Weekday) -> &'static str {
        self.weekdays[usize::try_from(weekday.to_monday_zero_offset()).expect("a week has seven days")]
    }

    /// A day with its weekday.
    pub fn day(&self, date: Date) -> String {
        let month = self.months[usize::try_from(date.month() - 1).expect("months count from 1")];
        let values = [
            ("weekday", self.weekday(date.weekday())),
            ("day", &date.day().to_string()),
            ("month", month),
            ("year", &date.year().to_string()),
        ];
        values.iter().fold(self.phrases.date.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), value)
        })
    }

    /// A time of day, without seconds.
    pub fn time(&self, time: Time) -> String {
        if !self.has_twelve_hours {
            return format!("{}:{:02}", time.hour(), time.minute());
        }
        let hour = (time.hour() + 11) % 12 + 1;
        let half = if time.hour() < 12 { "am" } else { "pm" };
        format!("{hour}:{:02} {half}", time.minute())
    }

    /// A decimal number in digits, with the signs of the language.
    pub fn number(&self, digits: &str) -> String {
        let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
        if !whole.bytes().all(|byte| byte.is_ascii_digit()) {
            return format!("{sign}{digits}");
        }
        let mut number = sign.to_owned();
        for (index, digit) in whole.chars().enumerate() {
            // Four digits stay together, as most languages write them.
            if index > 0 && (whole.len() - index).is_multiple_of(3) && whole.len() > 4 {
                number.push(self.group_sign);
            }
            number.push(digit);
        }
        if !decimals.is_empty() {
            number.push(self.decimal_sign);
            number.push_str(decimals);
        }
        number
    }

    /// An amount of a unit, such as "2 cups".
    pub fn amount(&self, digits: &str, unit: &str) -> String {
        let (singular, plural) = self.measures.forms(unit).unwrap_or((unit, unit));
        let name = if matches!(digits, "1" | "-1") { singular } else { plural };
        format!("{} {name}", self.number(digits))
    }

    /// A duration in hours, minutes and seconds: "1 hour and 30 minutes".
    pub fn duration(&self, seconds: i64) -> String {
        let parts = [(seconds / 3600, "hour"), (seconds / 60 % 60, "minute"), (seconds % 60, "second")];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, unit)| *count > 0 || (seconds == 0 && *unit == "second"))
            .map(|(count, unit)| self.amount(&count.to_string(), unit))
            .collect();
        self.list(&parts)
    }

    /// The parts with "and" before the last one.
    pub fn list(&self, parts: &[String]) -> String {
        match parts {
            [] => String::new(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} {} {last}", first.join(", "), self.phrases.and),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::{date, time};
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english("en", "12,345.5 3:05 pm Monday, 4 January 2027 1 hour and 30 minutes")]
    #[case::german("de", "12.345,5 15:05 Montag, 4. Januar 2027 1 Stunde und 30 Minuten")]
    #[case::french("fr", "12\u{202f}345,5 15:05 lundi 4 janvier 2027 1 heure et 30 minutes")]
    #[case::spanish("es", "12.345,5 15:05 lunes, 4 de enero de 2027 1 hora y 30 minutos")]
    #[case::italian("it", "12.345,5 15:05 lunedì 4 gennaio 2027 1 ora e 30 minuti")]
    #[case::dutch("nl", "12.345,5 15:05 maandag 4 januari 2027 1 uur en 30 minuten")]
    #[case::portuguese("pt", "12.345,5 15:05 segunda-feira, 4 de janeiro de 2027 1 hora e 30 minutos")]
    #[case::turkish("tr", "12.345,5 15:05 4 Ocak 2027 Pazartesi 1 saat ve 30 dakika")]
    fn numbers_and_times_are_written_as_the_language_writes_them(#[case] code: &str, #[case] expected: &str) {
        let wording = Wording::of_code(code).unwrap();
        let parts = [
            wording.number("12345.5"),
            wording.time(time(15, 5, 0, 0)),
            wording.day(date(2027, 1, 4)),
            wording.duration(5400),
        ];

        assert_eq!(parts.join(" "), expected);
    }

    #[rstest]
    #[case::midnight(0, "12:00 am")]
    #[case::noon(12, "12:00 pm")]
    #[case::evening(23, "11:00 pm")]
    fn twelve_hours_begin_with_twelve(#[case] hour: i8, #[case] expected: &str) {
        assert_eq!(Wording::english().time(time(hour, 0, 0, 0)), expected);
    }

    #[test]
    fn braces_in_a_label_stay() {
        assert_eq!(fill("“{label}” is done.", &[("label", "{x} {label}")]), "“{x} {label}” is done.");
    }
}
