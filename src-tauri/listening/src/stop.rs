//! Words that end a reply at once.
//!
//! Source: behaviour reference, section 1.5, with row 5 of section 11: whole words, not parts of words.

use crate::similarity::sequence_matcher_ratio;
use crate::wake::trim_punctuation;

/// Texts of at most so many words are compared by likeness too: short commands are often misheard.
const SHORT: usize = 2;

/// In longer texts a stop word counts at either end only: "the next stop is Leeds" stops nothing.
const ANYWHERE_UP_TO: usize = 4;

/// Is this lower-case text a command to fall silent?
pub fn is_stop_command(text_lower: &str, stop_words: &[String], fuzzy_ratio: f64) -> bool {
    let words: Vec<&str> =
        text_lower.split_whitespace().map(trim_punctuation).filter(|word| !word.is_empty()).collect();
    stop_words.iter().any(|stop| {
        let stop: Vec<&str> = stop.split_whitespace().collect();
        let is_at = |from: usize| !stop.is_empty() && words[from..].starts_with(&stop);
        let is_anywhere = words.len() <= ANYWHERE_UP_TO && (0..words.len()).any(is_at);
        let is_at_an_end = is_at(0) || words.len().checked_sub(stop.len()).is_some_and(is_at);
        let is_like = words.len() <= SHORT
            && words.iter().any(|word| sequence_matcher_ratio(word, &stop.join(" ")) >= fuzzy_ratio);
        is_anywhere || is_at_an_end || is_like
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
    fn knows_a_command_to_fall_silent(#[case] text: &str, #[case] expected: bool) {
        let settings = ListeningSettings::default();

        assert_eq!(is_stop_command(text, &settings.stop_words, settings.stop_fuzzy_ratio), expected);
    }
}
