//! The names that can be looked for in sound.

/// Returns `true` if a first stage in sound can look for this name: it is written in the letters of English. The phonemes
/// of other letters come out wrong, and a wrong pronunciation would lose every call. Source: "ярвис" and "贾维斯" became the same
/// sounds, "ñandú" a row of gaps.
pub fn is_pronounceable(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | '\'' | '’' | '-' | '.');
    name.chars().all(is_part) && name.chars().any(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one_word("jarvis", true)]
    #[case::two_words("hey jarvis", true)]
    #[case::apostrophe("o'brien", true)]
    #[case::cyrillic("джарвис", false)]
    #[case::chinese("贾维斯", false)]
    #[case::accent("ñandú", false)]
    #[case::digits("hal 9000", false)]
    #[case::nothing(" ", false)]
    fn names_in_english_letters_can_be_looked_for(#[case] name: &str, #[case] expected: bool) {
        assert_eq!(is_pronounceable(name), expected);
    }
}
