//! Arguments that a small model invented: they stand in none of the user's words, the context or an earlier result.

use std::collections::HashSet;

use languages::{LanguageData, NumberWords, folded_words};
use serde_json::{Map, Value};

/// The shortest word that shows where a value comes from, in characters.
const SHORTEST: usize = 3;

/// The texts from which the values of arguments may be taken.
#[derive(Debug, Default)]
pub struct Sources {
    words: HashSet<String>,
    /// Without spaces between words a value is looked for as it is.
    text: String,
    has_number: bool,
    /// The only numbers that count, if a number has to be as it was said.
    numbers: Option<HashSet<String>>,
}

impl Sources {
    /// The words and numbers of these texts.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let text = texts.into_iter().collect::<Vec<_>>().join("\n").to_lowercase();
        let words: HashSet<String> = words(&text).map(str::to_owned).collect();
        let has_number = text.chars().any(char::is_numeric) || words.iter().any(|word| is_number_word(word));
        Self { words, text, has_number, numbers: None }
    }

    /// The same, if numbers name things and are no amounts: only those of the texts, and those that the request has in words.
    /// Dates and times are still free, since their form depends on the tool.
    pub fn with_exact_numbers(self, request: &str, data: &LanguageData) -> Self {
        let said = folded_words(request);
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let reader = NumberWords::of_code(data.code);
        let in_words = (0..said.len()).filter_map(|at| reader?.leading(&said[at..]));
        let in_words = in_words.map(|(number, _)| number.to_string());
        let digits = self.words.iter().filter(|word| word.chars().all(char::is_numeric)).cloned();
        let numbers = Some(in_words.chain(digits).collect());
        Self { numbers, ..self }
    }

    /// The names of the arguments that come from none of the texts. Switches and values that the schema lists are choices,
    /// not inventions.
    pub fn invented(&self, arguments: &Map<String, Value>, schema: &Value) -> Vec<String> {
        let is_invented = |(name, value): &(&String, &Value)| {
            let is_choice = schema["properties"][name.as_str()]["enum"].is_array();
            !is_choice && !self.holds(value)
        };
        arguments.iter().filter(is_invented).map(|(name, _)| name.clone()).collect()
    }

    fn holds(&self, value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) => true,
            // "Four minutes" may become 240 seconds, but not from nothing.
            Value::Number(number) => self.holds_number(&number.to_string()),
            Value::String(text) => self.holds_text(text),
            Value::Array(items) => items.iter().all(|item| self.holds(item)),
            Value::Object(fields) => fields.values().all(|field| self.holds(field)),
        }
    }

    fn holds_number(&self, number: &str) -> bool {
        let is_moment = number.contains(':') || number.parse::<jiff::civil::Date>().is_ok();
        match &self.numbers {
            Some(numbers) if !is_moment => words(number).all(|part| numbers.contains(part)),
            _ => self.has_number,
        }
    }

    /// Returns `true` if a word of the text is known, in any form: one is enough, because models put words in other
    /// forms.
    fn holds_text(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let lower = lower.trim();
        let is_number = !lower.chars().any(char::is_alphabetic);
        if lower.is_empty() || (self.text.contains(lower) && !(is_number && self.numbers.is_some())) {
            return true;
        }
        if is_number {
            return self.holds_number(lower);
        }
        let stem =
            |word: &str| word.chars().take(word.chars().count().saturating_sub(2).max(SHORTEST)).collect();
        words(lower).filter(|word| word.chars().count() >= SHORTEST).any(|word| {
            let stem: String = stem(word);
            self.words.iter().any(|known| known.starts_with(&stem))
        })
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns `true` if the word is a number in any language.
fn is_number_word(word: &str) -> bool {
    languages::all().iter().any(|data| {
        let numbers = data.numbers.iter().chain(&data.tens);
        numbers.flat_map(|words| words.split('|')).any(|number| number == word)
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::said("weather in Leeds", json!({ "location": "Leeds" }), &[])]
    #[case::other_form("Wetter in Leeds morgen", json!({ "location": "Leeds, England" }), &[])]
    #[case::invented_town("what is the weather?", json!({ "location": "New York" }), &["location"])]
    #[case::number_from_words("a timer for four minutes", json!({ "seconds": 240 }), &[])]
    #[case::number_from_nothing("set the timer", json!({ "seconds": 600 }), &["seconds"])]
    #[case::choice("set the timer", json!({ "kind": "timer" }), &[])]
    #[case::switch("read it", json!({ "aloud": true }), &[])]
    #[case::without_spaces("東京の天気は", json!({ "location": "東京" }), &[])]
    fn invented_values_are_named(#[case] said: &str, #[case] arguments: Value, #[case] expected: &[&str]) {
        let schema = json!({ "properties": { "kind": { "enum": ["timer", "alarm"] } } });
        let Value::Object(arguments) = arguments else { unreachable!("it is an object") };

        assert_eq!(Sources::from_texts([said]).invented(&arguments, &schema), expected);
    }

    #[rstest]
    #[case::said("where is parcel 7731", json!({ "number": 7731 }), &[])]
    #[case::said_in_words("when does line twelve leave", json!({ "line": "12" }), &[])]
    #[case::another("where is parcel 7731", json!({ "number": 1234 }), &["number"])]
    #[case::another_text("where is parcel 7731", json!({ "number": "123-456" }), &["number"])]
    #[case::nothing("where is my parcel", json!({ "number": "1" }), &["number"])]
    #[case::part_of_another("where is my parcel 7731", json!({ "number": "73" }), &["number"])]
    #[case::day_in_the_form_of_the_tool("the ferry on 1 December", json!({ "day": "2026-12-01" }), &[])]
    #[case::time_in_the_form_of_the_tool("the ferry after 8:30", json!({ "from": "08:30" }), &[])]
    #[case::name("the tide at Whitby", json!({ "harbour": "Whitby" }), &[])]
    fn exact_number_is_one_that_was_said(
        #[case] said: &str,
        #[case] arguments: Value,
        #[case] expected: &[&str],
    ) {
        let Value::Object(arguments) = arguments else { unreachable!("it is an object") };
        let sources = Sources::from_texts([said, "a timer of 5 minutes"])
            .with_exact_numbers(said, &languages::all()[0]);

        assert_eq!(sources.invented(&arguments, &json!({})), expected);
    }
}
