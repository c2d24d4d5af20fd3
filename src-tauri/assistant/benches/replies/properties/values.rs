//! Values of something live.

use super::sentences::{Sentence, sentences, words};
use crate::answer::Answer;

/// Units and currencies that make a number a value.
const UNITS: &[&str] = &[
    "degrees",
    "degree",
    "percent",
    "pounds",
    "pound",
    "pence",
    "euro",
    "euros",
    "dollars",
    "minutes",
    "km",
    "mph",
    "steps",
    "grad",
    "prozent",
    "euros",
    "degrés",
    "minutos",
    "minuti",
    "minuten",
    "grados",
    "gradi",
    "graus",
    "graden",
    "grader",
    "schritte",
    "derece",
    "am",
    "pm",
    "uhr",
    "celsius",
    "fahrenheit",
    "goals",
    "points",
];

/// Signs that make a number a value.
const SIGNS: &[char] = &['°', '€', '£', '$', '%'];

/// States of something live.
const STATES: &[&str] = &[
    "sunny",
    "rainy",
    "cloudy",
    "windy",
    "snowing",
    "raining",
    "sonnig",
    "bewölkt",
    "regnerisch",
    "ensoleillé",
    "pluvieux",
    "soleado",
    "nublado",
    "soleggiato",
    "piovoso",
    "ensolarado",
    "zonnig",
    "bewolkt",
    "soligt",
    "güneşli",
    "warmer",
    "beat",
    "won",
];

/// Returns the first sentence with a value that neither a tool gave in this reply nor the user said.
pub fn without_source(say: &str, answer: &Answer) -> Option<String> {
    if answer.successes().any(|tool| tool != "stop") {
        return None;
    }
    let known = words(say);
    let mut found = sentences(&answer.text).into_iter();
    found.find(|it| it.is_statement() && has_value(it, &known)).map(|it| it.text)
}

fn has_value(sentence: &Sentence, known: &[String]) -> bool {
    let is_new = |word: &&String| !known.contains(word);
    let is_number = |word: &String| word.starts_with(|sign: char| sign.is_ascii_digit());
    let has_state = sentence.words.iter().filter(is_new).any(|word| STATES.contains(&word.as_str()));
    let has_number = sentence.words.iter().filter(is_new).any(is_number);
    let has_unit =
        sentence.words.iter().any(|word| UNITS.contains(&word.as_str())) || sentence.text.contains(SIGNS);
    has_state || (has_number && (has_unit || has_time(&sentence.text, known)))
}

/// Returns `true` if a time of day such as 18:04 stands in the text, and the user did not say it.
fn has_time(text: &str, known: &[String]) -> bool {
    let is_digits =
        |part: &str| !part.is_empty() && part.len() <= 2 && part.chars().all(|sign| sign.is_ascii_digit());
    text.split_whitespace().any(|word| {
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        let parts = word.split_once(':');
        parts.is_some_and(|(hour, minute)| {
            is_digits(hour) && minute.len() == 2 && is_digits(minute) && !known.iter().any(|it| it == minute)
        })
    })
}
