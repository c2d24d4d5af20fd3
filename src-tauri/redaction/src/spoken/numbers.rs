//! Numbers in digits and in words.

use super::language_tables::{
    SENTENCE_CONJUNCTIONS, TEENS_AND_TENS, TENS_IN_NUMBERS, UNIT_DIGITS, languages,
};

/// Number of digits of a word of digits only, or of groups: "482-913", "482.913". `None` for other words.
pub(super) fn grouped_digits(word: &str) -> Option<usize> {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_hyphenated = word.split('-').all(is_digits);
    // Full stops and commas between groups of three: a speech recogniser writes long codes so. Others are decimals.
    let has_thousands = |sign: char| {
        let mut groups = word.split(sign);
        let is_first = groups.next().is_some_and(|first| is_digits(first) && first.len() == 3);
        is_first && groups.all(|group| is_digits(group) && group.len() == 3)
    };
    (is_hyphenated || has_thousands('.') || has_thousands(',')).then_some(digits)
}

/// Returns `true` if the word is a date such as 2024-10-12.
pub(super) fn is_date(word: &str) -> bool {
    word.split('-').map(str::len).eq([4, 2, 2])
}

/// Number of digits that a number in words stands for: one for "seven", two for "forty" and "vierundvierzig".
pub(super) fn digits_of_number_word(word: &str) -> Option<usize> {
    if UNIT_DIGITS.contains(word) {
        return Some(1);
    }
    if TEENS_AND_TENS.contains(word) || is_compound(word) {
        return Some(2);
    }
    // "thirty-four", "quatre-vingt-dix", "vingt-et-un", "one-two-three".
    let parts: Vec<&str> = word.split('-').filter(|part| !SENTENCE_CONJUNCTIONS.contains(part)).collect();
    let digits: Option<Vec<usize>> = parts.iter().map(|part| digits_of_number_word_part(part)).collect();
    let digits = digits.filter(|digits| digits.len() > 1)?;
    Some(if digits.contains(&2) { 2 } else { digits.len() })
}

fn digits_of_number_word_part(part: &str) -> Option<usize> {
    if UNIT_DIGITS.contains(part) {
        Some(1)
    } else {
        (TEENS_AND_TENS.contains(part) || TENS_IN_NUMBERS.contains(part)).then_some(2)
    }
}

/// Numbers that are one word: "vierundvierzig", "trentaquattro".
fn is_compound(word: &str) -> bool {
    languages().any(|(data, _)| data.is_joined_number(word))
}

fn is_digits(group: &str) -> bool {
    !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::digit("sept", Some(1))]
    #[case::tens("zwanzig", Some(2))]
    #[case::german_compound("vierunddreißig", Some(2))]
    #[case::italian_compound("trentaquattro", Some(2))]
    #[case::hyphenated_number("quatre-vingt-dix", Some(2))]
    #[case::french_one("vingt-et-un", Some(2))]
    #[case::hyphenated_digits("one-two-three", Some(3))]
    #[case::other_word("hund", None)]
    fn number_words_stand_for_digits(#[case] word: &str, #[case] expected: Option<usize>) {
        assert_eq!(digits_of_number_word(word), expected);
    }

    #[rstest]
    #[case::one_group("4829", Some(4))]
    #[case::hyphen("482-913", Some(6))]
    #[case::groups_of_three("482.913", Some(6))]
    #[case::decimal("3.14", None)]
    #[case::time("10:30", None)]
    #[case::nothing("", None)]
    fn digits_of_groups_are_counted(#[case] word: &str, #[case] expected: Option<usize>) {
        assert_eq!(grouped_digits(word), expected);
    }
}
