//! From a text to calls.

use languages::{LanguageData, RequestMeaning, RequestTable};
use vocabulary::Language;

use super::calls::{FastCall, calls, undo};
use super::grammar::{Grammar, grammar_of};
use super::lexicon;
use super::tokens::{Token, tokens};
use super::undoing::asks_to_undo;

/// Longer texts are no closed requests, in characters and in tokens.
const MAX_CHARS: usize = 160;
const MAX_TOKENS: usize = 28;

/// The calls that answer a closed request; `None` when anything about it is unsure.
///
/// `names` are what the assistant is called. In a language without a table only undoing is recognised; an unknown one is told from
/// the text, or those are tried that have a word of it.
pub fn recognise(text: &str, language: Option<&Language>, names: &[&str]) -> Option<Vec<FastCall>> {
    recognise_in(text, language, names).map(|(calls, _)| calls)
}

/// As [`recognise`], with the language of the request where it is another one than it was taken for.
pub fn recognise_in(
    text: &str,
    language: Option<&Language>,
    names: &[&str],
) -> Option<(Vec<FastCall>, Option<Language>)> {
    let tokens = short_request(text, names)?;
    let detected = || languages::detect(text).map(|detection| detection.language);
    let by_patterns = match language.cloned().or_else(detected) {
        Some(language) => {
            let data = languages::of(&language);
            let own = data.and_then(|data| in_language(&tokens, data)).map(|calls| (calls, None));
            own.or_else(|| elsewhere(&tokens, data))
        }
        None => languages::all()
            .iter()
            .filter(|data| may_be_in(&tokens, data))
            .find_map(|data| in_language(&tokens, data))
            .map(|calls| (calls, None)),
    };
    by_patterns.or_else(|| asks_to_undo(&tokens).then(|| (vec![undo()], None)))
}

/// The calls of a request in another language than it was taken for, such as that of the sentence before. It has most of
/// its words in the patterns of the other language, more than in those of this one, and no other language reads it
/// otherwise. Its language is told only if a single one reads it.
fn elsewhere(
    tokens: &[Token],
    taken_for: Option<&'static LanguageData>,
) -> Option<(Vec<FastCall>, Option<Language>)> {
    let words = tokens.iter().filter(|token| token.text.starts_with(char::is_alphabetic)).count();
    let known = |data: &LanguageData| {
        let table = data.requests.as_ref()?;
        Some(tokens.iter().filter(|token| is_in_vocabulary(token, table)).count())
    };
    let least = taken_for.and_then(known).map_or(FEWEST_WORDS, |own| (own + 1).max(FEWEST_WORDS));
    let others = languages::all().iter().filter(|data| taken_for.is_none_or(|own| own.code != data.code));
    let likely = others.filter(|data| known(data).is_some_and(|known| known >= least && 2 * known >= words));
    let mut found = likely.filter_map(|data| Some((requested(tokens, grammar_of(data)?)?, data)));
    let (first, data) = found.next()?;
    let mut language = Language::new(data.code);
    for (other, _) in found {
        if other != first {
            return None;
        }
        language = None;
    }
    Some((first, language))
}

/// Fewer words are no sure sign of another language.
const FEWEST_WORDS: usize = 2;

fn is_in_vocabulary(token: &Token, table: &RequestTable) -> bool {
    table.vocabulary.contains(&format!(" {} ", token.text))
}

/// The tokens of a text that may be a closed request, without the names of the assistant.
fn short_request(text: &str, names: &[&str]) -> Option<Vec<Token>> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let tokens = tokens(text);
    let is_short = !tokens.is_empty() && tokens.len() <= MAX_TOKENS;
    is_short.then(|| without_names(tokens, names))
}

/// The forms of a text in which a request is looked for, the fullest first: as it was said, without words that say nothing,
/// and without its beginning.
pub(super) fn forms(text: &str, names: &[&str], grammar: &Grammar) -> Option<[Vec<Token>; 3]> {
    let tokens = short_request(text, names)?;
    let spoken = without_greetings(&tokens, &grammar.language);
    let request = without_fillers(spoken, &grammar.language);
    let opened = without_openers(&request, &grammar.language).to_vec();
    Some([spoken.to_vec(), request, opened])
}

/// Returns `true` if a word of the text is one of the language's patterns. Digits alone are read in the first language.
fn may_be_in(tokens: &[Token], data: &LanguageData) -> bool {
    let Some(table) = &data.requests else { return false };
    let is_word = |token: &&Token| token.text.starts_with(char::is_alphabetic);
    let mut words = tokens.iter().filter(is_word).peekable();
    let is_first = languages::all().first().is_some_and(|first| first.code == data.code);
    (words.peek().is_none() && is_first) || words.any(|word| is_in_vocabulary(word, table))
}

fn in_language(tokens: &[Token], data: &'static LanguageData) -> Option<Vec<FastCall>> {
    let grammar = grammar_of(data)?;
    if grammar.language.dismissals.are(without_greetings(tokens, &grammar.language)) {
        return Some(vec![FastCall::new("stop", serde_json::json!({}))]);
    }
    requested(tokens, grammar)
}

/// The calls of a request that wants something done or told.
fn requested(tokens: &[Token], grammar: &Grammar) -> Option<Vec<FastCall>> {
    let language = &grammar.language;
    let spoken = without_thanks(without_greetings(tokens, language), language);
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
pub(super) struct RequestReading {
    pub meaning: RequestMeaning,
    /// Measure of how little its pattern says itself.
    looseness: (usize, usize),
    pub calls: Vec<FastCall>,
}

/// Every meaning of the tokens with the calls that answer it. Of the patterns of one meaning those count which leave the
/// fewest words to slots.
pub(super) fn readings(tokens: &[Token], grammar: &Grammar) -> Vec<RequestReading> {
    let mut readings: Vec<RequestReading> = Vec::new();
    let asks = tokens.iter().any(|token| grammar.language.is_question_word(token));
    for (meaning, values) in grammar.matches(tokens) {
        // "Remind me what we said at five": the words are no task.
        if asks && matches!(meaning, RequestMeaning::Remind | RequestMeaning::AddTodo) {
            continue;
        }
        let looseness = values.looseness;
        let Some(calls) = calls(meaning, &values, &grammar.language) else { continue };
        let is_closer = |known: &RequestReading| known.meaning == meaning && known.looseness < looseness;
        if !readings.iter().any(is_closer) {
            readings.retain(|known| known.meaning != meaning || known.looseness == looseness);
            readings.push(RequestReading { meaning, looseness, calls });
        }
    }
    readings
}

/// The only reading; `None` if meanings with different calls match, so that a model decides. A reading that lacks nothing comes
/// before one that has to ask.
fn agreed(mut readings: Vec<RequestReading>) -> Option<RequestReading> {
    let lacks_nothing = |reading: &RequestReading| reading.calls.iter().all(|call| call.missing.is_none());
    if readings.iter().any(lacks_nothing) {
        readings.retain(lacks_nothing);
    }
    let mut readings = readings.into_iter();
    let first = readings.next()?;
    readings.all(|other| other.calls == first.calls).then_some(first)
}

fn without_names(tokens: Vec<Token>, names: &[&str]) -> Vec<Token> {
    let names: Vec<String> = names.iter().map(|name| languages::folded(name)).collect();
    tokens.into_iter().filter(|token| !names.contains(&token.text)).collect()
}

/// Without "hey", and without "OK Google" before it.
fn without_greetings<'a>(mut tokens: &'a [Token], language: &lexicon::RequestLanguage) -> &'a [Token] {
    while let Some(greeting) = language.greetings.end_in(tokens) {
        tokens = &tokens[greeting..];
    }
    tokens
}

/// Without "please" and "will you?" at the end: in "a timer of an hour per favore" it is no name.
fn without_thanks<'a>(mut tokens: &'a [Token], language: &lexicon::RequestLanguage) -> &'a [Token] {
    let says_nothing = |end: &[Token]| language.polite.are(end) || language.tag_questions.are(end);
    while let Some(end) = (1..tokens.len()).find(|at| says_nothing(&tokens[*at..])) {
        tokens = &tokens[..end];
    }
    tokens
}

fn without_fillers(tokens: &[Token], language: &lexicon::RequestLanguage) -> Vec<Token> {
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

fn without_openers<'a>(mut tokens: &'a [Token], language: &lexicon::RequestLanguage) -> &'a [Token] {
    while let Some(used) = language.openers.end_in(tokens) {
        tokens = &tokens[used..];
    }
    tokens
}
