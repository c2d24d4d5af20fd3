//! The mode `strict`.
//!
//! Source: docs/behaviour/bridge.md#words-that-hint-a-tool.

use languages::{ToolWords, WordList};

use super::table::{keywords, tool_words};

/// A word of the prompt.
struct Word {
    text: String,
    /// It stands behind a negation in its clause.
    is_negated: bool,
}

/// The tool with the longest keyword whose words are all in one sentence of the prompt; `None` if two tools are as good.
pub(super) fn detect<'t>(prompt: &str, tools: &'t [String]) -> Option<&'t str> {
    let prompt = prompt.to_lowercase().replace('’', "'");
    let sentences: Vec<Vec<Word>> = sentences(&prompt).into_iter().map(|clauses| marked(&clauses)).collect();
    let mut best: Option<(usize, &str)> = None;
    let mut is_tie = false;
    for tool in tools {
        let matching = keywords(tool).into_iter().filter(|keyword| is_in_a_sentence(keyword, &sentences));
        let Some(length) = matching.map(|keyword| keyword.chars().count()).max() else { continue };
        match best {
            Some((longest, other)) if length == longest => is_tie |= other != tool,
            Some((longest, _)) if length < longest => {}
            _ => (best, is_tie) = (Some((length, tool.as_str())), false),
        }
    }
    best.filter(|_| !is_tie).map(|(_, tool)| tool)
}

/// The words of each clause of each sentence. A full stop inside a word, as in `notes.txt`, ends nothing.
fn sentences(prompt: &str) -> Vec<Vec<Vec<String>>> {
    let mut sentences = vec![vec![String::new()]];
    let mut chars = prompt.chars().peekable();
    while let Some(char) = chars.next() {
        let is_before_blank = chars.peek().is_none_or(|next| next.is_whitespace());
        match char {
            '!' | '?' | ';' | '\n' => sentences.push(vec![String::new()]),
            '.' if is_before_blank => sentences.push(vec![String::new()]),
            ',' | ':' | '(' | ')' | '–' | '—' => {
                if let Some(clauses) = sentences.last_mut() {
                    clauses.push(String::new());
                }
            }
            char => {
                if let Some(clause) = sentences.last_mut().and_then(|clauses| clauses.last_mut()) {
                    clause.push(char);
                }
            }
        }
    }
    sentences.iter().map(|clauses| clauses.iter().map(|clause| words(clause)).collect()).collect()
}

/// The words of a text. Apostrophes are parts of words; `_` and `-` separate them.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.map(|word| word.trim_matches('\'')).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The words of a sentence, each marked if it is not wanted.
fn marked(clauses: &[Vec<String>]) -> Vec<Word> {
    let mut marked = Vec::new();
    for clause in clauses {
        let mut is_negated = false;
        let mut at = 0;
        while let Some(word) = clause.get(at) {
            let rest = &clause[at..];
            let step = if let Some(length) = beginning(rest, |words| words.no_negations) {
                length
            } else if let Some(length) = beginning(rest, |words| words.negations) {
                is_negated = true;
                length
            } else {
                is_negated &= beginning(rest, |words| words.clause_openers).is_none();
                marked.push(Word { text: word.clone(), is_negated });
                1
            };
            at += step;
        }
    }
    marked
}

/// The number of words of the longest phrase that the words begin with.
fn beginning(rest: &[String], list: fn(&ToolWords) -> WordList) -> Option<usize> {
    let phrases = tool_words().flat_map(|words| list(words).iter().collect::<Vec<_>>());
    let lengths = phrases.filter_map(|phrase| {
        let mut length = 0;
        let begins = phrase.split(' ').all(|word| {
            length += 1;
            rest.get(length - 1).is_some_and(|other| other == word)
        });
        begins.then_some(length)
    });
    lengths.max()
}

fn is_in_a_sentence(keyword: &str, sentences: &[Vec<Word>]) -> bool {
    let parts = words(keyword);
    let has = |sentence: &[Word], part: &str| {
        sentence.iter().any(|word| !word.is_negated && is_same_word(&word.text, part))
    };
    !parts.is_empty() && sentences.iter().any(|sentence| parts.iter().all(|part| has(sentence, part)))
}

/// Returns `true` if the words are equal, or one is the other with an ending of the plural.
fn is_same_word(one: &str, other: &str) -> bool {
    let has_ending = |longer: &str, shorter: &str| {
        let ending = longer.strip_prefix(shorter);
        ending.is_some_and(|ending| tool_words().any(|words| words.endings.contains(ending)))
    };
    one == other || has_ending(one, other) || has_ending(other, one)
}
