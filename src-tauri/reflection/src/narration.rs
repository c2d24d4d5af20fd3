//! The words by which models narrate a conversation, as regular expressions. A text may be in any language, so that each
//! expression covers all languages that have such words.
//!
//! The words are in the data of the languages (`[narration]` of `words.toml`).

use std::sync::LazyLock;

use languages::{
    LanguageData, List, NarrationWords, PatternItem, PatternItemKind, WordList, Writing, sequences,
};
use regex::Regex;

/// The beginning of a clause about what the assistant did not know or could not do, or offered (`offer`). The assistant is
/// its subject: what the user could not do stays in the diary.
pub(crate) static INABILITY: LazyLock<Regex> = LazyLock::new(|| {
    let (inabilities, offers) = (patterns(|words| words.inabilities), patterns(|words| words.offers));
    regex(&format!("(?i)(?:{inabilities})|(?P<offer>{offers})"))
});

/// The user as the next subject after such a clause: in a clause of its own (`clause`), or joined without a comma (`joined`).
pub(crate) static USER_CLAUSE: LazyLock<Regex> = LazyLock::new(|| {
    let conjunctions = joined(all().map(|(_, words)| alternatives(words.conjunctions.iter())));
    let verbs = all().filter(|(_, words)| !words.verbs_before_subject.is_empty());
    let verbs = joined(verbs.map(|(_, words)| alternatives(words.verbs_before_subject.iter())));
    // In Arabic a conjunction is part of the next word, so that no boundary stands before the user.
    let user = joined(all().map(|(data, words)| ended(data, &alternatives(words.user.iter()))));
    // Only the clause itself is captured.
    let clause =
        format!(r"[,;，；、،؛]\s*(?:(?:{conjunctions})\s*)?(?P<clause>(?:(?:{verbs})\s+)?(?:{user}))");
    regex(&format!(r"(?i){clause}|(?P<joined>\b(?:{conjunctions})\s+(?:{user}))"))
});

/// The conjunction before such a clause, at the end of a text.
pub(crate) static CONJUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    let conjunctions = phrases(|words| words.conjunctions);
    regex(&format!(r"(?i)[\s,;，；、،]*(?:{conjunctions})?[\s,，、،]*$"))
});

/// The parts of a fact that come from its standard form and not from the dialogue: "the user" and dates.
pub(crate) static STANDARD_PARTS: LazyLock<Regex> = LazyLock::new(|| {
    let user = phrases(|words| words.user);
    regex(&format!(r"(?i){user}|\b\d{{4}}-\d{{2}}-\d{{2}}\b"))
});

/// The beginning of a fact that tells what the user said.
pub(crate) static NARRATION: LazyLock<Regex> =
    LazyLock::new(|| regex(&format!("(?i)^(?:{})", patterns(|words| words.narrations))));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the words of the languages are constants")
}

/// The languages that have such words.
fn all() -> impl Iterator<Item = (&'static LanguageData, &'static NarrationWords)> {
    languages::all().iter().filter_map(|data| Some((data, data.narration.as_ref()?)))
}

/// Any whole phrase of this list, in any language.
fn phrases(list: fn(&NarrationWords) -> WordList) -> String {
    joined(all().map(|(data, words)| bounded(data, &alternatives(list(words).iter()))))
}

/// Any of these patterns, in any language.
fn patterns(list: fn(&NarrationWords) -> List<&'static str>) -> String {
    let of_language = |(data, words): (&'static LanguageData, &'static NarrationWords)| {
        let patterns = list(words).into_iter();
        let readings = patterns.flat_map(|pattern| sequences(pattern).expect("the build script checks it"));
        readings.map(move |reading| bounded(data, &sequence(data, words, &reading))).collect::<Vec<_>>()
    };
    joined(all().flat_map(of_language))
}

/// One reading of a pattern.
fn sequence(data: &LanguageData, words: &NarrationWords, reading: &[PatternItem]) -> String {
    let has_blanks = data.writing != Writing::Unspaced;
    let mut regex = String::new();
    for (index, item) in reading.iter().enumerate() {
        let blank = if has_blanks && index > 0 { r"\s+" } else { "" };
        let part = match &item.kind {
            PatternItemKind::Words(phrases) => {
                format!("{blank}(?:{})", alternatives(phrases.iter().map(String::as_str)))
            }
            PatternItemKind::Slot(slot) => match slot.as_str() {
                "user" => format!("{blank}(?:{})", alternatives(words.user.iter())),
                "assistant" => format!("{blank}(?:{})", alternatives(words.assistant.iter())),
                // In Turkish an ending follows a name behind an apostrophe: "Ada'ya".
                "word" => format!(r"{blank}\w+(?:['’]\w+)*"),
                "words" if has_blanks => r"(?:\s+[^\s,.;!?،؛؟]+)*?".to_owned(),
                "any" if has_blanks => r"(?:\s+[^\s.;!?؛؟]+)*?".to_owned(),
                _ => r"[^\s,;。，、；！？]{0,4}?".to_owned(),
            },
        };
        regex.push_str(&if item.is_optional { format!("(?:{part})?") } else { part });
    }
    regex
}

/// Any of these phrases. An apostrophe may be curly.
fn alternatives<'w>(phrases: impl Iterator<Item = &'w str>) -> String {
    joined(phrases.map(|phrase| regex::escape(phrase).replace('\'', "['’]").replace(' ', r"\s+")))
}

fn joined(regexes: impl Iterator<Item = String>) -> String {
    regexes.collect::<Vec<_>>().join("|")
}

/// As whole words, if the language has spaces.
fn bounded(data: &LanguageData, regex: &str) -> String {
    let begin = if data.writing == Writing::Unspaced { "" } else { r"\b" };
    format!("{begin}{}", ended(data, regex))
}

/// Up to the end of a word, if the language has spaces between all words.
fn ended(data: &LanguageData, regex: &str) -> String {
    let end = if data.writing == Writing::Spaced { r"\b" } else { "" };
    format!("(?:{regex}){end}")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn narration_is_known_in_these_languages() {
        let mut codes: Vec<&str> = all().map(|(data, _)| data.code).collect();
        codes.sort_unstable();

        assert_eq!(
            codes,
            ["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "tr", "uk", "zh"]
        );
    }

    #[rstest]
    #[case::name_with_an_ending("Kullanıcı Ada'ya sordu.", true)]
    #[case::curly_apostrophe("Kullanıcı Ada’ya hangi günün uygun olduğunu sordu.", true)]
    #[case::name_without_an_ending("Kullanıcı asistana sordu.", true)]
    #[case::fact_about_a_name("Kullanıcı Ada'ya kitap aldı.", false)]
    fn turkish_narration_is_found_behind_a_name(#[case] fact: &str, #[case] expected: bool) {
        assert_eq!(NARRATION.is_match(fact), expected);
    }

    #[rstest]
    #[case::english("The user moves on 2025-11-28.", "moves on .")]
    #[case::dutch("De gebruiker houdt van thee.", "houdt van thee.")]
    #[case::french("L’utilisatrice aime le thé.", "aime le thé.")]
    #[case::chinese("用户喜欢茶。", "喜欢茶。")]
    #[case::part_of_a_word("The users like tea.", "The users like tea.")]
    fn user_and_dates_are_standard_parts(#[case] fact: &str, #[case] rest: &str) {
        assert_eq!(STANDARD_PARTS.replace_all(fact, "").trim(), rest);
    }
}
