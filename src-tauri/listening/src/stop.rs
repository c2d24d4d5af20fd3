//! Stop commands: words that end a reply at once.
//!
//! Source: docs/behaviour/listening.md#stop-words: whole words, not parts of words.

use languages::{LanguageData, Writing, normalised};

use crate::similarity::sequence_matcher_ratio;
use crate::wake::trim_punctuation;

/// The longest text, in words, that may also contain a word similar to a stop word: short commands are often misheard.
const MAX_FUZZY_WORDS: usize = 2;

/// The longest text, in words, in which a stop word counts anywhere. In longer texts it counts only at the start or the
/// end: "the next stop is Leeds" is no command.
const MAX_ANYWHERE_WORDS: usize = 4;

/// Returns `true` if this lower-case text is a command to stop speaking. `fuzzy_ratio` is the least similarity, 0.0
/// to 1.0, of a misheard stop word.
pub fn is_stop_command(text_lower: &str, stop_words: &[String], fuzzy_ratio: f64) -> bool {
    let words: Vec<&str> =
        text_lower.split_whitespace().map(trim_punctuation).filter(|word| !word.is_empty()).collect();
    stop_words.iter().any(|stop| {
        let stop: Vec<&str> = stop.split_whitespace().collect();
        let is_at = |from: usize| !stop.is_empty() && words[from..].starts_with(&stop);
        let is_anywhere = words.len() <= MAX_ANYWHERE_WORDS && (0..words.len()).any(is_at);
        let is_at_an_end = is_at(0) || words.len().checked_sub(stop.len()).is_some_and(is_at);
        let is_similar = words.len() <= MAX_FUZZY_WORDS
            && words.iter().any(|word| sequence_matcher_ratio(word, &stop.join(" ")) >= fuzzy_ratio);
        is_anywhere || is_at_an_end || is_similar
    })
}

/// Returns `true` if this lower-case text is one word, and one of these stop words or similar to one.
pub(crate) fn is_lone_stop_word(text_lower: &str, stop_words: &[String], fuzzy_ratio: f64) -> bool {
    let word = trim_punctuation(text_lower.trim());
    !word.contains(char::is_whitespace)
        && stop_words.iter().any(|stop| sequence_matcher_ratio(word, stop) >= fuzzy_ratio)
}

/// Returns `true` if one of these words is a stop word or similar to one.
pub(crate) fn has_stop_word(words: &[String], stop_words: &[String], fuzzy_ratio: f64) -> bool {
    stop_words.iter().any(|stop| {
        let stop: Vec<&str> = stop.split_whitespace().collect();
        words.windows(stop.len().max(1)).any(|run| run == stop.as_slice())
            || words.iter().any(|word| sequence_matcher_ratio(word, &stop.join(" ")) >= fuzzy_ratio)
    })
}

/// Returns `true` if the text consists of stop words of one language, and of words that may stand beside them: "bitte
/// hör auf". Some stop words mean something else inside a sentence, such as Spanish "para" and Turkish "dur", so that
/// nothing else may stand there. `text` is without the wake word.
pub fn is_stop_in_any_language(text: &str) -> bool {
    let text = normalised(text);
    languages::all().iter().any(|data| consists_of_stop_words(&text, data))
}

fn consists_of_stop_words(text: &str, data: &LanguageData) -> bool {
    let beside = [data.polite_words, data.fillers, data.greetings, data.no];
    let mut has_stop_word = false;
    let mut rest = text;
    while !rest.is_empty() {
        let begins = |phrase: &&str| begins_with(rest, phrase, data);
        let stop = data.stop_words.iter().filter(begins).map(str::len).max();
        let other = beside.iter().flat_map(|list| list.iter().filter(begins)).map(str::len).max();
        let Some(length) = stop.or(other) else { return false };
        has_stop_word |= stop.is_some();
        rest = rest[length..].trim_start();
    }
    has_stop_word
}

fn begins_with(text: &str, phrase: &str, data: &LanguageData) -> bool {
    let ends_word =
        |rest: &str| data.writing == Writing::Unspaced || !rest.starts_with(char::is_alphanumeric);
    text.strip_prefix(phrase).is_some_and(ends_word)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use settings::ListeningSettings;

    use super::*;

    #[rstest]
    #[case::alone("stop", true)]
    #[case::polite("please stop it now", true)]
    #[case::two_words("oh shut up", true)]
    #[case::first_of_a_longer_sentence("stop i have heard enough of it", true)]
    #[case::misheard("stopp!", true)]
    #[case::part_of_a_word("nonstop", false)]
    #[case::in_the_middle_of_a_sentence("the next stop is leeds central", false)]
    #[case::nothing("", false)]
    fn stop_words_count_as_whole_words_at_the_right_place(#[case] text: &str, #[case] expected: bool) {
        let settings = ListeningSettings::default();

        assert_eq!(is_stop_command(text, &settings.stop_words, settings.stop_fuzzy_ratio), expected);
    }

    #[rstest]
    #[case::english("shut up", true)]
    #[case::german("Bitte hör auf!", true)]
    #[case::german_twice("Stopp, stopp!", true)]
    #[case::french("Arrête, s'il te plaît.", true)]
    #[case::spanish("para", true)]
    #[case::italian("No, basta così.", true)]
    #[case::portuguese("Chega!", true)]
    #[case::dutch("hou op", true)]
    #[case::polish("Przestań, proszę.", true)]
    #[case::turkish("Dur!", true)]
    #[case::russian("Хватит, замолчи.", true)]
    #[case::ukrainian("досить", true)]
    #[case::japanese("止めて。", true)]
    #[case::japanese_polite("止めてください", true)]
    #[case::chinese("别说了！", true)]
    #[case::korean("그만해", true)]
    #[case::arabic("توقف من فضلك", true)]
    #[case::preposition("para mañana", false)]
    #[case::adjective_in_french("c'est dur", false)]
    #[case::particle_in_german("das ist halt so", false)]
    #[case::inside_a_word("stopptaste", false)]
    #[case::no_stop_word("nein danke", false)]
    #[case::nothing("", false)]
    fn whole_commands_stop_in_every_language(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_stop_in_any_language(text), expected);
    }

    #[test]
    fn every_stop_word_of_every_language_stops() {
        for data in languages::all() {
            for word in data.stop_words.iter() {
                assert!(is_stop_in_any_language(word), "{}: {word}", data.code);
            }
        }
    }
}
