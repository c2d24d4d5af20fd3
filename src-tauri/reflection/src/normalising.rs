//! Normalises facts, so that facts which differ only in case, width, Unicode form or blanks are equal.
//!
//! Source: docs/behaviour/memory.md#learning-facts.

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;

/// A fact in the form used for comparisons: Unicode NFKC, case folded, every run of white space as one blank.
pub fn normalise_fact(text: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    let folded = CaseMapper::new().fold_string(&composed);
    folded.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// White space, or one of the four ASCII separators, which Unicode does not count as white space.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// As [`normalise_fact`], without punctuation at the end: models add and drop full stops when they merge facts.
pub(crate) fn normalise_without_punctuation(text: &str) -> String {
    let mut folded = normalise_fact(text);
    let end = folded.trim_end_matches(['.', ',', ';', ':', '!', '?', ' ']).len();
    folded.truncate(end);
    folded
}

/// The facts of a node: its lines, trimmed, without blank lines.
pub fn split_data_lines(data: &str) -> Vec<&str> {
    data.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// The text on one line, because a line break separates facts.
pub(crate) fn on_one_line(text: &str) -> String {
    split_data_lines(text).join(" ")
}

/// Returns `true` if the script of this character is written without blanks, one character for a syllable or a word.
pub(crate) fn is_dense_script(c: char) -> bool {
    c >= '\u{2e80}'
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::case_and_blanks("  The User\tlikes \n tea ", "the user likes tea")]
    #[case::full_folding("Straße", "strasse")]
    #[case::greek_final_sigma("ΟΔΟΣ", "οδοσ")]
    #[case::full_width("Ｔｅａ　１", "tea 1")]
    #[case::ligature("ﬁne", "fine")]
    #[case::composed("Zoe\u{308}", "zoë")]
    #[case::separators("a\u{1f}b", "a b")]
    #[case::empty("  ", "")]
    fn equal_facts_have_one_normal_form(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(normalise_fact(text), expected);
    }

    #[test]
    fn lines_are_trimmed_and_blank_lines_are_dropped() {
        assert_eq!(split_data_lines(" a \r\n\n\t\nb c"), ["a", "b c"]);
    }
}
