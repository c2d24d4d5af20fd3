//! Requests of two parts, split at a conjunction of their language.
//!
//! Source: behaviour reference, section 2.12, "Compound queries".

use vocabulary::Language;

/// The shortest part, in characters. Source: behaviour reference, section 2.12.
const SHORTEST: usize = 9;

/// The same in languages where a character says more.
const SHORTEST_IDEOGRAPHIC: usize = 4;

/// The conjunctions of a language, the longer before the shorter where one contains the other.
struct Conjunctions {
    language: &'static str,
    words: &'static [&'static str],
    /// Whether words stand between blanks.
    is_spaced: bool,
}

const fn spaced(language: &'static str, words: &'static [&'static str]) -> Conjunctions {
    Conjunctions { language, words, is_spaced: true }
}

const fn unspaced(language: &'static str, words: &'static [&'static str]) -> Conjunctions {
    Conjunctions { language, words, is_spaced: false }
}

/// Arabic, Hebrew, Thai, Khmer and Lao are left out: their conjunctions are parts of words.
const CONJUNCTIONS: [Conjunctions; 31] = [
    spaced("en", &["and"]),
    spaced("es", &["y", "e"]),
    spaced("fr", &["et"]),
    spaced("de", &["und"]),
    spaced("pt", &["e"]),
    spaced("it", &["ed", "e"]),
    spaced("nl", &["en"]),
    spaced("sv", &["och"]),
    spaced("no", &["og"]),
    spaced("da", &["og"]),
    spaced("fi", &["ja", "sekä"]),
    spaced("ru", &["а также", "и"]),
    spaced("uk", &["і", "та", "й"]),
    spaced("be", &["і", "ды"]),
    spaced("pl", &["i", "oraz"]),
    spaced("cs", &["a", "i"]),
    spaced("sk", &["a", "i"]),
    spaced("bg", &["и"]),
    spaced("sr", &["и", "i"]),
    spaced("hr", &["i"]),
    spaced("sl", &["in"]),
    spaced("el", &["και", "κι"]),
    spaced("tr", &["ve"]),
    spaced("hu", &["és", "meg"]),
    spaced("ro", &["și", "şi"]),
    spaced("vi", &["và"]),
    spaced("id", &["dan"]),
    spaced("hi", &["और", "तथा"]),
    unspaced("zh", &["以及", "并且", "和", "与"]),
    unspaced("ja", &["そして", "および", "また", "かつ"]),
    unspaced("ko", &["그리고", "및"]),
];

/// The two parts of a request; `None` where it has one. Without a language it is taken for English.
pub fn split_compound(text: &str, language: Option<&Language>) -> Option<(String, String)> {
    let code = match language.map_or("en", Language::code) {
        "ms" => "id",
        "nb" | "nn" => "no",
        code => code,
    };
    let conjunctions = CONJUNCTIONS.iter().find(|known| known.language == code)?;
    let (at, length) = first_conjunction(text, conjunctions)?;
    let shortest = match code {
        "zh" | "ja" | "ko" => SHORTEST_IDEOGRAPHIC,
        _ => SHORTEST,
    };
    let parts = (text[..at].trim(), text[at + length..].trim());
    let is_long = |part: &str| part.chars().count() >= shortest;
    (is_long(parts.0) && is_long(parts.1)).then(|| (parts.0.to_owned(), parts.1.to_owned()))
}

/// Place and length in bytes of the first conjunction, without regard to case.
fn first_conjunction(text: &str, conjunctions: &Conjunctions) -> Option<(usize, usize)> {
    text.char_indices().find_map(|(at, _)| {
        let is_bounded = |length: usize| {
            let before = text[..at].chars().next_back().is_some_and(char::is_whitespace);
            let after = text[at + length..].chars().next().is_some_and(char::is_whitespace);
            !conjunctions.is_spaced || (before && after)
        };
        let length = conjunctions.words.iter().find_map(|word| length_of_match(&text[at..], word))?;
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
