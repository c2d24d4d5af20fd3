//! The numbers and codes in a text that name one thing among many: "7731", "AB-12".

use languages::folded;

/// The signs that may stand inside a number or a code.
const JOINTS: [char; 2] = ['-', '_'];

/// A word with a digit in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Figure<'t> {
    /// As it was written, without the signs at its ends.
    pub text: &'t str,
    /// The word before it, folded; empty for the first word.
    pub before: String,
}

impl Figure<'_> {
    /// `true` for a number or a code; `false` for a time, a decimal number, an amount with its unit and a place in a row: "8:30",
    /// "2.5", "5pm", "1st".
    pub fn is_identifier(&self) -> bool {
        let mut chars = self.text.chars();
        let is_joined = self.text.chars().all(|c| c.is_alphanumeric() || JOINTS.contains(&c));
        let begins_with_letter = chars.next().is_some_and(char::is_alphabetic);
        is_joined && (self.is_number() || begins_with_letter || chars.any(char::is_uppercase))
    }

    /// `true` if it has nothing but digits.
    pub fn is_number(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// The words of a text that have a digit.
pub(crate) fn figures(text: &str) -> Vec<Figure<'_>> {
    let mut before = "";
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.split(['\'', '’']).next().unwrap_or_default();
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            found.push(Figure { text: word, before: folded(before) });
        }
        before = word;
    }
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::number("Where is parcel 7731?", &["7731"])]
    #[case::code("has order #AB-12 left", &["AB-12"])]
    #[case::code_in_capitals("what is error 5XX", &["5XX"])]
    #[case::of_owner("what is 7731's state", &["7731"])]
    #[case::two("trams 4 and 7", &["4", "7"])]
    #[case::time("a train at 8:30", &[])]
    #[case::with_unit("at 5pm for 10km", &[])]
    #[case::place_in_a_row("the 1st of them", &[])]
    #[case::decimal("2.5 litres", &[])]
    #[case::range("12-14", &[])]
    #[case::words("where is my parcel", &[])]
    fn identifiers_are_told_from_amounts(#[case] text: &str, #[case] expected: &[&str]) {
        let figures = figures(text);

        let found: Vec<&str> = figures.iter().filter(|it| it.is_identifier()).map(|it| it.text).collect();
        assert_eq!(found, expected);
    }
}
