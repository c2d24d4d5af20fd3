//! Numbers, lists, days and times as a language writes them, by ICU4X.

use std::str::FromStr;

use fluent_bundle::FluentValue;
use icu_datetime::fieldsets::enums::{DateFieldSet, TimeFieldSet};
use icu_datetime::input::{Date, Time};
use icu_datetime::pattern::{DateTimePattern, FixedCalendarDateTimeNames};
use icu_decimal::DecimalFormatter;
use icu_decimal::input::Decimal;
use icu_decimal::options::{DecimalFormatterOptions, GroupingStrategy};
use icu_list::ListFormatter;
use icu_list::options::{ListFormatterOptions, ListLength};
use icu_locale_core::Locale;
use intl_memoizer::Memoizable;
use intl_memoizer::concurrent::IntlLangMemoizer;
use unic_langid::LanguageIdentifier;
use writeable::TryWriteable;

/// Why compiled data cannot be missing.
const ROOT: &str = "the data of the root locale is compiled in";

/// The formats of one language.
pub(super) struct Formats {
    locale: Locale,
    numbers: Numbers,
    lists: ListFormatter,
}

impl Formats {
    /// The formats of a locale.
    pub fn new(locale: &str) -> Self {
        let locale: Locale = locale.parse().expect("a test reads each locale");
        let length = ListFormatterOptions::default().with_length(ListLength::Wide);
        let lists = ListFormatter::try_new_and((&locale).into(), length).expect(ROOT);
        Self { numbers: Numbers::from_locale(&locale), lists, locale }
    }

    pub fn number(&self, digits: &str) -> String {
        self.numbers.format(digits)
    }

    pub fn list(&self, parts: &[String]) -> String {
        self.lists.format(parts.iter()).to_string()
    }

    pub fn date(&self, pattern: &str, date: jiff::civil::Date) -> String {
        let pattern = DateTimePattern::from_str(pattern).expect("a test reads each pattern");
        let mut names =
            FixedCalendarDateTimeNames::<_, DateFieldSet>::try_new((&self.locale).into()).expect(ROOT);
        let names = names.include_for_pattern(&pattern).expect("a test reads each pattern");
        let (year, month, day) = (i32::from(date.year()), date.month(), date.day());
        let date = Date::try_new_gregorian(year, month.unsigned_abs(), day.unsigned_abs());
        written(&names.format(&date.expect("the calendar is the same")))
    }

    pub fn time(&self, pattern: &str, time: jiff::civil::Time) -> String {
        let pattern = DateTimePattern::from_str(pattern).expect("a test reads each pattern");
        let mut names =
            FixedCalendarDateTimeNames::<(), TimeFieldSet>::try_new((&self.locale).into()).expect(ROOT);
        let names = names.include_for_pattern(&pattern).expect("a test reads each pattern");
        let (hour, minute) = (time.hour().unsigned_abs(), time.minute().unsigned_abs());
        let time = Time::try_new(hour, minute, 0, 0).expect("the clock is the same");
        written(&names.format(&time))
    }
}

/// The text of a day or a time. A name that is missing is written as a number, but no data is missing.
fn written(formatted: &impl TryWriteable) -> String {
    formatted.try_write_to_string().map_or_else(|(_, text)| text.into_owned(), |text| text.into_owned())
}

/// Writes numbers in the messages themselves.
pub(super) fn format_number(value: &FluentValue<'_>, languages: &IntlLangMemoizer) -> Option<String> {
    let FluentValue::Number(number) = value else { return None };
    languages.with_try_get::<Numbers, _, _>((), |numbers| numbers.format(&number.value.to_string())).ok()
}

/// The numbers of one language.
struct Numbers(DecimalFormatter);

impl Numbers {
    fn from_locale(locale: &Locale) -> Self {
        let mut options = DecimalFormatterOptions::default();
        // Four digits stay together, as most languages write them.
        options.grouping_strategy = Some(GroupingStrategy::Min2);
        Self(DecimalFormatter::try_new(locale.into(), options).expect(ROOT))
    }

    /// A decimal number in digits; other text stays as it is.
    fn format(&self, digits: &str) -> String {
        let is_plain = digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '.'));
        match Decimal::from_str(digits) {
            Ok(number) if is_plain => self.0.format(&number).to_string(),
            _ => digits.to_owned(),
        }
    }
}

impl Memoizable for Numbers {
    type Args = ();
    type Error = icu_locale_core::ParseError;

    fn construct(language: LanguageIdentifier, (): ()) -> Result<Self, Self::Error> {
        Ok(Self::from_locale(&language.to_string().parse()?))
    }
}
