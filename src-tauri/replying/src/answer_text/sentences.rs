//! The ends of sentences in a text.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes of a text that tell its language.
const ENOUGH_TO_TELL: usize = 1_000;

/// The sentences of a complete text, for speech.
pub fn sentences(text: &str) -> Vec<String> {
    let mut begin = 0;
    let mut sentences = Vec::new();
    while let Some(end) = sentence_end(text, begin, Ends::Anyhow) {
        let sentence = text[begin..end].trim();
        if sentence.chars().any(char::is_alphanumeric) {
            sentences.push(sentence.to_owned());
        }
        begin = end;
    }
    sentences
}

/// The place where a sentence may end.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Ends {
    /// Only before white space: more text is expected.
    WithWhatFollows,
    /// At the end of the text too: no more text is expected.
    Anyhow,
}

/// The end of the sentence of `text` that begins at `begin`, as a byte offset.
pub(crate) fn sentence_end(text: &str, begin: usize, ends: Ends) -> Option<usize> {
    let mut chars = text[begin..].char_indices().map(|(at, c)| (begin + at, c)).peekable();
    let mut has_words = false;
    while let Some((at, c)) = chars.next() {
        has_words |= c.is_alphanumeric();
        let after = at + c.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        let is_end = match c {
            '\n' => has_words,
            // Full-width signs: no space follows.
            '。' | '！' | '？' => true,
            sign if languages::is_sentence_end(sign) => match next {
                Some(next) if is_closing(next) || matches!(next, '.' | '!' | '?') => false,
                Some(next) => next.is_whitespace() && !(c == '.' && is_abbreviated(text, begin..after, ends)),
                None => ends == Ends::Anyhow,
            },
            closing if is_closing(closing) => {
                let ended_inside = text[begin..at].ends_with(['.', '!', '?', '…']);
                ended_inside && next.map_or(ends == Ends::Anyhow, char::is_whitespace)
            }
            _ => false,
        };
        if is_end && has_words {
            return Some(after);
        }
    }
    (ends == Ends::Anyhow && begin < text.len()).then_some(text.len())
}

fn is_closing(c: char) -> bool {
    matches!(c, '"' | '”' | '\'' | '’' | ')' | ']' | '*' | '_')
}

/// Returns `true` if the full stop at the end of this range belongs to an abbreviation, an initial, a list number or
/// an ordinal.
fn is_abbreviated(text: &str, range: Range<usize>, ends: Ends) -> bool {
    let (before, behind) = (&text[range.start..range.end], &text[range.end..]);
    let line = before.rsplit('\n').next().unwrap_or(before);
    let last = line.split_whitespace().next_back().unwrap_or_default();
    let is_initial = last.chars().count() == 2 && last.starts_with(char::is_uppercase) && last != "I.";
    let is_number = last[..last.len() - 1].bytes().all(|b| b.is_ascii_digit());
    let is_list_number = is_number && line.trim() == last;
    let is_ordinal = || is_number && last.len() <= "31.".len() && writes_ordinals_so(text);
    let lower = last.trim_start_matches(['(', '"', '“', '*']).to_lowercase();
    let precedes_number = || match behind.trim_start().chars().next() {
        Some(next) => next.is_numeric(),
        None => ends == Ends::WithWhatFollows,
    };
    is_initial
        || is_list_number
        || ABBREVIATIONS.contains(lower.as_str())
        || (ABBREVIATIONS_BEFORE_NUMBERS.contains(lower.as_str()) && precedes_number())
        || is_ordinal()
}

/// Returns `true` if the text is in a language that writes "3. Mai" and not "3rd of May".
fn writes_ordinals_so(text: &str) -> bool {
    let beginning = &text[..text.floor_char_boundary(ENOUGH_TO_TELL.min(text.len()))];
    let detected = languages::detect(beginning).and_then(|detection| languages::of(&detection.language));
    detected.is_some_and(|data| data.has_ordinals_with_full_stop)
}

/// Abbreviations of all languages: the language of an answer is not known at its first words.
static ABBREVIATIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| languages::all().iter().flat_map(|data| data.abbreviations.iter()).collect());

/// Abbreviations that end a sentence if no number follows: "No."
static ABBREVIATIONS_BEFORE_NUMBERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    languages::all().iter().flat_map(|data| data.abbreviations_before_numbers.iter()).collect()
});
