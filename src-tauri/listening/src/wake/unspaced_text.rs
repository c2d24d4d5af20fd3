//! Names in text that is written without spaces, such as Chinese and Japanese, or "Jarvis,stop".

use std::cmp::Reverse;

/// The text with spaces around the first of these names that touches letters of such a script, or punctuation, so that the
/// name is a word of its own; `None` if none does. The names are in lower case.
pub(super) fn with_spaces_around_name(text: &str, names: &[String]) -> Option<String> {
    let places = names.iter().filter_map(|name| place_of(name, text));
    let (from, to) = places.min_by_key(|(from, to)| (*from, Reverse(*to)))?;
    let after = &text[to..];
    let ends_marks = |c: char| c.is_alphanumeric() || c.is_whitespace();
    let (marks, after) = after.split_at(after.find(ends_marks).unwrap_or(after.len()));
    Some(format!("{} {}{marks} {after}", &text[..from], &text[from..to]))
}

/// The bytes of the first such place of this name.
fn place_of(name: &str, text: &str) -> Option<(usize, usize)> {
    let is_unspaced_name = name.chars().all(is_unspaced);
    let ends_word = |c: char| is_unspaced_name || is_unspaced(c) || !c.is_alphanumeric();
    let touches = |c: char| is_unspaced(c) || is_separator(c) || is_unspaced_name && c.is_alphanumeric();
    text.char_indices().find_map(|(from, _)| {
        let to = from + matched_bytes(&text[from..], name)?;
        let neighbours = [text[..from].chars().next_back(), text[to..].chars().next()];
        let mut neighbours = neighbours.into_iter().flatten();
        let is_word = neighbours.clone().all(ends_word);
        (is_word && neighbours.any(touches)).then_some((from, to))
    })
}

/// The number of bytes at the beginning of the text that are this lower-case name, in any case.
fn matched_bytes(text: &str, name: &str) -> Option<usize> {
    let mut rest = name;
    for (at, letter) in text.char_indices() {
        if rest.is_empty() {
            return Some(at);
        }
        for lower in letter.to_lowercase() {
            rest = rest.strip_prefix(lower)?;
        }
    }
    rest.is_empty().then_some(text.len())
}

/// Letters of scripts that put no spaces between words. Source: the blocks of Unicode for Thai, Lao, Myanmar, Khmer, Kana
/// and Han.
fn is_unspaced(c: char) -> bool {
    let is_in_block = matches!(
        c,
        '\u{0E00}'..='\u{0EFF}'
            | '\u{1000}'..='\u{109F}'
            | '\u{1780}'..='\u{17FF}'
            | '\u{3040}'..='\u{30FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{FF66}'..='\u{FF9F}'
            | '\u{20000}'..='\u{323AF}'
    );
    is_in_block && c.is_alphanumeric()
}

/// Punctuation between words, also as wide as a letter. Not those within words, as in "Jarvis's" and "jarvis.local".
fn is_separator(c: char) -> bool {
    matches!(c, ',' | '!' | '?' | ';' | '…' | '—')
        || matches!(c, '\u{3001}'..='\u{303F}' | '\u{30FB}' | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF5E}'..='\u{FF65}')
}
