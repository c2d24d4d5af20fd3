//! Normalising texts for comparison.

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;

/// Folds compatibility forms and case, and replaces white space by single spaces.
///
/// Source: docs/behaviour/memory.md#learning-facts, step 3.
pub fn normalise(text: &str) -> String {
    let normal = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    let folded = CaseMapper::new().fold_string(&normal);
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Like [`normalise`], without punctuation at the end, which does not make another fact. The index of facts strips the same characters.
pub(crate) fn normalise_sentence(text: &str) -> String {
    let mut folded = normalise(text);
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
    fn equal_words_have_equal_normalised_text(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(normalise(text), expected);
    }
}
