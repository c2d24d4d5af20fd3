//! A text of a server on one line, for the user.

use crate::approval::without_hidden_signs;

/// The longest text of a server in a question or a line of progress, in characters.
const TEXT_CHARS: usize = 300;

/// The text on one line, without what hides or turns it, and not longer than a person reads.
pub(super) fn plain_line(text: &str) -> String {
    let clean = without_hidden_signs(&text.replace('\n', " "));
    clean.trim().chars().take(TEXT_CHARS).collect()
}
