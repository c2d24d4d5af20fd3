//! In which language somebody speaks, as far as scripts and a count of small words can tell.
//!
//! Small models answer in the language of their task unless they are told which one to take, and shown it.

/// A language: its two letters, its name as the prompts have it, and frequent words by which it is told from the others.
type Row = (&'static str, &'static str, &'static [&'static str]);

/// Languages of Latin script. Words that several of them share count for each, so that they decide nothing.
const LATIN: [Row; 8] = [
    (
        "en",
        "English",
        &[
            "the", "and", "is", "was", "are", "has", "with", "to", "of", "for", "their", "they", "it", "i",
            "my", "you", "what", "that", "not", "please", "user",
        ],
    ),
    (
        "de",
        "German",
        &[
            "der", "die", "das", "und", "ist", "ein", "eine", "hat", "mit", "zum", "im", "sich", "ich",
            "nicht", "mein", "meine", "bitte", "wie", "am", "zu", "nutzer", "nutzerin",
        ],
    ),
    (
        "fr",
        "French",
        &[
            "le",
            "la",
            "les",
            "et",
            "est",
            "un",
            "une",
            "du",
            "de",
            "des",
            "pas",
            "ne",
            "pour",
            "qui",
            "que",
            "je",
            "ma",
            "mon",
            "il",
            "elle",
            "utilisateur",
            "utilisatrice",
        ],
    ),
    (
        "es",
        "Spanish",
        &[
            "el", "la", "los", "y", "es", "un", "una", "del", "de", "que", "con", "para", "no", "en", "mi",
            "me", "se", "por", "usuario", "usuaria",
        ],
    ),
    (
        "it",
        "Italian",
        &[
            "il", "la", "che", "di", "e", "un", "una", "non", "con", "per", "mi", "ho", "sono", "della",
            "mio", "mia", "gli", "questo", "utente",
        ],
    ),
    (
        "pt",
        "Portuguese",
        &[
            "o", "a", "os", "e", "um", "uma", "que", "de", "do", "da", "não", "com", "para", "em", "eu",
            "meu", "minha", "você", "tenho",
        ],
    ),
    (
        "nl",
        "Dutch",
        &[
            "de",
            "het",
            "een",
            "en",
            "is",
            "van",
            "ik",
            "niet",
            "mijn",
            "dat",
            "op",
            "met",
            "heb",
            "ben",
            "voor",
            "wat",
            "gebruiker",
        ],
    ),
    (
        "pl",
        "Polish",
        &[
            "i",
            "w",
            "z",
            "na",
            "nie",
            "się",
            "jest",
            "to",
            "mam",
            "mój",
            "moja",
            "że",
            "do",
            "jak",
            "użytkownik",
        ],
    ),
];

/// The language of a text as its two letters; `None` when nothing tells, or two are as likely.
pub fn language_of(text: &str) -> Option<&'static str> {
    if let Some(language) = by_script(text) {
        return (language != "ja").then_some(language);
    }
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let count = |small: &[&str]| words.iter().filter(|word| small.contains(word)).count();
    let mut counted: Vec<(usize, &str)> =
        LATIN.iter().map(|(language, _, small)| (count(small), *language)).collect();
    counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let [(most, language), (next, _), ..] = counted[..] else { return None };
    (most > next).then_some(language)
}

/// The name that prompts have for a language of [`language_of`].
pub(crate) fn name_of(language: &str) -> Option<&'static str> {
    match language {
        "zh" => Some("Chinese"),
        "ar" => Some("Arabic"),
        _ => LATIN.iter().find(|(code, ..)| *code == language).map(|(_, name, _)| *name),
    }
}

/// The language that most letters are of, where a script is that of one widespread language. `ja` only says that the text
/// is not Chinese.
fn by_script(text: &str) -> Option<&'static str> {
    let count = |range: std::ops::RangeInclusive<char>| text.chars().filter(|c| range.contains(c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    // A name in another script among the words does not change their language.
    let is_mostly = |count: usize| count * 2 > letters;
    let (han, kana) = (count('\u{4e00}'..='\u{9fff}'), count('\u{3040}'..='\u{30ff}'));
    if is_mostly(han + kana) {
        return Some(if kana > 0 { "ja" } else { "zh" });
    }
    is_mostly(count('\u{600}'..='\u{6ff}')).then_some("ar")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english("The user moved to Porto.", Some("en"))]
    #[case::german("Der Nutzer wohnt in Freiburg und ist Schreiner.", Some("de"))]
    #[case::french("L'utilisateur ne mange pas de poisson.", Some("fr"))]
    #[case::spanish("Me llamo Inés y vivo en Sevilla.", Some("es"))]
    #[case::italian("Non mangio carne e sono di Pisa.", Some("it"))]
    #[case::portuguese("Eu moro em Braga e não como carne.", Some("pt"))]
    #[case::chinese("用户不吃辣，住在 Porto。", Some("zh"))]
    #[case::arabic("المستخدم يفضّل الشاي.", Some("ar"))]
    #[case::japanese("東京に住んでいます。", None)]
    #[case::a_name_alone("Porto", None)]
    #[case::nothing("", None)]
    fn tells_languages_apart(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(language_of(text), expected);
    }
}
