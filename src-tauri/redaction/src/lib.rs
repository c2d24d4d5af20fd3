//! Removes secrets from text before it is stored, logged or sent to a model.
//!
//! Two passes, in this order:
//!
//! 1. `patterns` replaces secrets that are recognised by their shape: keys of vendors, card numbers, mail addresses,
//!    `password=…`. Source of these rules and their order: docs/behaviour/replying.md#redaction. The first rule that matches
//!    decides the mark, so the order of the rules is part of the behaviour.
//! 2. `spoken` replaces secrets that are recognised by the word which announces them, in several languages: "my password
//!    is …", "der Code lautet …". The rule is written down there.
//!
//! Texts are redacted again on their way to the diary: marks of an earlier run stay as they are.

mod patterns;
mod spoken;
mod closing_signs;

/// Length limit of a redacted text, in characters.
pub const MAX_CHARS: usize = 8_000;

/// Removes secrets, replaces every run of white space by one blank, and truncates to `max_chars` characters.
pub fn redact(text: &str, max_chars: usize) -> String {
    let scrubbed = scrub(text);
    let mut collapsed = String::with_capacity(scrubbed.len());
    for word in scrubbed.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    if let Some((end, _)) = collapsed.char_indices().nth(max_chars) {
        collapsed.truncate(end);
    }
    collapsed
}

/// Removes secrets. All other text stays, including line breaks.
pub fn scrub(text: &str) -> String {
    spoken::scrub(patterns::scrub(text))
}

#[cfg(test)]
mod tests;
