//! The language of a text, by its script and by its words.

mod script;
mod other_languages;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use vocabulary::Language;

use crate::data;
use crate::language_data::LanguageData;
use crate::normalisation::tokens;
use other_languages::OTHER_LANGUAGES;
use script::{Script, script};

/// The language of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection {
    /// One of [`crate::all`].
    pub language: Language,
    /// The share of the evidence that is for this language, 0.0 to 1.0.
    pub confidence: f32,
}

/// The least evidence for a language, in words that no other language has.
const MIN_EVIDENCE: f32 = 1.0;

/// How many times more evidence a language needs than each other one.
const MARGIN: f32 = 1.5;

/// The language of a text; `None` when the text is too short or ambiguous, or in a language without data.
pub fn detect(text: &str) -> Option<Detection> {
    let (data, confidence) = match script(text) {
        Script::Of(code) => (data::ALL.iter().find(|data| data.code == code)?, 1.0),
        Script::Cyrillic => by_words(text, |data| matches!(data.code, "ru" | "uk"))?,
        Script::Latin => by_words(text, |_| true)?,
        Script::Other => return None,
    };
    Some(Detection { language: data.language(), confidence })
}

/// The language with the most words of the text. A word counts less when several languages have it.
fn by_words(
    text: &str,
    is_candidate: impl Fn(&LanguageData) -> bool,
) -> Option<(&'static LanguageData, f32)> {
    let words: HashSet<String> = tokens(text).collect();
    let mut evidence = [0.0_f32; LANGUAGES];
    for owners in words.iter().filter_map(|word| INDEX.get(word.as_str())) {
        for owner in owners {
            evidence[*owner] += 1.0 / owners.len() as f32;
        }
    }
    let (best, most) = evidence.iter().copied().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let next = (0..LANGUAGES).filter(|other| *other != best).map(|other| evidence[other]).fold(0.0, f32::max);
    let data = data::ALL.get(best).filter(|data| is_candidate(data))?;
    let is_likely = most >= MIN_EVIDENCE && most >= MARGIN * next;
    is_likely.then(|| (data, most / evidence.iter().sum::<f32>()))
}

/// Those with data first, then the others.
const LANGUAGES: usize = data::ALL.len() + OTHER_LANGUAGES.len();

/// The languages that have a word.
static INDEX: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut add = |word: &'static str, language: usize| {
        let owners = index.entry(word).or_default();
        if !owners.contains(&language) {
            owners.push(language);
        }
    };
    for (language, data) in data::ALL.iter().enumerate() {
        for word in evidence_words(data) {
            add(word, language);
        }
    }
    for (language, words) in OTHER_LANGUAGES.iter().enumerate() {
        for word in words.split_whitespace() {
            add(word, data::ALL.len() + language);
        }
    }
    index
});

/// The words of the data file that identify the language.
fn evidence_words(data: &LanguageData) -> impl Iterator<Item = &'static str> {
    let lists = [
        data.function_words,
        data.question_words,
        data.possessives,
        data.continuation_words,
        data.polite_words,
        data.request_openers,
        data.looking_back,
        data.advice,
        data.yes,
        data.no,
    ];
    let numbers = (0..=100).flat_map(|number| data.number_words(number));
    lists
        .into_iter()
        .flat_map(|list| list.iter().collect::<Vec<_>>())
        .chain(numbers)
        .flat_map(str::split_whitespace)
}
