//! Reading a text word by word, forwards and backwards.

/// Longest word that is read, in bytes. It bounds the time for each label. Keys are shorter: those of Google Cloud,
/// the longest ones in use, have their own patterns.
pub(super) const MAX_WORD_BYTES: usize = 512;

/// A word with the signs around it. White space ends it.
#[derive(Clone, Copy)]
pub(super) struct Word<'t> {
    /// Position in the text, in bytes.
    pub(super) start: usize,
    /// Position of the white space after it, or of the end of the text.
    pub(super) end: usize,
    text: &'t str,
}

impl<'t> Word<'t> {
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The word without quotation marks, brackets and punctuation around it.
    pub(super) fn core(&self) -> &'t str {
        self.text.trim_start_matches(OPENING).trim_end_matches(CLOSING)
    }

    pub(super) fn core_start(&self) -> usize {
        self.start + self.text.len() - self.text.trim_start_matches(OPENING).len()
    }

    pub(super) fn core_end(&self) -> usize {
        self.core_start() + self.core().len()
    }

    pub(super) fn lower(&self) -> String {
        self.core().to_lowercase()
    }

    /// Returns `true` if a sentence ends with the word.
    pub(super) fn ends_sentence(&self) -> bool {
        self.signs_after().contains(['.', '!', '?', ';']) && !self.text.ends_with("...")
    }

    /// Returns `true` if a part of a sentence ends with the word.
    pub(super) fn ends_clause(&self) -> bool {
        self.signs_after().contains(['.', '!', '?', ';', ',', ':', '…', '=', ')'])
    }

    fn signs_after(&self) -> &'t str {
        let start = self.core_end() - self.start;
        &self.text[start.min(self.text.len())..]
    }
}

/// Signs before a word that are no part of it.
const OPENING: &[char] = &[
    '"', '\'', '(', '[', '{', '„', '“', '”', '‚', '‘', '’', '«', '»', '‹', '›', '¿', '¡', '*', '`', '…', '–',
    '—',
];

/// Signs after a word that are no part of it.
const CLOSING: &[char] = &[
    '"', '\'', ')', ']', '}', '„', '“', '”', '‚', '‘', '’', '«', '»', '‹', '›', '*', '`', '…', '–', '—', '.',
    ',', ';', ':', '?', '!', '=', '#',
];

/// The first word at `from` or later. `None` at the end of the text, and for a word of more than [`MAX_WORD_BYTES`].
pub(super) fn next_word(text: &str, from: usize) -> Option<Word<'_>> {
    let rest = &text[from..];
    let start = from + rest.find(|c: char| !c.is_whitespace())?;
    let rest = &text[start..];
    let window = &rest[..rest.floor_char_boundary(MAX_WORD_BYTES)];
    let length = match window.find(char::is_whitespace) {
        Some(length) => length,
        None if window.len() == rest.len() => rest.len(),
        None => return None,
    };
    Some(Word { start, end: start + length, text: &rest[..length] })
}

/// Up to `count` words before `until`, the nearest first, as far as they fit into [`MAX_WORD_BYTES`].
pub(super) fn previous_words(text: &str, until: usize, count: usize) -> Vec<Word<'_>> {
    let window_start = text.ceil_char_boundary(until.saturating_sub(MAX_WORD_BYTES));
    let mut words = Vec::with_capacity(count);
    let mut end = until;
    while words.len() < count {
        let before = &text[window_start..end];
        let trimmed = before.trim_end();
        if trimmed.is_empty() || (words.is_empty() && trimmed.len() == before.len()) {
            break;
        }
        end = window_start + trimmed.len();
        let start = trimmed.rfind(char::is_whitespace).map_or(window_start, |blank| {
            window_start + blank + trimmed[blank..].chars().next().map_or(0, char::len_utf8)
        });
        words.push(Word { start, end, text: &text[start..end] });
        end = start;
    }
    words
}
