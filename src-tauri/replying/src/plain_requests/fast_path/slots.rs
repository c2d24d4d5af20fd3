//! The values in a pattern.

use dates::Calendar;
use jiff::ToSpan;
use jiff::civil::{Date, date};

use super::expressions::expression_at;
use super::lexicon::RequestLanguage;
use super::quantities::{Quantity, quantities_at};
use super::times::{SpokenClock, clocks_at, durations_at, number_at};
use super::tokens::{Gap, Token};
use crate::told_facts::own_facts::SOME_DAYS;

/// Most words of a name of a place or a timer.
const MAX_NAME_WORDS: usize = 4;

/// Most words of a day.
const MAX_DATE_WORDS: usize = 7;

/// Most words of a free text.
const MAX_TEXT_WORDS: usize = 14;

/// Any day: words name a day or do not, whatever day it is.
const SOME_DAY: Date = date(2024, 5, 15);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    Number,
    /// Two numbers or more, with commas or "and" between them.
    Numbers,
    Fraction,
    Unit,
    /// An amount with its unit.
    Quantity,
    Duration,
    /// The duration that a timer is called by: "the ten minute timer".
    SetFor,
    Clock,
    Date,
    Repeats,
    Place,
    Label,
    List,
    /// The name of a list that an assistant keeps, whosever it is.
    UsualList,
    /// The name of a timer in one word: "Teetimer".
    Timer,
    Text,
    Maths,
    Language,
}

impl Slot {
    pub(super) fn named(text: &str) -> Option<Self> {
        Some(match text {
            "n" => Self::Number,
            "numbers" => Self::Numbers,
            "fraction" => Self::Fraction,
            "unit" => Self::Unit,
            "quantity" => Self::Quantity,
            "duration" => Self::Duration,
            "set_for" => Self::SetFor,
            "clock" => Self::Clock,
            "date" => Self::Date,
            "repeats" => Self::Repeats,
            "place" => Self::Place,
            "label" => Self::Label,
            "list" => Self::List,
            "usual_list" => Self::UsualList,
            "timer" => Self::Timer,
            "text" => Self::Text,
            "maths" => Self::Maths,
            "language" => Self::Language,
            _ => return None,
        })
    }
}

/// The values of a matched pattern, in the order of its slots.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Values {
    pub numbers: Vec<String>,
    /// Numerator and denominator.
    pub fraction: Option<(u32, u32)>,
    /// Ids of units.
    pub units: Vec<&'static str>,
    /// In seconds.
    pub durations: Vec<u32>,
    /// In seconds.
    pub set_for: Option<u32>,
    pub clock: Option<SpokenClock>,
    /// The one before it.
    pub earlier_clock: Option<SpokenClock>,
    pub dates: Vec<String>,
    /// As the tools have it.
    pub repeats: Option<&'static str>,
    pub places: Vec<String>,
    pub labels: Vec<String>,
    /// Any words.
    pub texts: Vec<String>,
    pub maths: Vec<String>,
    /// The code of a language.
    pub language: Option<&'static str>,
    /// Measure of how little the pattern says itself: the tokens in places, labels and texts, then those in days.
    pub looseness: (usize, usize),
}

/// One value and how many tokens it takes.
#[derive(Clone)]
pub(super) enum Value {
    Number(String),
    Numbers(Vec<String>),
    Fraction((u32, u32)),
    Unit(&'static str),
    Quantity(Quantity),
    Duration(u32),
    SetFor(u32),
    Clock(SpokenClock),
    Date(String),
    /// A repetition, and the day of the week if it names one.
    Repeats(&'static str, Option<String>),
    Place(String),
    Label(String),
    Text(String),
    Maths(String),
    Language(&'static str),
}

impl Values {
    /// The values and this one, which takes so many tokens.
    pub(super) fn with(&self, value: &Value, tokens: usize) -> Self {
        let mut values = self.clone();
        match value {
            Value::Place(_) | Value::Label(_) | Value::Text(_) => values.looseness.0 += tokens,
            Value::Date(_) => values.looseness.1 += tokens,
            _ => {}
        }
        match value.clone() {
            Value::Number(number) => values.numbers.push(number),
            Value::Numbers(numbers) => values.numbers.extend(numbers),
            Value::Fraction(fraction) => values.fraction = Some(fraction),
            Value::Unit(unit) => values.units.push(unit),
            Value::Quantity((amount, unit)) => {
                values.numbers.push(amount);
                values.units.push(unit);
            }
            Value::Duration(seconds) => values.durations.push(seconds),
            Value::SetFor(seconds) => values.set_for = Some(seconds),
            Value::Clock(clock) => values.earlier_clock = values.clock.replace(clock),
            Value::Date(date) => values.dates.push(date),
            Value::Repeats(how_often, day) => {
                values.repeats = Some(how_often);
                values.dates.extend(day);
            }
            Value::Place(place) => values.places.push(place),
            Value::Label(label) => values.labels.push(label),
            Value::Text(text) => values.texts.push(text),
            Value::Maths(expression) => values.maths.push(expression),
            Value::Language(code) => values.language = Some(code),
        }
        values
    }
}

/// The values that the slot can have at the beginning of the tokens, the best first, with the number of tokens.
pub(super) fn values_at(slot: Slot, tokens: &[Token], language: &RequestLanguage) -> Vec<(usize, Value)> {
    let one = |found: Option<(usize, Value)>| found.into_iter().collect();
    let durations = |value: fn(u32) -> Value| valued(durations_at(tokens, language), value);
    match slot {
        Slot::Number => one(number_at(tokens, language).map(|(used, number)| (used, Value::Number(number)))),
        Slot::Numbers => one(numbers_at(tokens, language)),
        Slot::Fraction => {
            let found =
                language.fractions.iter().filter_map(|(words, parts)| Some((words.end_in(tokens)?, *parts)));
            one(found.max().map(|(used, parts)| (used, Value::Fraction(parts))))
        }
        Slot::Unit => one(language.unit_at(tokens).map(|(used, unit)| (used, Value::Unit(unit)))),
        Slot::Quantity => valued(quantities_at(tokens, language), Value::Quantity),
        Slot::Duration => durations(Value::Duration),
        Slot::SetFor => durations(Value::SetFor),
        Slot::Clock => valued(clocks_at(tokens, language), Value::Clock),
        Slot::Maths => one(expression_at(tokens, language).map(|(used, maths)| (used, Value::Maths(maths)))),
        Slot::Date => texts(tokens, MAX_DATE_WORDS, is_day, Value::Date),
        Slot::Repeats => repetitions_at(tokens, language),
        Slot::Language => {
            one(language.named_language_at(tokens).map(|(used, code)| (used, Value::Language(code))))
        }
        Slot::Place => texts(tokens, MAX_NAME_WORDS, is_place, Value::Place),
        Slot::Label => {
            let is_label = |token: &Token| may_be_label(token, language);
            let length = tokens.iter().take(MAX_NAME_WORDS).take_while(|token| is_label(token)).count();
            texts(&tokens[..length], length, |_| true, Value::Label)
        }
        Slot::List => one(tokens
            .first()
            .filter(|token| language.is_compound_of_list(&token.text))
            .map(|token| (1, Value::Label(token.written.clone())))),
        Slot::UsualList => one(language
            .usual_lists
            .end_in(tokens)
            .map(|used| (used, Value::Label(written(&tokens[..used]))))),
        Slot::Timer => one(tokens
            .first()
            .and_then(|token| language.label_of_compound(token))
            .map(|label| (1, Value::Label(label)))),
        // The shortest first: a day behind it is longer then.
        Slot::Text => texts(tokens, MAX_TEXT_WORDS, |_| true, Value::Text).into_iter().rev().collect(),
    }
}

/// The values of what was found.
fn valued<T>(found: Vec<(usize, T)>, value: fn(T) -> Value) -> Vec<(usize, Value)> {
    found.into_iter().map(|(used, found)| (used, value(found))).collect()
}

/// "4, 8 and 11"
fn numbers_at(tokens: &[Token], language: &RequestLanguage) -> Option<(usize, Value)> {
    let (mut at, first) = number_at(tokens, language)?;
    let mut numbers = vec![first];
    while let Some(next) = tokens.get(at) {
        let and = language.and.end_in(&tokens[at..]).unwrap_or_default();
        if and == 0 && next.gap != Gap::Comma {
            break;
        }
        let Some((used, number)) = number_at(&tokens[at + and..], language) else { break };
        numbers.push(number);
        at += and + used;
    }
    (numbers.len() > 1).then_some((at, Value::Numbers(numbers)))
}

/// "Every day", "on weekdays", or "every" and a day of the week.
fn repetitions_at(tokens: &[Token], language: &RequestLanguage) -> Vec<(usize, Value)> {
    let named = language.repetitions.iter().filter_map(|(words, how_often)| {
        words.end_in(tokens).map(|used| (used, Value::Repeats(how_often, None)))
    });
    let weekly = language.every.end_in(tokens).into_iter().flat_map(|every| {
        let days = texts(&tokens[every..], 1, is_weekday, |day| Value::Repeats("weekly", Some(day)));
        days.into_iter().map(move |(used, value)| (every + used, value))
    });
    named.chain(weekly).collect()
}

/// The beginnings of the tokens that pass the test, as they were written.
fn texts(
    tokens: &[Token],
    most: usize,
    passes: impl Fn(&str) -> bool,
    value: impl Fn(String) -> Value,
) -> Vec<(usize, Value)> {
    (1..=tokens.len().min(most))
        .rev()
        .map(|count| (count, written(&tokens[..count])))
        .filter(|(_, text)| passes(text))
        .map(|(count, text)| (count, value(text)))
        .collect()
}

/// The tokens as they were written, with the signs between them.
pub(super) fn written(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        if at > 0 {
            text.push_str(token.gap.written());
        }
        text.push_str(&token.written);
    }
    text
}

fn is_day(text: &str) -> bool {
    let calendars = [Calendar::looking_ahead(SOME_DAY), Calendar::looking_back(SOME_DAY)];
    calendars.iter().any(|calendar| dates::whole_span_of(text, calendar).is_some())
}

/// Returns `true` if the text is the name of a day of the week: for some days it stays the same, and a week later it
/// is another.
fn is_weekday(text: &str) -> bool {
    let day = |ahead: i64| {
        let calendar = Calendar::looking_ahead(SOME_DAY.saturating_add(ahead.days()));
        dates::whole_span_of(text, &calendar).map(|span| span.first)
    };
    let moves_by_weeks = day(7) == day(0).map(|day| day.saturating_add(7.days()));
    is_one_day(text) && moves_by_weeks && (day(0) == day(1) || day(1) == day(2))
}

/// Returns `true` if the text names one day, not a week or a month.
pub(super) fn is_one_day(text: &str) -> bool {
    dates::whole_span_of(text, &Calendar::looking_ahead(SOME_DAY)).is_some_and(|span| span.first == span.last)
}

/// Returns `true` for a day that is never today and never past: "tomorrow", "on Monday".
pub(crate) fn is_ahead(text: &str) -> bool {
    SOME_DAYS.iter().any(|today| {
        dates::whole_span_of(text, &Calendar::looking_ahead(*today)).is_some_and(|span| span.first > *today)
    })
}

/// Returns `true` if a day is named anywhere in the text.
pub(super) fn names_a_day(text: &str) -> bool {
    dates::span_of(text, &Calendar::looking_ahead(SOME_DAY)).is_some()
}

fn is_place(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
        && (places::named(text).is_some() || places::zones_of_country(text).len() == 1)
}

/// Returns `true` if the word can be in the name of a timer: no function word, no number, no unit, no sign.
fn may_be_label(token: &Token, language: &RequestLanguage) -> bool {
    // With its accents: Spanish "té" is tea, "te" is you.
    let written = token.written.to_lowercase();
    let token = std::slice::from_ref(token);
    written.chars().all(char::is_alphabetic)
        && written.chars().count() > 1
        && !language.data.is_function_word(&written)
        && !language.repeating.are(token)
        && language.unit_at(token).is_none()
        && number_at(token, language).is_none()
}
