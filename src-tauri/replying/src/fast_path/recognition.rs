//! From a text to calls.

use languages::{LanguageData, RequestMeaning};
use vocabulary::Language;

use super::calls::{FastCall, calls};
use super::grammar::{Grammar, grammar_of};
use super::lexicon;
use super::tokens::{Token, tokens};

/// Longer texts are no closed requests, in characters and in tokens.
const MAX_CHARS: usize = 160;
const MAX_TOKENS: usize = 28;

/// The calls that answer a closed request; `None` when anything about it is unsure.
///
/// `names` are what the assistant is called. A language without a table is never recognised; an unknown one is told from
/// the text, or those are tried that have a word of it.
pub fn recognise(text: &str, language: Option<&Language>, names: &[&str]) -> Option<Vec<FastCall>> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let tokens = tokens(text);
    if tokens.is_empty() || tokens.len() > MAX_TOKENS {
        return None;
    }
    let tokens = without_names(tokens, names);
    let detected = || languages::detect(text).map(|detection| detection.language);
    match language.cloned().or_else(detected) {
        Some(language) => in_language(&tokens, languages::of(&language)?),
        None => languages::all()
            .iter()
            .filter(|data| may_be_in(&tokens, data))
            .find_map(|data| in_language(&tokens, data)),
    }
}

/// Returns `true` if a word of the text is one of the language's patterns. Digits alone are read in the first language.
fn may_be_in(tokens: &[Token], data: &LanguageData) -> bool {
    let Some(table) = &data.requests else { return false };
    let is_word = |token: &&Token| token.text.starts_with(char::is_alphabetic);
    let mut words = tokens.iter().filter(is_word).peekable();
    let is_first = languages::all().first().is_some_and(|first| first.code == data.code);
    (words.peek().is_none() && is_first)
        || words.any(|word| table.vocabulary.contains(&format!(" {} ", word.text)))
}

fn in_language(tokens: &[Token], data: &'static LanguageData) -> Option<Vec<FastCall>> {
    let grammar = grammar_of(data)?;
    let language = &grammar.language;
    let spoken = without_greeting(tokens, language);
    if language.dismissals.are(spoken) {
        return Some(vec![FastCall::new("stop", serde_json::json!({}))]);
    }
    // As it was said first: words that say nothing elsewhere may belong to a pattern.
    let request = without_fillers(spoken, language);
    let opened = without_openers(&request, language);
    let readings = [spoken, &request, opened]
        .into_iter()
        .map(|tokens| readings(tokens, grammar))
        .find(|it| !it.is_empty())?;
    agreed(readings).map(|reading| reading.calls)
}

/// A meaning of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    pub meaning: RequestMeaning,
    /// Measure of how little its pattern says itself.
    looseness: (usize, usize),
    pub calls: Vec<FastCall>,
}

/// Every meaning of the tokens with the calls that answer it. Of the patterns of one meaning those count which leave the
/// fewest words to slots.
pub(super) fn readings(tokens: &[Token], grammar: &Grammar) -> Vec<Reading> {
    let mut readings: Vec<Reading> = Vec::new();
    for (meaning, values) in grammar.matches(tokens) {
        let looseness = values.looseness;
        let Some(calls) = calls(meaning, &values, &grammar.language) else { continue };
        let is_closer = |known: &Reading| known.meaning == meaning && known.looseness < looseness;
        if !readings.iter().any(is_closer) {
            readings.retain(|known| known.meaning != meaning || known.looseness == looseness);
            readings.push(Reading { meaning, looseness, calls });
        }
    }
    readings
}

/// The only reading; `None` if meanings with different calls match, so that a model decides.
fn agreed(readings: Vec<Reading>) -> Option<Reading> {
    let mut readings = readings.into_iter();
    let first = readings.next()?;
    readings.all(|other| other.calls == first.calls).then_some(first)
}

fn without_names(tokens: Vec<Token>, names: &[&str]) -> Vec<Token> {
    let names: Vec<String> = names.iter().map(|name| languages::folded(name)).collect();
    tokens.into_iter().filter(|token| !names.contains(&token.text)).collect()
}

fn without_greeting<'a>(tokens: &'a [Token], language: &lexicon::Language) -> &'a [Token] {
    let greeting = language.greetings.end_in(tokens).unwrap_or_default();
    &tokens[greeting..]
}

fn without_fillers(tokens: &[Token], language: &lexicon::Language) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match language.ignored.end_in(&tokens[at..]) {
            Some(used) => at += used,
            None => {
                kept.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    kept
}

fn without_openers<'a>(mut tokens: &'a [Token], language: &lexicon::Language) -> &'a [Token] {
    while let Some(used) = language.openers.end_in(tokens) {
        tokens = &tokens[used..];
    }
    tokens
}
