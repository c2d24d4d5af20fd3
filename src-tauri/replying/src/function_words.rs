//! Function words of many languages: they carry no meaning of their own, so sharing one says nothing.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Pronouns of the first person, by language. Short ones that mean something else in another language listed here are
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

/// Question words, articles, prepositions and auxiliaries, by language.
const COMMON: [&str; 8] = [
    "the a an and or but of to in on at for from with about is are was were be been do does did have has had what where \
     when who which how why that this it he she they you your there not can could will would", // English
    "der die das den dem des ein eine einen einem einer und oder aber von zu in im an am auf für aus mit über ist sind \
     war waren sein hat habe haben hatte was wo wann wer wie warum dass es er sie du dein nicht kann", // German
    "le la les l un une des du de d et ou mais à au aux en dans sur pour par avec est sont était a ai as ont que qui quoi \
     où quand comment pourquoi ce cette il elle tu ton ta ne pas", // French
    "el la los las un una unos unas y o pero de del a al en para por con es son era está hay ha he qué que quién dónde \
     cuándo cómo por este esta él ella tú tu no se", // Spanish
    "il lo la i gli le un uno una e o ma di del della a al in nel su per con è sono era ha ho che chi cosa dove quando \
     come perché questo questa tu non si", // Italian
    "de het een en of maar van naar in op aan voor uit met over is zijn was waren heeft heb had wat waar wanneer wie hoe \
     waarom dat dit hij zij jij je niet kan", // Dutch
    "o a os as um uma e ou mas de do da em no na para por com é são era está tem que quem onde quando como este esta ele \
     ela tu não se", // Portuguese
    "и а но в во на с со к о об из для от по не что где когда кто как почему это он она ты был была было есть ли", // Russian
];

/// Whether the text has a content word of the question. Endings may differ.
pub(crate) fn shares_content_word(question: &str, text: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| OWN.iter().chain(&COMMON).flat_map(|words| words.split_whitespace()).collect());

    let text = text.to_lowercase();
    memory::terms(question).iter().filter(|term| !WORDS.contains(term.as_str())).any(|term| {
        if term.chars().all(is_ideograph) {
            return text.contains(term) && !term.chars().any(|char| FUNCTION_IDEOGRAPHS.contains(char));
        }
        let beginning = term.chars().count().saturating_sub(2).max(3);
        let stem: String = term.chars().take(beginning).collect();
        words(&text).any(|other| other.starts_with(&stem))
    })
}

/// Ideographs that are function words.
const FUNCTION_IDEOGRAPHS: &str = "的了是在我你他她它们們这這那什么麼哪里裡吗嗎呢不有和也就何誰";

fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{30a0}'..='\u{30ff}')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("where is the spare key?", "the spare key hangs in the hall", true)]
    #[case("where are the keys", "a key for the shed", true)]
    #[case("where is the spare key?", "bananas are cheap at the market", false)]
    #[case("wo ist der Schlüssel", "der Hund ist im Garten", false)]
    #[case("我的护照在哪里", "护照在蓝色抽屉里", true)]
    #[case("我的护照在哪里", "我的狗在花园里", false)]
    #[case("パスポートはどこ", "パスポートは青い引き出しの中です", true)]
    fn only_content_words_count_as_shared(
        #[case] question: &str,
        #[case] text: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(shares_content_word(question, text), expected);
    }
}
