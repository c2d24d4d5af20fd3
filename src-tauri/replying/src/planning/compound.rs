//! Requests of two parts, split at a conjunction of their language.
//!
//! Source: docs/behaviour/replying.md#requests-of-two-parts.

use languages::{WordList, Writing};
use vocabulary::Language;

/// The shortest part, in characters. Source: docs/behaviour/replying.md#requests-of-two-parts.
const SHORTEST: usize = 9;

/// The same in languages where a character says more.
const SHORTEST_DENSE: usize = 4;

/// The two parts of a request; `None` if it has one. Without a language it is taken for English.
pub fn split_compound(text: &str, language: Option<&Language>) -> Option<(String, String)> {
    let code = match language.map_or("en", Language::code) {
        "ms" => "id",
        "nb" | "nn" => "no",
        code => code,
    };
    let language = Language::new(code)?;
    let conjunctions = languages::conjunctions(&language)?;
    // Korean has spaces, but attaches its conjunctions to words.
    let writing = languages::of(&language).map_or(Writing::Spaced, |data| data.writing);
    let (at, length) = first_conjunction(text, conjunctions, writing == Writing::Spaced)?;
    let shortest = if writing == Writing::Spaced { SHORTEST } else { SHORTEST_DENSE };
    let parts = (text[..at].trim(), text[at + length..].trim());
    let is_long = |part: &str| part.chars().count() >= shortest;
    (is_long(parts.0) && is_long(parts.1)).then(|| (parts.0.to_owned(), parts.1.to_owned()))
}

/// Place and length in bytes of the first conjunction, without regard to case.
fn first_conjunction(text: &str, conjunctions: WordList, is_spaced: bool) -> Option<(usize, usize)> {
    text.char_indices().find_map(|(at, _)| {
        let is_bounded = |length: usize| {
            let before = text[..at].chars().next_back().is_some_and(char::is_whitespace);
            let after = text[at + length..].chars().next().is_some_and(char::is_whitespace);
            !is_spaced || (before && after)
        };
        let length = conjunctions.iter().find_map(|word| length_of_match(&text[at..], word))?;
        is_bounded(length).then_some((at, length))
    })
}

/// The length in bytes of the beginning of `text` that is `word` in any case.
fn length_of_match(text: &str, word: &str) -> Option<usize> {
    let length: usize = text.chars().take(word.chars().count()).map(char::len_utf8).sum();
    (text[..length].to_lowercase() == word).then_some(length)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::english(None, "what is the weather AND what time is it", Some(("what is the weather", "what time is it")))]
    #[case::short_part(None, "salt and what time is it in Tokyo", None)]
    #[case::once(None, "play some jazz and dim the lights and lock up", Some(("play some jazz", "dim the lights and lock up")))]
    #[case::german(Some("de"), "wie ist das Wetter und wie spät ist es", Some(("wie ist das Wetter", "wie spät ist es")))]
    #[case::another_language(Some("de"), "what is the weather and what time is it", None)]
    #[case::inside_a_word(None, "understanding sandwiches", None)]
    #[case::russian_phrase(Some("ru"), "какая погода а также сколько времени", Some(("какая погода", "сколько времени")))]
    #[case::chinese(Some("zh"), "今天天气怎么样以及现在几点了", Some(("今天天气怎么样", "现在几点了")))]
    #[case::arabic_is_left_whole(Some("ar"), "ما هو الطقس و كم الساعة الآن", None)]
    fn splits_requests_of_two_parts(
        #[case] language: Option<&str>,
        #[case] text: &str,
        #[case] expected: Option<(&str, &str)>,
    ) {
        let language = language.and_then(Language::new);
        let expected = expected.map(|(first, second)| (first.to_owned(), second.to_owned()));

        assert_eq!(split_compound(text, language.as_ref()), expected);
    }
}
