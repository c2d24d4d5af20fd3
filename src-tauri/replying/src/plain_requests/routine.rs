//! Routines: commands of the user that a phrase starts.

use std::collections::BTreeSet;

use languages::LanguageData;
use languages::phrases::{Phrases, words};

/// Commands that are carried out one after the other when a phrase is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routine {
    /// Its name in the settings and in the record of a reply.
    pub name: String,
    /// Each of them starts it.
    pub phrases: Vec<String>,
    /// Things to do, in the words in which a user would ask for it.
    pub commands: Vec<String>,
}

/// The first routine that an utterance starts. One that refuses it or asks about it starts nothing.
pub fn matching_routine<'r>(
    text: &str,
    routines: &'r [Routine],
    language: &LanguageData,
) -> Option<&'r Routine> {
    if routines.is_empty() {
        return None;
    }
    let said = words(text);
    let rules = Rules::new(language);
    let starts = |phrase: &String| {
        let phrase = words(phrase);
        !phrase.is_empty() && rules.is_match(&said, &phrase) && !rules.is_refused_or_asked(&said, &phrase)
    };
    routines.iter().find(|routine| routine.phrases.iter().any(starts))
}

/// The most words beside a phrase, without the name: "send Anna a message that says good night" says more than the phrase.
const MAX_MORE_WORDS: usize = 4;

/// The routine that an utterance to the assistant of this name starts: one whose phrase is nearly all that was said.
pub(crate) fn started_routine(
    text: &str,
    routines: &[Routine],
    language: &LanguageData,
    name: &str,
) -> Option<Routine> {
    let routine = matching_routine(text, routines, language)?;
    let name = words(name);
    let said = words(text).into_iter().filter(|word| !name.contains(word)).count();
    let is_short = routine.phrases.iter().any(|phrase| said <= words(phrase).len() + MAX_MORE_WORDS);
    is_short.then(|| routine.clone())
}

/// The words of a language that decide.
struct Rules {
    negations: Phrases,
    harmless_negations: Phrases,
    questions: Phrases,
    other_orders: Phrases,
    function_words: Phrases,
}

impl Rules {
    fn new(language: &LanguageData) -> Self {
        let own = language.command_center.as_ref();
        let list = |list: Option<languages::WordList>| list.map(Phrases::from_list).unwrap_or_default();
        let questions = own.map(|own| own.questions.iter().chain(own.question_forms.iter()));
        let questions = language.question_words.iter().chain(questions.into_iter().flatten());
        Self {
            negations: list(own.map(|own| own.negations)),
            harmless_negations: list(own.map(|own| own.harmless_negations)),
            questions: Phrases::new(questions),
            other_orders: list(own.map(|own| own.other_orders)),
            function_words: Phrases::new(language.function_words.iter().chain(language.possessives.iter())),
        }
    }

    /// The phrase stands in the utterance, word by word, or nearly all words of both are the same.
    fn is_match(&self, said: &[String], phrase: &[String]) -> bool {
        let is_inside = said.windows(phrase.len()).any(|part| part == phrase);
        // "goodnight" is "good night".
        is_inside || said.concat() == phrase.concat() || self.is_nearly_same(said, phrase)
    }

    /// At least four fifths of the words of each are words of the other. Source: the share of the Command Center protocol;
    /// measured against both sides, since "good" is no "good morning". A word with a meaning has no other word in its place:
    /// "on" is not "off".
    fn is_nearly_same(&self, said: &[String], phrase: &[String]) -> bool {
        let (said, phrase): (BTreeSet<_>, BTreeSet<_>) = (said.iter().collect(), phrase.iter().collect());
        let common = said.intersection(&phrase).count();
        let has_meaning = |word: &String| self.function_words.at(std::slice::from_ref(word)).is_none();
        let is_exchanged = common < said.len().min(phrase.len())
            && said.symmetric_difference(&phrase).any(|word| has_meaning(word));
        common * 5 >= said.len().max(phrase.len()) * 4 && !is_exchanged
    }

    /// Words beside the phrase refuse it, or ask about it.
    fn is_refused_or_asked(&self, said: &[String], phrase: &[String]) -> bool {
        let mut harmless = BTreeSet::new();
        for at in 0..said.len() {
            harmless.extend(at..at + self.harmless_negations.at(&said[at..]).unwrap_or_default());
        }
        let is_beside = |phrases: &Phrases, at: usize| {
            let length = phrases.at(&said[at..]);
            length.is_some_and(|length| said[at..at + length].iter().any(|word| !phrase.contains(word)))
        };
        let is_negated = |at: usize| !harmless.contains(&at) && is_beside(&self.negations, at);
        let opens = |phrases: &Phrases| !said.is_empty() && is_beside(phrases, 0);
        (0..said.len()).any(is_negated) || opens(&self.questions) || opens(&self.other_orders)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn is_match(text: &str, phrases: &[&str]) -> bool {
        let phrases = phrases.iter().map(|phrase| (*phrase).to_owned()).collect();
        let routine = Routine { name: "r".to_owned(), phrases, commands: Vec::new() };
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
    #[case::asked_about("tell me about movie night", &["movie night"], false)]
    #[case::explained("explain the movie night routine", &["movie night"], false)]
    #[case::phrase_that_explains("explain my day", &["explain my day"], true)]
    #[case::stopped("cancel movie night", &["movie night"], false)]
    #[case::phrase_that_is_an_order("stop everything", &["stop everything"], true)]
    #[case::phrase_that_is_a_question("what's up", &["what's up"], true)]
    #[case::order_with_one_word_less("turn off the lights", &["turn off all the lights"], true)]
    #[case::opposite("turn on all the lights", &["turn off all the lights"], false)]
    #[case::other_room("turn off the kitchen lights", &["turn off the bedroom lights"], false)]
    #[case::other_article("start the evening reading routine", &["start my evening reading routine"], true)]
    #[case::written_as_one("good night", &["goodnight"], true)]
    #[case::empty_phrase("good morning", &["", " ... "], false)]
    #[case::nothing("", &["good morning"], false)]
    #[case::no_phrases("good morning", &[], false)]
    fn phrase_starts_its_routine(#[case] text: &str, #[case] phrases: &[&str], #[case] expected: bool) {
        assert_eq!(is_match(text, phrases), expected);
    }

    #[test]
    fn first_of_two_routines_starts() {
        let routine = |name: &str| Routine {
            name: name.to_owned(),
            phrases: vec!["good night".to_owned()],
            commands: Vec::new(),
        };
        let routines = [routine("first"), routine("second")];

        let found = matching_routine("good night", &routines, languages::of_code("en").unwrap());

        assert_eq!(found, Some(&routines[0]));
    }
}
