//! Routines that are started by a phrase, so that no server is needed for them.

use std::collections::BTreeSet;

use languages::LanguageData;

use crate::spoken::{Phrases, words};

/// A routine and the phrases that start it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routine {
    /// Names it to whoever runs it.
    pub name: String,
    /// Each of them starts it.
    pub trigger_phrases: Vec<String>,
}

/// The first routine that an utterance starts.
pub fn matching_routine<'r>(
    text: &str,
    routines: &'r [Routine],
    language: &LanguageData,
) -> Option<&'r Routine> {
    let said = words(text);
    if said.is_empty() || is_refused_or_asked(&said, language) {
        let is_phrase = |phrase: &String| words(phrase) == said;
        return routines
            .iter()
            .find(|routine| !said.is_empty() && routine.trigger_phrases.iter().any(is_phrase));
    }
    routines.iter().find(|routine| routine.trigger_phrases.iter().any(|phrase| starts(&said, &words(phrase))))
}

/// The phrase stands in the utterance, word by word, or nearly all words of both are the same.
fn starts(said: &[String], phrase: &[String]) -> bool {
    !phrase.is_empty()
        && (said.windows(phrase.len()).any(|part| part == phrase) || is_nearly_same(said, phrase))
}

/// At least four fifths of the words of each are words of the other. Source: the share is the protocol's own; measured
/// against both sides, since "good" is no "good morning".
fn is_nearly_same(said: &[String], phrase: &[String]) -> bool {
    let (said, phrase): (BTreeSet<_>, BTreeSet<_>) = (said.iter().collect(), phrase.iter().collect());
    let common = said.intersection(&phrase).count();
    common * 5 >= said.len().max(phrase.len()) * 4
}

fn is_refused_or_asked(said: &[String], language: &LanguageData) -> bool {
    let Some(own) = &language.command_center else { return false };
    let mut harmless = Vec::new();
    let harmless_phrases = Phrases::of_list(own.harmless_negations);
    for at in 0..said.len() {
        harmless.extend(at..at + harmless_phrases.at(&said[at..]).unwrap_or_default());
    }
    let negations = Phrases::of_list(own.negations);
    let is_negated = (0..said.len()).any(|at| !harmless.contains(&at) && negations.at(&said[at..]).is_some());
    let opens = |phrases: &Phrases| phrases.at(said).is_some();
    let is_question =
        opens(&Phrases::of_list(own.questions)) || opens(&Phrases::of_list(language.question_words));
    is_negated || is_question || opens(&Phrases::of_list(own.other_orders))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn is_match(text: &str, phrases: &[&str]) -> bool {
        let trigger_phrases = phrases.iter().map(|phrase| (*phrase).to_owned()).collect();
        let routine = Routine { name: "r".to_owned(), trigger_phrases };
        matching_routine(text, &[routine], languages::of_code("en").unwrap()).is_some()
    }

    #[rstest]
    #[case::equal("good morning", &["good morning"], true)]
    #[case::case_and_signs("Good Morning!", &["good morning"], true)]
    #[case::inside("hey jarvis, good morning everyone", &["good morning"], true)]
    #[case::second_phrase("movie time", &["good night", "movie time"], true)]
    #[case::apostrophe("I’m home", &["i'm home"], true)]
    #[case::hyphen("good-night", &["good night"], true)]
    #[case::nearly("turn on movie night lights", &["turn on the movie night lights"], true)]
    #[case::other_order("night movie", &["movie night"], true)]
    #[case::four_of_five("start my evening routine now", &["start my evening routine"], true)]
    #[case::other_script("おはよう", &["おはよう"], true)]
    #[case::part_of_the_phrase("good", &["good morning"], false)]
    #[case::letters_of_the_phrase("ood mor", &["good morning"], false)]
    #[case::part_of_a_word("book my flights", &["lights"], false)]
    #[case::two_of_three("movie night", &["start movie night lights"], false)]
    #[case::no_words_in_common("what time is it", &["good morning"], false)]
    #[case::negated("don't start movie night", &["start movie night"], false)]
    #[case::not_now("not movie night now", &["movie night"], false)]
    #[case::asked("what is movie night", &["movie night"], false)]
    #[case::stopped("cancel movie night", &["movie night"], false)]
    #[case::phrase_that_is_an_order("stop everything", &["stop everything"], true)]
    #[case::phrase_that_is_a_question("what's up", &["what's up"], true)]
    #[case::empty_phrase("good morning", &["", " ... "], false)]
    #[case::nothing("", &["good morning"], false)]
    #[case::no_phrases("good morning", &[], false)]
    fn phrase_starts_its_routine(#[case] text: &str, #[case] phrases: &[&str], #[case] expected: bool) {
        assert_eq!(is_match(text, phrases), expected);
    }

    #[test]
    fn first_of_two_routines_starts() {
        let routine =
            |name: &str| Routine { name: name.to_owned(), trigger_phrases: vec!["good night".to_owned()] };
        let routines = [routine("first"), routine("second")];

        let found = matching_routine("good night", &routines, languages::of_code("en").unwrap());

        assert_eq!(found, Some(&routines[0]));
    }
}
