//! Everything that Jarvis says in fixed words, language by language, in Project Fluent.
//!
//! The messages of a language are in `data/<code>/messages.ftl`. The build script finds the files, and makes a function of
//! [`Messages`] for each message of the English one, with its placeholders as parameters: an id or a value that is
//! missing does not compile. A message that a language lacks is said in English. What is filled in stays as it is:
//! braces in it mean nothing. A file is parsed when its language is first spoken.

mod formats; // numbers, lists, days and times, by ICU4X

use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use fluent_syntax::ast::{Pattern, PatternElement};
use jiff::civil::{Date, Time};
use unic_langid::LanguageIdentifier;
use vocabulary::Language;

use formats::Formats;

include!(concat!(env!("OUT_DIR"), "/messages.rs"));

/// A file of messages.
struct File {
    /// The name of its folder: the code of the language.
    code: &'static str,
    source: &'static str,
}

/// The id of a message of the English file: see [`id`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageId(&'static str);

/// The messages of one language.
pub struct Messages {
    language: Language,
    bundle: FluentBundle<FluentResource>,
    formats: OnceLock<Formats>,
}

/// The languages in the order of [`FILES`].
static LOADED: [OnceLock<Messages>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

impl Messages {
    /// The messages of a language; those of English if it has none.
    pub fn for_language(language: Option<&Language>) -> &'static Self {
        language.and_then(Self::in_language).unwrap_or_else(Self::english)
    }

    /// The messages of a language that itself has this message; `None` if it would be said in English.
    pub fn with(language: Option<&Language>, MessageId(id): MessageId) -> Option<&'static Self> {
        Self::in_language(language?).filter(|messages| messages.bundle.has_message(id))
    }

    /// The messages of English.
    pub fn english() -> &'static Self {
        Self::loaded(0)
    }

    /// The language that they are in.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// A decimal number in digits, with the signs of the language. Other text stays as it is.
    pub fn number(&'static self, digits: &str) -> String {
        self.formats().number(digits)
    }

    /// The sign before the decimals of a number.
    pub fn decimal_sign(&'static self) -> String {
        self.number("0.1").replace(char::is_numeric, "")
    }

    /// The parts with "and" before the last one.
    pub fn list(&'static self, parts: &[String]) -> String {
        self.formats().list(parts)
    }

    /// A duration in hours, minutes and seconds: "1 hour and 30 minutes".
    pub fn duration(&'static self, seconds: i64) -> String {
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let parts = [
            (hours > 0).then(|| self.duration_hours(hours)),
            (minutes > 0).then(|| self.duration_minutes(minutes)),
            (rest > 0 || seconds == 0).then(|| self.duration_seconds(rest)),
        ];
        self.list(&parts.into_iter().flatten().collect::<Vec<_>>())
    }

    /// A day with its weekday.
    pub fn day(&'static self, date: Date) -> String {
        self.date(self.format_day(), date)
    }

    /// The name of the weekday of a day.
    pub fn weekday(&'static self, date: Date) -> String {
        self.date("EEEE", date)
    }

    /// A time of day, without seconds.
    pub fn time(&'static self, time: Time) -> String {
        self.clock(self.format_time(), time)
    }

    /// The day of December that "Christmas" means on its own.
    pub fn christmas_day(&'static self) -> i8 {
        self.format_christmas_day().parse().expect("a test reads each number")
    }

    /// A day in a pattern of dates, such as the message `ring-format-day`.
    pub fn date(&'static self, pattern: &str, date: Date) -> String {
        self.formats().date(pattern, date)
    }

    /// A time of day in a pattern of times, such as the message `ring-format-time`.
    pub fn clock(&'static self, pattern: &str, time: Time) -> String {
        self.formats().time(pattern, time)
    }

    fn in_language(language: &Language) -> Option<&'static Self> {
        let at = FILES.iter().position(|file| file.code == language.code())?;
        Some(Self::loaded(at))
    }

    fn loaded(at: usize) -> &'static Self {
        LOADED[at].get_or_init(|| Self::new(&FILES[at]))
    }

    fn new(file: &File) -> Self {
        let locale: LanguageIdentifier = file.code.parse().expect("folders are named after languages");
        // What cannot be read is left out, and said in English; a test finds it.
        let resource =
            FluentResource::try_new(file.source.to_owned()).unwrap_or_else(|(readable, _)| readable);
        let mut bundle = FluentBundle::new_concurrent(vec![locale]);
        // The marks around what is filled in are for screens; a voice may read them.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(formats::format_number));
        bundle.add_resource_overriding(resource);
        let language = Language::new(file.code).expect("folders are named after languages");
        Self { language, bundle, formats: OnceLock::new() }
    }

    fn formats(&'static self) -> &'static Formats {
        self.formats.get_or_init(|| {
            // English is no stand-in here: its dates would be named in English.
            let locale = self.own("format-locale").and_then(text_of).unwrap_or(self.language.code());
            Formats::new(locale)
        })
    }

    /// A message without placeholders.
    fn text(&'static self, id: &str) -> &'static str {
        let text = |messages: &'static Self| messages.own(id).and_then(text_of);
        text(self).or_else(|| text(Self::english())).expect("a test reads each message")
    }

    /// A message with its placeholders filled in.
    fn filled<const N: usize>(&self, id: &str, values: [(&str, FluentValue<'_>); N]) -> String {
        let speaker = if self.bundle.has_message(id) { self } else { Self::english() };
        let pattern = speaker.own(id).expect("English has each message");
        let values: FluentArgs<'_> = values.into_iter().collect();
        // A test formats each message: there are no errors.
        speaker.bundle.format_pattern(pattern, Some(&values), &mut Vec::new()).into_owned()
    }

    /// A message of this language; `None` if it lacks it.
    fn own(&self, id: &str) -> Option<&Pattern<&str>> {
        self.bundle.get_message(id)?.value()
    }
}

/// The text of a message that is nothing but text.
fn text_of<'a>(pattern: &'a Pattern<&'a str>) -> Option<&'a str> {
    match pattern.elements.as_slice() {
        [PatternElement::TextElement { value }] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
