//! From a text to calls.

use vocabulary::Language;

use super::calls::{FastCall, calls};
use super::grammar::{GRAMMARS, Grammar};
use super::lexicon;
use super::tokens::{Token, tokens};

/// Longer texts are no closed requests, in characters and in tokens.
const MAX_CHARS: usize = 160;
const MAX_TOKENS: usize = 28;

/// The calls that answer a closed request; `None` when anything about it is unsure.
///
/// `names` are what the assistant is called. A language without a table is never recognised; an unknown one is told from
/// the text, or all are tried.
pub fn recognise(text: &str, language: Option<&Language>, names: &[&str]) -> Option<Vec<FastCall>> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let tokens = tokens(text);
    if tokens.is_empty() || tokens.len() > MAX_TOKENS {
        return None;
    }
    let tokens = without_names(tokens, names);
    match language {
        Some(language) => {
            in_language(&tokens, GRAMMARS.iter().find(|it| it.language.table.code == language.code())?)
        }
        None => GRAMMARS.iter().find_map(|grammar| in_language(&tokens, grammar)),
    }
}

fn in_language(tokens: &[Token], grammar: &Grammar) -> Option<Vec<FastCall>> {
    let language = &grammar.language;
    let spoken = without_greeting(tokens, language);
    if language.dismissals.are(spoken) {
        return Some(vec![FastCall::new("stop", serde_json::json!({}))]);
    }
    // As it was said first: words that say nothing elsewhere may belong to a pattern.
    let request = without_fillers(spoken, language);
    let opened = without_openers(&request, language);
    [spoken, &request, opened].into_iter().find_map(|tokens| {
        grammar.matches(tokens).find_map(|(meaning, values)| calls(meaning, &values, language))
    })
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
