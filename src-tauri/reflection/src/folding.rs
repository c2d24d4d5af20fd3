//! When two facts are one: the same but for case, width, form and blanks.
//!
//! Source: behaviour reference, section 3.5, "Dedupe" and "Node".

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;

/// What a fact looks like to those who compare it: Unicode form NFKC, case folded, every run of white space one blank.
pub fn normalise_fact(text: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    let folded = CaseMapper::new().fold_string(&composed);
    folded.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The four separators of ASCII part words as well, though Unicode does not count them among white space.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// As [`normalise_fact`], with punctuation at the end gone: a model that merges lines is free with full stops.
pub(crate) fn without_ending(text: &str) -> String {
    let mut folded = normalise_fact(text);
    let end = folded.trim_end_matches(['.', ',', ';', ':', '!', '?', ' ']).len();
    folded.truncate(end);
    folded
}

/// The facts of a node: its lines, trimmed, blank ones left out.
pub fn split_data_lines(data: &str) -> Vec<&str> {
    data.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// Is this fact one of the node's lines already?
pub fn node_contains_fact(data: &str, fact: &str) -> bool {
    let fact = normalise_fact(fact);
    split_data_lines(data).into_iter().any(|line| normalise_fact(line) == fact)
}

/// How many tokens a text has, roughly: a quarter of its characters, and one at least where there is any.
pub fn estimate_tokens(text: &str) -> usize {
    match text.chars().count() {
        0 => 0,
        chars => (chars / 4).max(1),
    }
}

/// One line, whatever white space it holds: lines are what tells facts apart.
pub(crate) fn on_one_line(text: &str) -> String {
    split_data_lines(text).join(" ")
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
    fn folds_what_makes_no_difference(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(normalise_fact(text), expected);
    }

    #[rstest]
    #[case::another_case("The user likes tea.\nThe user has a cat.", "the user HAS a cat.", true)]
    #[case::part_of_a_line("The user likes tea and cake.", "The user likes tea", false)]
    #[case::punctuation_counts("The user likes tea.", "The user likes tea", false)]
    #[case::nothing("The user likes tea.", " ", false)]
    fn knows_a_fact_that_is_there(#[case] data: &str, #[case] fact: &str, #[case] expected: bool) {
        assert_eq!(node_contains_fact(data, fact), expected);
    }

    #[rstest]
    #[case::none("", 0)]
    #[case::a_few("tea", 1)]
    #[case::rounded_down("teapots", 1)]
    #[case::characters_not_bytes("чайники!", 2)]
    fn estimates_tokens(#[case] text: &str, #[case] expected: usize) {
        assert_eq!(estimate_tokens(text), expected);
    }

    #[test]
    fn lines_are_trimmed_and_blank_ones_left_out() {
        assert_eq!(split_data_lines(" a \r\n\n\t\nb c"), ["a", "b c"]);
    }
}
