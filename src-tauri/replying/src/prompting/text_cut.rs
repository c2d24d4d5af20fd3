//! Cutting texts to a length.

/// No language needs more bytes for a token. A text that is longer than its tokens allow comes from a provider that ignores
/// the limit; it is cut.
const MAX_BYTES_PER_TOKEN: usize = 16;

/// The text, cut to `most` characters with an ellipsis as the last of them.
pub(crate) fn cut(text: &str, most: usize) -> String {
    memory::join_truncated([text], most)
}

/// The most bytes of a text of this many tokens.
pub(crate) fn bytes_of(tokens: u32) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(MAX_BYTES_PER_TOKEN)
}

/// Adds to a text that may have `most` bytes. Returns the part that found room.
pub(crate) fn push_within<'a>(text: &mut String, more: &'a str, most: usize) -> &'a str {
    let room = most.saturating_sub(text.len());
    let added = &more[..more.floor_char_boundary(room.min(more.len()))];
    text.push_str(added);
    added
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_grows_up_to_its_limit_in_whole_characters() {
        let mut text = "ab".to_owned();

        let added =
            [push_within(&mut text, "c", 5), push_within(&mut text, "éé", 5), push_within(&mut text, "f", 4)];

        assert_eq!((text.as_str(), added), ("abcé", ["c", "é", ""]));
    }
}
