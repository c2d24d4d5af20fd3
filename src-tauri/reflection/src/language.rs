//! Detects the language of a text from its script and from frequent short words.
//!
//! Small models answer in the language of the prompt unless the prompt names another one and contains an example of it.

use std::collections::HashSet;

/// A language: its two-letter code, its name in the prompts, and its frequent words.
type LatinLanguage = (&'static str, &'static str, &'static [&'static str]);

/// Languages in Latin script. A word of several languages counts for each of them and so decides nothing.
const LATIN: [LatinLanguage; 8] = [
    (
        "en",
        "English",
        &[
            "the", "and", "is", "was", "are", "has", "with", "to", "of", "for", "their", "they", "it", "i",
            "my", "you", "what", "that", "not", "please", "user", "have", "we", "he", "she", "but", "this",
            "from", "like", "a", "in",
        ],
    ),
    (
        "de",
        "German",
        &[
            "der", "die", "das", "und", "ist", "ein", "eine", "hat", "mit", "zum", "im", "sich", "ich",
            "nicht", "mein", "meine", "bitte", "wie", "am", "zu", "nutzer", "nutzerin", "bin", "habe",
            "will", "für", "auf", "auch", "von", "den", "dem", "wir", "mir", "mich", "in", "ins",
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
            "j",
            "ai",
            "suis",
            "avec",
            "dans",
            "sur",
            "au",
            "en",
            "mais",
            "l",
            "d",
        ],
    ),
    (
        "es",
        "Spanish",
        &[
            "el", "la", "los", "y", "es", "un", "una", "del", "de", "que", "con", "para", "no", "en", "mi",
            "me", "se", "por", "usuario", "usuaria", "soy", "tengo", "mis", "pero", "muy", "al", "las", "yo",
            "a",
        ],
    ),
    (
        "it",
        "Italian",
        &[
            "il", "la", "che", "di", "e", "un", "una", "non", "con", "per", "mi", "ho", "sono", "della",
            "mio", "mia", "gli", "questo", "utente", "i", "le", "nel", "ma", "anche", "del", "al", "io", "è",
            "ha", "l", "d", "a",
        ],
    ),
    (
        "pt",
        "Portuguese",
        &[
            "o", "a", "os", "e", "um", "uma", "que", "de", "do", "da", "não", "com", "para", "em", "eu",
            "meu", "minha", "você", "tenho", "sou", "no", "na", "mas", "por", "se",
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
            "zijn",
            "maar",
            "in",
            "te",
            "ook",
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
            "ja",
            "jestem",
            "ale",
            "o",
            "a",
        ],
    ),
];

/// Frequent words of languages that are not detected but resemble a detected one: Hungarian, Romanian, Czech, Slovak, Catalan
/// and Indonesian.
const LOOKALIKES: [&[&str]; 6] = [
    &[
        "a", "az", "és", "nem", "van", "egy", "hogy", "is", "de", "meg", "már", "ez", "én", "vagyok",
        "nekem", "szeretem", "lakom",
    ],
    &[
        "și", "nu", "este", "sunt", "un", "o", "de", "la", "cu", "în", "pe", "mi", "am", "ce", "să", "că",
        "pentru", "mă", "e", "din", "eu", "are", "a", "mea", "meu", "nici",
    ],
    &[
        "a", "je", "se", "na", "v", "že", "to", "jsem", "mám", "ne", "s", "do", "já", "i", "z", "o", "si",
        "pro", "ale", "můj", "moje",
    ],
    &[
        "a", "je", "sa", "na", "v", "že", "to", "som", "mám", "nie", "s", "do", "ja", "i", "z", "o", "si",
        "pre", "ale", "môj", "moja",
    ],
    &[
        "el", "la", "els", "les", "i", "és", "un", "una", "de", "del", "que", "amb", "no", "en", "em", "per",
        "a", "meva", "meu", "visc", "tinc", "soc", "l", "d",
    ],
    &[
        "dan", "yang", "di", "saya", "tidak", "ini", "itu", "dengan", "untuk", "ke", "dari", "ada", "adalah",
        "akan",
    ],
];

/// Different frequent words that a text needs.
const MIN_WORDS: usize = 3;

/// How many times more frequent words the language needs than each other language.
const MARGIN: usize = 2;

/// The language of a text as a two-letter code. `None` when the text has too few frequent words, or when another language is
/// nearly as likely.
pub fn detect_language(text: &str) -> Option<&'static str> {
    detect(text, MIN_WORDS, MARGIN)
}

/// The most likely language of a short text: good enough to compare two texts.
pub(crate) fn guess_language(text: &str) -> Option<&'static str> {
    detect(text, 1, 1)
}

fn detect(text: &str, min_words: usize, margin: usize) -> Option<&'static str> {
    if let Some(language) = by_script(text) {
        return (language != OTHER).then_some(language);
    }
    let text = text.to_lowercase();
    let words: HashSet<&str> = text.split(|c: char| !c.is_alphabetic()).collect();
    let matching = |frequent: &[&'static str]| -> HashSet<&str> {
        frequent.iter().copied().filter(|word| words.contains(word)).collect()
    };
    let (language, _, frequent) = LATIN.iter().max_by_key(|(.., frequent)| matching(frequent).len())?;
    let own = matching(frequent);
    // Words of both languages decide nothing.
    let is_rivalled_by = |other: &[&'static str]| {
        let other = matching(other);
        let (own, others) = (own.difference(&other).count(), other.difference(&own).count());
        own <= others || own < margin * others
    };
    let others = LATIN.iter().filter(|(other, ..)| other != language).map(|(.., frequent)| *frequent);
    let is_likely = own.len() >= min_words && !others.chain(LOOKALIKES).any(is_rivalled_by);
    is_likely.then_some(*language)
}

/// A language in Chinese or Arabic script that is neither Chinese nor Arabic.
const OTHER: &str = "other";

/// The name in the prompts of a language of [`detect_language`].
pub(crate) fn language_name(language: &str) -> Option<&'static str> {
    match language {
        "zh" => Some("Chinese"),
        "ar" => Some("Arabic"),
        _ => LATIN.iter().find(|(code, ..)| *code == language).map(|(_, name, _)| *name),
    }
}

/// The language of most letters, for scripts that mostly one language uses. [`OTHER`] when other letters of the script show
/// that it is a different language.
fn by_script(text: &str) -> Option<&'static str> {
    let count = |range: std::ops::RangeInclusive<char>| text.chars().filter(|c| range.contains(c)).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    // A single name in another script does not change the language.
    let is_mostly = |count: usize| count * 2 > letters;
    let (han, kana) = (count('\u{4e00}'..='\u{9fff}'), count('\u{3040}'..='\u{30ff}'));
    if is_mostly(han + kana) {
        return Some(if kana > 0 { OTHER } else { "zh" });
    }
    // Persian and Urdu.
    let is_of_others = text.contains(['پ', 'چ', 'ژ', 'گ', 'ک', 'ی', 'ٹ', 'ڈ', 'ے']);
    is_mostly(count('\u{600}'..='\u{6ff}')).then_some(if is_of_others { OTHER } else { "ar" })
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
    #[case::dutch("Ik woon in Utrecht en ik heb een hond, maar mijn vrouw niet.", Some("nl"))]
    #[case::polish("Mieszkam w Krakowie i nie jem mięsa, mam się dobrze.", Some("pl"))]
    #[case::hungarian(
        "Budapesten lakom, és van egy kutyám, de a feleségem nem szereti a macskákat, ez is baj.",
        None
    )]
    #[case::romanian(
        "Locuiesc la Cluj cu soția mea, am un câine și o pisică, dar nu mănânc carne de porc.",
        None
    )]
    #[case::czech("Bydlím v Brně, mám psa a nejím maso, ale to je dobré i pro děti, jak se říká.", None)]
    #[case::slovak(
        "Bývam v Košiciach a mám psa, nie som vegetarián, ale na obed i tak jem zeleninu z trhu.",
        None
    )]
    #[case::catalan("Visc a Girona amb la meva dona i tinc un gos que no menja carn.", None)]
    #[case::indonesian("Saya tinggal di Bandung dan saya tidak makan daging, ini untuk anak saya.", None)]
    #[case::persian("من در تهران زندگی می‌کنم و گوشت نمی‌خورم.", None)]
    #[case::urdu("میں لاہور میں رہتا ہوں اور گوشت نہیں کھاتا۔", None)]
    #[case::japanese("東京に住んでいます。", None)]
    #[case::a_name_alone("Porto", None)]
    #[case::nothing("", None)]
    fn languages_are_detected_or_left_unknown(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(detect_language(text), expected);
    }
}
