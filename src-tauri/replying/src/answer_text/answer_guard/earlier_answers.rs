//! Answers of the dialogue to other questions. A small model repeats one of them where it has nothing to say.

use std::collections::HashSet;

use languages::{LanguageData, folded_words, normalised};
use llm::{Message, Role};

use crate::answer_text::answer_patterns::patterns_of;
use crate::answer_text::sentences::sentences;
use crate::tool_calls::tool_talk::is_tool_message;

/// The fewest words of a sentence whose repetition is no answer: "Good morning" may be said twice.
const MIN_WORDS: usize = 3;

/// The fewest words with a meaning of another question. Fewer may ask for the same sentence again: "I didn't hear you", "slower
/// please".
const MIN_MEANT: usize = 3;

/// The most words in a row that a sentence may share with an answer to another question. A small model goes on with the words of
/// its last mistake: "To find the tip, you would need to subtract four hours from the current date".
const MAX_RUN: usize = 7;

/// Returns `true` if a sentence is an earlier one, or says a long part of it again.
pub(super) fn repeats(sentence: &[String], earlier: &[String]) -> bool {
    let run = || sentence.windows(MAX_RUN + 1).any(|run| earlier.windows(run.len()).any(|it| it == run));
    sentence == earlier || run()
}

/// The sentences of earlier answers that cannot answer this question, as folded words: they answered questions that share no
/// word with a meaning. None for a question that points back: it may want the same sentence again.
pub(super) fn answers_to_other_questions(
    dialogue: &[Message],
    question: &str,
    data: &'static LanguageData,
) -> Vec<Vec<String>> {
    let words = folded_words(question);
    let wants_it_again =
        || patterns_of(data).is_none_or(|patterns| patterns.again.anywhere(&words).is_some());
    let points_back = || data.has_phrase(data.pointing_words, &normalised(question));
    let function_words: HashSet<String> = data.all_function_words().flat_map(folded_words).collect();
    let meant: HashSet<&String> = words.iter().filter(|word| !function_words.contains(*word)).collect();
    if meant.len() < MIN_MEANT || points_back() || wants_it_again() {
        return Vec::new();
    }
    let (mut is_other, mut found) = (false, Vec::new());
    for message in dialogue.iter().filter(|message| !is_tool_message(message)) {
        match message.role {
            Role::User => is_other = !folded_words(&message.content).iter().any(|word| meant.contains(&word)),
            Role::Assistant if is_other => {
                let said = sentences(&message.content).into_iter().map(|sentence| folded_words(&sentence));
                found.extend(said.filter(|words| words.len() >= MIN_WORDS));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const ANSWER: &str = "It is a beautiful day in my garden.";

    fn repeated(code: &str, earlier: &str, question: &str) -> bool {
        let dialogue = [Message::user(earlier), Message::assistant(format!("Good morning! {ANSWER}"))];
        let data = languages::of_code(code).unwrap();
        !answers_to_other_questions(&dialogue, question, data).is_empty()
    }

    #[rstest]
    #[case::english("en", "Translate good morning", "My birthday is on March 3rd")]
    #[case::german("de", "Übersetze guten Morgen", "Mein Geburtstag ist am 3. März")]
    #[case::french("fr", "Traduis bonjour", "Mon anniversaire est le 3 mars")]
    #[case::spanish("es", "Traduce buenos días", "Mi cumpleaños es el 3 de marzo")]
    fn answer_to_another_question_is_none(#[case] code: &str, #[case] earlier: &str, #[case] question: &str) {
        assert!(repeated(code, earlier, question));
    }

    #[rstest]
    #[case::same_topic("en", "How is the garden?", "What about the garden today?")]
    #[case::again("en", "Tell me a story", "Say it once again")]
    #[case::another("en", "Tell me a story", "I want another one")]
    #[case::pointing("en", "Tell me a story", "What do you mean by that one?")]
    #[case::german("de", "Erzähl eine Geschichte", "Bitte noch eine")]
    #[case::without_meaning("en", "Tell me a story", "and why?")]
    #[case::not_heard("en", "Tell me a story", "I didn't hear you")]
    #[case::not_understood("de", "Erzähl eine Geschichte", "Ich habe dich nicht verstanden")]
    #[case::language_without_patterns("ja", "お話をして", "誕生日は三月です")]
    fn same_sentence_may_be_wanted(#[case] code: &str, #[case] earlier: &str, #[case] question: &str) {
        assert!(!repeated(code, earlier, question));
    }

    #[rstest]
    #[case::same("It is a fine day.", "It is a fine day!", true)]
    #[case::long_part(
        "To find the tip, you would need to subtract four hours from the current date.",
        "To wake up, you would need to subtract four hours from the current date, which is today.",
        true
    )]
    #[case::seven_words("I can tell you that it is far.", "I can tell you that it rains.", false)]
    #[case::nothing("It is far.", "It rains.", false)]
    fn sentence_with_a_long_part_of_an_earlier_one_repeats_it(
        #[case] sentence: &str,
        #[case] earlier: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(repeats(&folded_words(sentence), &folded_words(earlier)), expected);
    }

    #[test]
    fn short_sentences_may_be_said_twice() {
        let dialogue = [Message::user("Translate good morning"), Message::assistant("Good morning.")];

        let found =
            answers_to_other_questions(&dialogue, "My birthday is on March 3rd", &languages::all()[0]);

        assert_eq!(found, Vec::<Vec<String>>::new());
    }
}
