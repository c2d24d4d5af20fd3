//! Texts as they are compared: the same words are the same text.

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;

/// Compatibility forms and case folded, every run of blanks one space.
///
/// Source: behaviour reference, section 3.5 (dedupe).
pub fn fold(text: &str) -> String {
    let normal = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    let folded = CaseMapper::new().fold_string(&normal);
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As [`fold`], with what a sentence ends with gone: a full stop makes no other fact. The index of facts is the same.
pub(crate) fn bare(text: &str) -> String {
    let mut folded = fold(text);
    let end = folded.trim_end_matches(['.', ',', ';', ':', '!', '?', '。', ' ']).len();
    folded.truncate(end);
    folded
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::case("Likes TEA", "likes tea")]
    #[case::sharp_s("Straße", "strasse")]
    #[case::full_width("Ｌｉｋｅｓ　tea", "likes tea")]
    #[case::blanks("  a \t b\n", "a b")]
    fn the_same_words_are_the_same_text(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(fold(text), expected);
    }
}
