//! Questions about what was said in this conversation ("what did I ask you first?"), and about the assistant.
//!
//! A tiny model makes up what was said, and recites its instructions where it is asked who it is. No model and no I/O in here.

use languages::{DialogueQuestion, LanguageData, folded_words};

use crate::answer_text::answer_patterns::patterns_of;
use crate::plain_requests::request_kind::{without_openers, without_polite_ends};

/// The question that a text is, if it is one of these.
pub(crate) fn asks_about_dialogue(text: &str, data: &'static LanguageData) -> Option<DialogueQuestion> {
    let patterns = patterns_of(data)?;
    let words = folded_words(text);
    let asked = without_polite_ends(&words, data);
    // "Wie bitte?" is more than a polite word.
    [&*words, asked, without_openers(asked, patterns)].into_iter().find_map(|words| {
        let (question, _) =
            patterns.dialogue_questions.iter().find(|(_, list)| list.whole(words).is_some())?;
        Some(*question)
    })
}

#[cfg(test)]
mod tests {
    use languages::DialogueQuestion::*;
    use rstest::rstest;

    use super::*;

    fn asked(code: &str, text: &str) -> Option<DialogueQuestion> {
        asks_about_dialogue(text, languages::of_code(code).unwrap())
    }

    #[rstest]
    #[case::first("en", "What did I ask you first?", FirstAsked)]
    #[case::first_question("en", "What was my first question?", FirstAsked)]
    #[case::first_said("en", "What did I say first?", FirstSaid)]
    #[case::last_said("en", "What did I just say?", LastSaid)]
    #[case::last_question("en", "Can you repeat my last question, please?", LastAsked)]
    #[case::repeat("en", "Could you repeat that?", LastAnswer)]
    #[case::not_heard("en", "Sorry, I didn't catch that.", LastAnswer)]
    #[case::who("en", "Who are you?", WhoAreYou)]
    #[case::able("en", "What can you do?", WhatCanYouDo)]
    #[case::well("en", "Hi there, how are you?", HowAreYou)]
    #[case::german_first("de", "Was habe ich dich zuerst gefragt?", FirstAsked)]
    #[case::german_last("de", "Was habe ich gerade gesagt?", LastSaid)]
    #[case::german_repeat("de", "Wie bitte?", LastAnswer)]
    #[case::german_who("de", "Wie heißt du?", WhoAreYou)]
    #[case::german_well("de", "Hallo, wie geht's dir?", HowAreYou)]
    #[case::french_first("fr", "Quelle était ma première question ?", FirstAsked)]
    #[case::french_last("fr", "Qu'est-ce que je viens de dire ?", LastSaid)]
    #[case::french_repeat("fr", "Tu peux répéter, s'il te plaît ?", LastAnswer)]
    #[case::french_who("fr", "Qui es-tu ?", WhoAreYou)]
    #[case::spanish_first("es", "¿Cuál fue mi primera pregunta?", FirstAsked)]
    #[case::spanish_last("es", "¿Qué acabo de decir?", LastSaid)]
    #[case::spanish_well("es", "Hola, ¿qué tal?", HowAreYou)]
    #[case::italian_first("it", "Qual è stata la mia prima domanda?", FirstAsked)]
    #[case::italian_last("it", "Che cosa ho appena detto?", LastSaid)]
    #[case::portuguese_first("pt", "Qual foi a minha primeira pergunta?", FirstAsked)]
    #[case::portuguese_able("pt", "O que você pode fazer?", WhatCanYouDo)]
    #[case::dutch_first("nl", "Wat was mijn eerste vraag?", FirstAsked)]
    #[case::dutch_last("nl", "Wat zei ik net?", LastSaid)]
    #[case::swedish_first("sv", "Vad var min första fråga?", FirstAsked)]
    #[case::swedish_last("sv", "Vad sa jag nyss?", LastSaid)]
    #[case::turkish_first("tr", "İlk sorum neydi?", FirstAsked)]
    #[case::turkish_last("tr", "Az önce ne dedim?", LastSaid)]
    #[case::place("en", "Where am I?", WhereAmI)]
    #[case::polite_place("en", "Can you tell me where I am right now, please?", WhereAmI)]
    #[case::german_place("de", "Wo bin ich?", WhereAmI)]
    #[case::german_location("de", "Wo befinde ich mich gerade?", WhereAmI)]
    #[case::french_place("fr", "Où suis-je ?", WhereAmI)]
    #[case::spanish_place("es", "¿Dónde estoy?", WhereAmI)]
    #[case::italian_place("it", "Dove mi trovo?", WhereAmI)]
    #[case::dutch_place("nl", "Waar ben ik?", WhereAmI)]
    #[case::portuguese_place("pt", "Onde é que eu estou?", WhereAmI)]
    #[case::swedish_place("sv", "Var är jag?", WhereAmI)]
    #[case::turkish_place("tr", "Neredeyim?", WhereAmI)]
    fn question_is_read(#[case] code: &str, #[case] text: &str, #[case] expected: DialogueQuestion) {
        assert_eq!(asked(code, text), Some(expected));
    }

    #[rstest]
    #[case::of_another_day("en", "What did I say yesterday?")]
    #[case::about_something("en", "What did I say about the garden?")]
    #[case::of_others("en", "What did she say first?")]
    #[case::in_a_language("en", "Say that in German")]
    #[case::text_to_repeat("en", "Repeat after me: good morning")]
    #[case::somebody_else("en", "Who are you going to call?")]
    #[case::another_thing("en", "What can you do with old bread?")]
    #[case::of_a_thing("en", "How are you connected to the internet?")]
    #[case::origin("en", "Where am I from?")]
    #[case::mistake("en", "Where am I going wrong?")]
    #[case::of_a_thing_of_ours("en", "Where are we going tonight?")]
    #[case::german_mistake("de", "Wo bin ich falsch abgebogen?")]
    #[case::french_birth("fr", "Où suis-je né ?")]
    #[case::spanish_party("es", "¿Dónde estoy invitado?")]
    #[case::italian_birth("it", "Dove sono nato?")]
    #[case::dutch_birth("nl", "Waar ben ik geboren?")]
    #[case::portuguese_party("pt", "Onde estou convidado?")]
    #[case::swedish_birth("sv", "Var är jag född?")]
    #[case::turkish_birth("tr", "Nerede doğdum?")]
    #[case::german("de", "Was habe ich gestern gesagt?")]
    #[case::german_word("de", "Was bist du für ein Hund?")]
    #[case::french("fr", "Qu'est-ce que j'ai dit hier ?")]
    #[case::spanish("es", "¿Qué te dije ayer?")]
    fn other_question_is_left_alone(#[case] code: &str, #[case] text: &str) {
        assert_eq!(asked(code, text), None);
    }
}
