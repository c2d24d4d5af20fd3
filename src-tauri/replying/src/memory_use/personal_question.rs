//! Recognises questions for something that only the user can have told us.
//!
//! "Where did I park?" and "What is my sister's name?" do; "What should I pack for Lisbon?" does not, though it says "I":
//! it asks for advice. In doubt the answer is no, and then nothing is said about what memory lacks.

use languages::{LanguageData, WordOrder, Writing};

/// The most words between the question word and a possessive: "what is my …", "how old is my …".
const WORDS_BETWEEN: usize = 3;

/// The most words between it and "of my …": "what is the name of my …".
const WORDS_BETWEEN_OF: usize = 5;

/// Returns `true` if the question asks for something that only the user can have told us.
pub(crate) fn asks_for_what_was_told(question: &str) -> bool {
    let detected = languages::detect(question);
    let is_of_question =
        |data: &&LanguageData| detected.as_ref().is_none_or(|it| it.language.code() == data.code);
    let candidates = || languages::all().iter().filter(is_of_question);
    let text = languages::normalised(question);
    let is_advice = candidates().any(|data| data.has_phrase(data.advice, &text));
    let looks_back = || candidates().any(|data| data.has_phrase(data.looking_back, &text));
    !is_advice && (looks_back() || candidates().any(|data| asks_about_own(&text, data)))
}

/// Returns `true` if a normalised text asks for a fact about the user: a question word and a possessive behind it, in
/// languages that move the question word to the beginning, else anywhere.
fn asks_about_own(text: &str, data: &LanguageData) -> bool {
    let words: Vec<&str> = text.split(|char: char| !char.is_alphanumeric()).collect();
    let is_possessive = |word: &&str| data.possessives.contains(word);
    match data.word_order {
        WordOrder::QuestionWordFirst => {
            let asked_at = words.iter().position(|word| data.question_words.contains(word));
            asked_at.is_some_and(|at| {
                let behind = &words[at + 1..];
                let near = &behind[..behind.len().min(WORDS_BETWEEN_OF)];
                let is_of_own = |pair: &[&str]| data.of_owner.contains(pair[0]) && is_possessive(&pair[1]);
                near.iter().take(WORDS_BETWEEN).any(&is_possessive) || near.windows(2).any(is_of_own)
            })
        }
        WordOrder::QuestionWordInPlace => {
            let is_own = match data.writing {
                Writing::Unspaced => data.has_phrase(data.possessives, text),
                Writing::Spaced | Writing::SpacedWithParticles => words.iter().any(is_possessive),
            };
            is_own && data.has_phrase(data.question_words, text)
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::possession("What's my sister's name?", true)]
    #[case::possession_after_more_words("how old is my daughter?", true)]
    #[case::looking_back("where did I park", true)]
    #[case::remembering("do you remember the name of the bakery?", true)]
    #[case::of_own("what is the name of my dentist?", true)]
    #[case::french_of_own("Quel est le nom de mon dentiste ?", true)]
    #[case::how_to("how do I fix my bike?", false)]
    #[case::german("Wie heißt meine Schwester?", true)]
    #[case::french("qu'est-ce que j'ai dit hier", true)]
    #[case::spanish("¿cuándo es mi cita?", true)]
    #[case::russian("как зовут мою сестру", true)]
    #[case::chinese("我的护照在哪里", true)]
    #[case::italian("Come si chiama mia sorella?", true)]
    #[case::dutch("Wat heb ik je gisteren verteld?", true)]
    #[case::portuguese("Onde está o meu passaporte?", true)]
    #[case::polish("Gdzie jest mój paszport?", true)]
    #[case::turkish("Benim pasaportum nerede?", true)]
    #[case::ukrainian("Як звати мою сестру?", true)]
    #[case::japanese("私のパスポートはどこ？", true)]
    #[case::korean("내 여권 어디 있어?", true)]
    #[case::arabic("ماذا قلت لك أمس؟", true)]
    #[case::korean_word_that_begins_alike("내일 날씨 어때?", false)]
    #[case::polish_advice("Co powinienem spakować do Lizbony?", false)]
    #[case::ukrainian_advice("Що мені варто взяти до Києва?", false)]
    #[case::advice("What should I pack for Lisbon?", false)]
    #[case::advice_about_ones_own("What can I cook with my leftover rice?", false)]
    #[case::how_to("How do I reset my router?", false)]
    #[case::possession_far_behind("What is the best way to clean my oven?", false)]
    #[case::german_advice("Was soll ich meiner Mutter schenken?", false)]
    #[case::an_order("Write my mother a poem", false)]
    #[case::about_the_world("how high is the Eiffel Tower?", false)]
    #[case::a_word_inside_another("mining in the Ruhr", false)]
    #[case::nothing("", false)]
    fn tells_questions_for_memory_from_others(#[case] question: &str, #[case] expected: bool) {
        assert_eq!(asks_for_what_was_told(question), expected);
    }
}
