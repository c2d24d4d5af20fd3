//! Whether a question asks for something that only the user can have told us.
//!
//! "Where did I park?" and "What is my sister's name?" do; "What should I pack for Lisbon?" does not, though it says "I":
//! it asks for advice. In doubt the answer is no, and then nothing is said about what memory lacks.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words of possession, by language. A question that puts one right behind its question word asks for a fact about the
/// user.
const POSSESSIVES: [&str; 12] = [
    "my our mine",                                                 // English
    "mein meine meinen meinem meiner meines unser unsere unseren", // German
    "mon ma mes notre nos",                                        // French
    "mi mis mío mía nuestro nuestra",                              // Spanish
    "mio mia miei mie nostro nostra",                              // Italian
    "mijn ons onze",                                               // Dutch
    "meu minha meus minhas nosso nossa",                           // Portuguese
    "mój moja moje nasz nasza",                                    // Polish
    "мой моя моё мои моей моего мою наш наша",                     // Russian
    "min mitt mina vår vårt",                                      // Swedish
    "benim bizim",                                                 // Turkish
    "μου",                                                         // Greek
];

/// Question words, by language, in the order of [`POSSESSIVES`].
const QUESTION_WORDS: [&str; 12] = [
    "what where when who which whose how",
    "was wo wann wer wie welche welcher welches wessen",
    "que quoi où quand qui quel quelle comment",
    "qué dónde cuándo quién cuál cómo",
    "che cosa dove quando chi quale come qual",
    "wat waar wanneer wie welke hoe",
    "que onde quando quem qual como",
    "co gdzie kiedy kto jaki jaka jak",
    "что где когда кто какой какая как",
    "vad var när vem vilken hur",
    "ne nerede kim hangi nasıl",
    "τι πού πότε ποιος πώς",
];

/// Phrases that ask for what was said or done before, or whether it is remembered.
const LOOKING_BACK: [&str; 32] = [
    "did i",
    "have i",
    "had i",
    "i said",
    "i told",
    "told you",
    "i mentioned",
    "was i",
    "remember",
    "do you know my",
    "habe ich",
    "hab ich",
    "ich gesagt",
    "ich erwähnt",
    "erinnerst",
    "weißt du noch",
    "j'ai dit",
    "ai-je",
    "je t'ai dit",
    "souviens",
    "he dicho",
    "te dije",
    "dije",
    "recuerdas",
    "ho detto",
    "ricordi",
    "heb ik",
    "weet je nog",
    "eu disse",
    "lembras",
    "lembra",
    "я говорил",
];

/// Phrases that ask for advice or permission: the answer is not in what was told.
const ADVICE: [&str; 33] = [
    "should i",
    "can i",
    "could i",
    "may i",
    "shall i",
    "must i",
    "do i",
    "would i",
    "might i",
    "should we",
    "can we",
    "soll ich",
    "sollte ich",
    "kann ich",
    "könnte ich",
    "darf ich",
    "muss ich",
    "sollen wir",
    "dois-je",
    "puis-je",
    "devrais-je",
    "peut-on",
    "debo",
    "debería",
    "puedo",
    "devo",
    "dovrei",
    "posso",
    "moet ik",
    "kan ik",
    "mag ik",
    "должен",
    "могу",
];

/// Possession, question words and advice where no blanks stand between words.
const OWN_UNSPACED: [&str; 6] = ["我的", "我们的", "私の", "僕の", "俺の", "내"];
const QUESTION_UNSPACED: [&str; 12] =
    ["哪", "什么", "谁", "几", "何时", "多少", "どこ", "何", "誰", "いつ", "어디", "뭐"];
const ADVICE_UNSPACED: [&str; 6] = ["应该", "可以", "能不能", "べき", "いいですか", "해야"];

/// How far behind the question word a possessive may stand: "what is my …", "how old is my …".
const WORDS_BETWEEN: usize = 3;

/// Whether the question asks for something that only the user can have told us.
pub(crate) fn asks_for_what_was_told(question: &str) -> bool {
    static OWN: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&POSSESSIVES));
    static ASKING: LazyLock<HashSet<&str>> = LazyLock::new(|| set(&QUESTION_WORDS));

    let question = question.to_lowercase().replace('’', "'");
    let holds = |phrases: &[&str]| phrases.iter().any(|phrase| has_phrase(&question, phrase));
    if holds(&ADVICE) || ADVICE_UNSPACED.iter().any(|phrase| question.contains(phrase)) {
        return false;
    }
    if holds(&LOOKING_BACK) {
        return true;
    }
    let is_own_unspaced = OWN_UNSPACED.iter().any(|own| question.contains(own))
        && QUESTION_UNSPACED.iter().any(|word| question.contains(word));
    let words: Vec<&str> =
        question.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let asked_at = words.iter().position(|word| ASKING.contains(word));
    let is_own = asked_at
        .is_some_and(|at| words.iter().skip(at + 1).take(WORDS_BETWEEN).any(|word| OWN.contains(word)));
    is_own || is_own_unspaced
}

fn set(words: &[&'static str]) -> HashSet<&'static str> {
    words.iter().flat_map(|words| words.split_whitespace()).collect()
}

/// Whether the phrase stands in the text with no letter right before or behind it.
fn has_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
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
    #[case::german("Wie heißt meine Schwester?", true)]
    #[case::french("qu'est-ce que j'ai dit hier", true)]
    #[case::spanish("¿cuándo es mi cita?", true)]
    #[case::russian("как зовут мою сестру", true)]
    #[case::chinese("我的护照在哪里", true)]
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
