//! Cutting texts to a length.

/// The text, cut to `most` characters with an ellipsis as the last of them.
pub(crate) fn cut(text: &str, most: usize) -> String {
    memory::join_truncated([text], most)
}
