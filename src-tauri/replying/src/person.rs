//! Is a question about the one who asks? Told by the little words of its language.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words for oneself and one's own, by language. Short ones that mean something else in another language listed here are
/// left out.
const OWN: [&str; 12] = [
    "i my mine myself our ours we us", // English
    "ich mein meine meinen meinem meiner meines mir mich wir unser unsere unseren", // German
    "je j moi mon ma mes nous notre nos", // French
    "yo mi mis mío mía conmigo nosotros nuestro nuestra", // Spanish
    "io mio mia miei mie noi nostro nostra", // Italian
    "ik mijn mij wij ons onze",        // Dutch
    "eu meu minha meus minhas mim nós nosso nossa", // Portuguese
    "ja mój moja moje mnie mi mam nasz nasza", // Polish
    "я мой моя моё мои моей моего мне меня мы наш наша нас", // Russian
    "jag min mitt mina mig vi vår vårt", // Swedish
    "ben benim bana biz bizim",        // Turkish
    "εγώ μου με εμείς μας",            // Greek
];

/// The same where no blanks stand between words, or the word grows together with others.
const INSIDE: [&str; 8] = ["我", "私", "僕", "俺", "わたし", "내가", "나의", "제가"];

/// Does the question speak of the one who asks? Errs towards no: then nothing is said about what memory lacks.
pub(crate) fn speaks_of_self(question: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| OWN.iter().flat_map(|words| words.split(' ')).collect());

    let question = question.to_lowercase();
    question.split(|char: char| !char.is_alphanumeric()).any(|word| WORDS.contains(word))
        || INSIDE.iter().any(|own| question.contains(own))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("What's my sister's name?", true)]
    #[case("where did I park", true)]
    #[case("Wie heißt meine Schwester?", true)]
    #[case("qu'est-ce que j'ai dit hier", true)]
    #[case("¿cuándo es mi cita?", true)]
    #[case("как зовут мою сестру, у меня есть", true)]
    #[case("我的护照在哪里", true)]
    #[case("how high is the Eiffel Tower?", false)]
    #[case("mining in the Ruhr", false)]
    #[case("", false)]
    fn knows_who_a_question_is_about(#[case] question: &str, #[case] expected: bool) {
        assert_eq!(speaks_of_self(question), expected);
    }
}
