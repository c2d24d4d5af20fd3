//! The words that the rule needs, of all languages that know how a secret is announced: a text may be in any of them.

use std::collections::HashSet;
use std::sync::LazyLock;

use languages::{LanguageData, SecretWords, WordList as Words};

pub(super) type WordList = LazyLock<HashSet<&'static str>>;

/// The languages that know how a secret is announced.
pub(super) fn languages() -> impl Iterator<Item = (&'static LanguageData, &'static SecretWords)> {
    languages::all().iter().filter_map(|data| Some((data, data.secrets.as_ref()?)))
}

/// The words of one list of each language.
pub(super) fn words_of(list: fn(&SecretWords) -> Words) -> impl Iterator<Item = &'static str> {
    languages().flat_map(move |(_, secrets)| list(secrets).iter())
}

/// The words of one list of each language as a set; an apostrophe may be curly.
fn set(list: fn(&SecretWords) -> Words) -> HashSet<&'static str> {
    let curly =
        words_of(list).filter(|word| word.contains('\'')).map(|word| &*word.replace('\'', "’").leak());
    words_of(list).chain(curly).collect()
}

/// Signs that say "is".
const COPULA_SIGNS: [&str; 3] = ["->", "=>", "=="];

/// Words between a label and its value.
pub(super) static COPULAS: WordList =
    LazyLock::new(|| set(|secrets| secrets.copulas).into_iter().chain(COPULA_SIGNS).collect());

/// Words between "is" and the value. A hesitation may stand there too.
pub(super) static FILLERS: WordList = LazyLock::new(|| set(|secrets| secrets.fillers));

/// Nouns which, behind an article or alone, stand before the value: "the password is the word …".
pub(super) static FILLERS_AFTER_DETERMINER: WordList =
    LazyLock::new(|| set(|secrets| secrets.nouns_before_value));

/// Articles and possessives.
pub(super) static DETERMINERS: WordList = LazyLock::new(|| set(|secrets| secrets.determiners));

/// Words that may follow a label and lead to "is": "the code for the door is …".
pub(super) static PREPOSITIONS: WordList = LazyLock::new(|| set(|secrets| secrets.prepositions));

/// Words that open a clause about the label: "the code they sent me is …".
pub(super) static CLAUSE_OPENERS: WordList = LazyLock::new(|| set(|secrets| secrets.clause_openers));

/// Pronouns for the label: "remember my PIN, it is …".
pub(super) static PRONOUNS: WordList = LazyLock::new(|| set(|secrets| secrets.pronouns));

/// Pronouns and "is" in one word.
pub(super) static PRONOUNS_WITH_IS: WordList = LazyLock::new(|| set(|secrets| secrets.pronouns_with_is));

/// Adjectives, nouns and possessives that follow a label in some languages: "le code secret est …".
pub(super) static ADJECTIVES_OF_LABELS: WordList = LazyLock::new(|| set(|secrets| secrets.adjectives));

/// Words before "to" and a new value.
pub(super) static CHANGING_VERBS: WordList = LazyLock::new(|| set(|secrets| secrets.changing_verbs));

/// "to" before a new value.
pub(super) static TARGET_PREPOSITIONS: WordList =
    LazyLock::new(|| set(|secrets| secrets.target_prepositions));

/// Words beside "code" that make it something else than a secret.
pub(super) static HARMLESS_QUALIFIERS: WordList =
    LazyLock::new(|| set(|secrets| secrets.harmless_qualifiers));

/// Things that numbers count. A number before one of these is no secret.
pub(super) static UNITS: WordList = LazyLock::new(|| set(|secrets| secrets.units));

/// Words that are said while a secret is spelled.
pub(super) static SPELLING_WORDS: WordList = LazyLock::new(|| set(|secrets| secrets.spelling_words));

/// "and" before the next clause.
pub(super) static SENTENCE_CONJUNCTIONS: WordList = LazyLock::new(|| set(|secrets| secrets.conjunctions));

/// Words that often follow "the password is" and are no password: function words, adverbs, adjectives and nouns.
pub(super) static CONTINUATIONS: WordList = LazyLock::new(|| set(|secrets| secrets.continuations));

/// Names with digits or capitals that are no secrets.
pub(super) static TECHNICAL_TERMS: WordList = LazyLock::new(|| {
    "
    1password 2fa mp3 mp4 md5 sha1 sha-1 sha2 sha256 sha-256 sha512 sha-512 aes128 aes256 aes-256 base32
    base64 utf8 utf-8 utf16 utf-16 rot13 argon2 argon2id wpa2 wpa3 oauth2 ipv4 ipv6 python2 python3 html5
    css3 es6 x86 arm64 amd64 windows10 windows11 keepassxc lastpass icloud github gitlab iphone ios macos
    javascript typescript
    "
    .split_whitespace()
    .collect()
});

/// Returns `true` if people say this word while they think: "um", "äh".
pub(super) fn is_hesitation(word: &str) -> bool {
    languages().any(|(data, _)| data.fillers.contains(word))
}

/// Returns `true` if the word is added to the end of a sentence: "please", "danke".
pub(super) fn is_polite(word: &str) -> bool {
    languages()
        .any(|(data, secrets)| data.polite_words.contains(word) || secrets.sentence_tags.contains(word))
}

/// Returns `true` if digits with this ending count in order: "4th".
pub(super) fn is_ordinal_ending(ending: &str) -> bool {
    languages().any(|(data, _)| data.ordinal_endings.contains(ending))
}

/// Returns `true` if the word counts something with whatever ending: "12-stelliges".
pub(super) fn begins_as_unit(word: &str) -> bool {
    words_of(|secrets| secrets.unit_beginnings).any(|beginning| word.starts_with(beginning))
}

/// Returns `true` if a label may be the end of a longer word: "Routerpasswort".
pub(super) fn may_end_compound(label: &str) -> bool {
    words_of(|secrets| secrets.compound_endings).any(|ending| label.ends_with(ending))
}

/// The length of "'s" and a blank at the beginning of what follows a label.
pub(super) fn short_copula(rest: &str) -> Option<usize> {
    words_of(|secrets| secrets.short_copulas)
        .flat_map(|short| [format!("{short} "), format!("{} ", short.replace('\'', "’"))])
        .find(|short| rest.starts_with(short.as_str()))
        .map(|short| short.len())
}

/// Returns `true` if a word ends as adjectives and participles do. It has to be longer than its ending by three
/// letters.
pub(super) fn has_adjective_ending(word: &str) -> bool {
    let has_ending = words_of(|secrets| secrets.adjective_endings)
        .filter_map(|ending| word.strip_suffix(ending))
        .any(|stem| stem.chars().count() >= 3);
    // "gespeichert", "verschlüsselt", "abgelaufen".
    let is_participle = languages().any(|(_, secrets)| {
        let begins =
            |beginning: &str| word.strip_prefix(beginning).is_some_and(|stem| stem.chars().count() >= 4);
        secrets.participle_beginnings.iter().any(begins)
            && secrets.participle_endings.iter().any(|ending| word.ends_with(ending))
    });
    has_ending || is_participle
}

/// The words for these numbers, without those of several words.
fn number_words(numbers: impl Iterator<Item = usize>) -> impl Iterator<Item = &'static str> {
    numbers
        .flat_map(|number| languages().flat_map(move |(data, _)| data.number_words(number)))
        .filter(|word| !word.contains(' '))
}

/// Returns `true` if the word is a number of two digits in one language and a short function word in another: Turkish "on". A
/// longer one is a number wherever it stands beside others: "onze".
fn is_read_otherwise(word: &str) -> bool {
    const SHORT: usize = 2;
    let is_ten =
        |data: &LanguageData| (10..=90).any(|number| data.number_words(number).any(|ten| ten == word));
    word.chars().count() <= SHORT && languages().any(|(data, _)| !is_ten(data) && data.is_function_word(word))
}

/// Words for 0 to 9, and the words "double" and "triple" before them.
pub(super) static UNIT_DIGITS: WordList =
    LazyLock::new(|| number_words(0..=9).chain(words_of(|secrets| secrets.digit_words)).collect());

/// Words for 10 to 31 and for tens.
pub(super) static TEENS_AND_TENS: WordList =
    LazyLock::new(|| number_words(10..=90).filter(|word| !is_read_otherwise(word)).collect());

/// Words for two digits within a number: "quatre-vingts".
pub(super) static TENS_IN_NUMBERS: WordList = LazyLock::new(|| set(|secrets| secrets.ten_words));
