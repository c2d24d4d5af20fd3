//! Arguments that a small model invented: they stand in none of the user's words, the context or an earlier result.

use std::collections::HashSet;

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
}

impl Sources {
    /// The words and numbers of these texts.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let text = texts.into_iter().collect::<Vec<_>>().join("\n").to_lowercase();
        let words: HashSet<String> = words(&text).map(str::to_owned).collect();
        let has_number = text.chars().any(char::is_numeric) || words.iter().any(|word| is_number_word(word));
        Self { words, text, has_number }
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
            Value::Number(_) => self.has_number,
            Value::String(text) => self.holds_text(text),
            Value::Array(items) => items.iter().all(|item| self.holds(item)),
            Value::Object(fields) => fields.values().all(|field| self.holds(field)),
        }
    }

    /// Returns `true` if a word of the text is known, in any form: one is enough, because models put words in other
    /// forms.
    fn holds_text(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let lower = lower.trim();
        if lower.is_empty() || self.text.contains(lower) {
            return true;
        }
        if !lower.chars().any(char::is_alphabetic) {
            return self.has_number;
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
}
