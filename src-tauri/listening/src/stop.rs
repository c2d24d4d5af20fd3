//! Stop commands: words that end a reply at once.
//!
//! Source: behaviour reference, section 1.5, with row 5 of section 11: whole words, not parts of words.

use crate::similarity::sequence_matcher_ratio;
use crate::wake::trim_punctuation;

/// The longest text, in words, that may also contain a word similar to a stop word: short commands are often misheard.
const MAX_FUZZY_WORDS: usize = 2;

/// The longest text, in words, in which a stop word counts anywhere. In longer texts it counts only at the start or the
/// end: "the next stop is Leeds" is no command.
const MAX_ANYWHERE_WORDS: usize = 4;

/// Whether this lower-case text is a command to stop speaking. `fuzzy_ratio` is the least similarity, 0.0 to 1.0, of a
/// misheard stop word.
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
}
