//! Values in a short answer to a question: "London", "for ten minutes", "at half past six".

use vocabulary::Language;

use super::calls::time_of_day;
use super::grammar::{Grammar, grammar_of};
use super::recognition::forms;
use super::slots::{Slot, Value, values_at};
use super::tokens::Token;

/// Words before the value: "I'm in London", "make it for".
const MOST_WORDS_BEFORE: usize = 4;

/// The kind of value that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedValue {
    /// A town or country.
    Place,
    /// A time of day, as `HH:MM`.
    Time,
    /// A day, in words.
    Date,
    /// A duration, in seconds.
    Duration,
    /// A number, in digits.
    Number,
}

/// The value that a short answer ends with, "should do" behind it or not; `None` if it is no such answer.
pub fn answered(text: &str, asked: AskedValue, language: &Language, names: &[&str]) -> Option<String> {
    let grammar = grammar_of(languages::of(language)?)?;
    let [spoken, request, _] = forms(text, names, grammar)?;
    [spoken, request].iter().find_map(|tokens| value_at_end(without_ending(tokens, grammar), asked, grammar))
}

fn without_ending<'a>(tokens: &'a [Token], grammar: &Grammar) -> &'a [Token] {
    let ending = (1..tokens.len()).find(|at| grammar.language.answer_endings.are(&tokens[*at..]));
    &tokens[..ending.unwrap_or(tokens.len())]
}

fn value_at_end(tokens: &[Token], asked: AskedValue, grammar: &Grammar) -> Option<String> {
    let slot = match asked {
        AskedValue::Place => Slot::Place,
        AskedValue::Time => Slot::Clock,
        AskedValue::Date => Slot::Date,
        AskedValue::Duration => Slot::Duration,
        AskedValue::Number => Slot::Number,
    };
    (0..tokens.len().min(MOST_WORDS_BEFORE + 1)).find_map(|at| {
        let rest = &tokens[at..];
        let mut values = values_at(slot, rest, &grammar.language).into_iter();
        let (_, value) = values.find(|(used, _)| *used == rest.len())?;
        Some(match value {
            Value::Place(text) | Value::Date(text) | Value::Number(text) => text,
            Value::Clock(clock) => time_of_day(clock.minutes),
            Value::Duration(seconds) => seconds.to_string(),
            _ => return None,
        })
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::place("en", "London", AskedValue::Place, Some("London"))]
    #[case::place_in_a_sentence("en", "I'm in New York, please", AskedValue::Place, Some("New York"))]
    #[case::place_in_german("de", "Ich bin in Berlin.", AskedValue::Place, Some("Berlin"))]
    #[case::no_place("en", "tell me a joke", AskedValue::Place, None)]
    #[case::place_and_more("en", "London has a nice bridge", AskedValue::Place, None)]
    #[case::duration("en", "for ten minutes", AskedValue::Duration, Some("600"))]
    #[case::duration_in_french("fr", "pendant dix minutes", AskedValue::Duration, Some("600"))]
    #[case::no_duration("en", "ten", AskedValue::Duration, None)]
    #[case::duration_that_should_do("en", "twenty minutes should do", AskedValue::Duration, Some("1200"))]
    #[case::duration_in_dutch("nl", "twintig minuten is genoeg", AskedValue::Duration, Some("1200"))]
    #[case::duration_of_something_else("en", "ten minutes is too long", AskedValue::Duration, None)]
    #[case::number("en", "ten", AskedValue::Number, Some("10"))]
    #[case::time("en", "at half past six", AskedValue::Time, Some("06:30"))]
    #[case::day("en", "on Friday", AskedValue::Date, Some("on Friday"))]
    #[case::long_sentence("en", "well I have been thinking about it in London", AskedValue::Place, None)]
    #[case::language_without_patterns("ja", "東京", AskedValue::Place, None)]
    fn value_of_an_answer_is_read(
        #[case] language: &str,
        #[case] text: &str,
        #[case] asked: AskedValue,
        #[case] expected: Option<&str>,
    ) {
        let language = Language::new(language).unwrap();

        assert_eq!(answered(text, asked, &language, &["Jarvis"]).as_deref(), expected);
    }
}
