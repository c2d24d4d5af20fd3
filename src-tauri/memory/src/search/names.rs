//! The names in a text, found without a dictionary: capitalised words inside a sentence.
//!
//! German nouns are found as well; whoever searches for names leaves out the frequent ones. Scripts without capitals have
//! no names here.

use crate::search::words;

/// Length of the shortest name, in characters: shorter capitals are mostly "I", initials and abbreviations.
const SHORTEST: usize = 3;

/// The distinct names in a text, as terms of the word search, in order.
pub(crate) fn names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut begins_sentence = true;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|char: char| !char.is_alphanumeric());
        let is_capitalised = bare.chars().next().is_some_and(char::is_uppercase);
        // "Anna's" and "Jean-Luc" begin with the name.
        let name = bare.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
        let is_quoted = word.starts_with(['"', '“', '„', '«', '‘']);
        if is_capitalised && !begins_sentence && !is_quoted && name.chars().count() >= SHORTEST {
            for term in words::terms(name) {
                if !names.contains(&term) {
                    names.push(term);
                }
            }
        }
        if !bare.is_empty() {
            begins_sentence = ends_sentence(word);
        }
    }
    names
}

/// Returns `true` if the next word begins a sentence or a quotation, where every word is capitalised.
fn ends_sentence(word: &str) -> bool {
    word.trim_end_matches(['"', '\'', ')', '”', '’', '»']).ends_with(['.', '!', '?', ':', '…'])
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::inside_a_sentence("the lassie from the reserve, Saskia, Dutch", &["saskia", "dutch"])]
    #[case::first_word_may_be_any_word("Nobody came. Somebody rang! He saw Ann.", &["ann"])]
    #[case::possessive_and_hyphen("that is Anna's, not Jean-Luc's", &["anna", "jean"])]
    #[case::only_once("we met Uwe, and Uwe left", &["uwe"])]
    #[case::accents("she rang Torbjørn and Zoë", &["torbjørn", "zoe"])]
    #[case::short_capitals("and I am on TV", &[])]
    #[case::after_a_quotation("he said \"Stop.\" Then he left", &[])]
    #[case::no_capitals("私は花子に会った", &[])]
    fn capitalised_words_inside_a_sentence_are_names(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(names(text), expected);
    }
}
