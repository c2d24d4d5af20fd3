//! The similarity of what was heard to what we said.

use std::sync::LazyLock;

use regex::Regex;

use crate::similarity::{partial_ratio, token_set_ratio};

/// The least similarity of pure echo, 0 to 100.
const MIN_PURE_ECHO: f64 = 70.0;

/// Returns `true` if two texts have at least this similarity, 0 to 100, after [`normalise`].
pub fn is_similar(heard: &str, spoken: &str, min_similarity: f64) -> bool {
    let (heard, spoken) = (normalise(heard), normalise(spoken));
    if heard.is_empty() || spoken.is_empty() {
        return false;
    }
    partial_ratio(&heard, &spoken).max(token_set_ratio(&heard, &spoken)) >= min_similarity
}

/// Returns `true` if an utterance contains only our own words. A text that is much longer than our speech contains words of the
/// user.
pub fn is_pure_echo(heard: &str, spoken: &str) -> bool {
    let (heard_words, spoken_words) = (heard.split_whitespace().count(), spoken.split_whitespace().count());
    let max_words = (1.3 * spoken_words as f64).max(spoken_words as f64 + 3.0);
    resembles_own_words(heard, spoken) && heard_words as f64 <= max_words
}

/// Returns `true` if a text, of any length, resembles a part of what we said as much as pure echo does.
pub fn resembles_own_words(text: &str, spoken: &str) -> bool {
    let (text, spoken) = (text.trim().to_lowercase(), spoken.trim().to_lowercase());
    !text.is_empty() && !spoken.is_empty() && partial_ratio(&text, &spoken) >= MIN_PURE_ECHO
}

/// Writes text as recognisers write speech: lower case, degrees as words, no parentheses.
pub fn normalise(text: &str) -> String {
    static CELSIUS: LazyLock<Regex> = LazyLock::new(|| compile(r"(\d+)\s*°\s*c\b"));
    static FAHRENHEIT: LazyLock<Regex> = LazyLock::new(|| compile(r"(\d+)\s*°\s*f\b"));
    static DEGREES: LazyLock<Regex> = LazyLock::new(|| compile(r"\s*°"));
    let lower = text.trim().to_lowercase();
    let lower = CELSIUS.replace_all(&lower, "$1 degrees celsius");
    let lower = FAHRENHEIT.replace_all(&lower, "$1 degrees fahrenheit");
    let lower = DEGREES.replace_all(&lower, " degrees");
    lower.chars().filter(|c| !matches!(c, '(' | ')')).collect::<String>().trim().to_owned()
}

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::celsius(
        " 18°C (feels like 16 °C), 20° ",
        "18 degrees celsius feels like 16 degrees celsius, 20 degrees"
    )]
    #[case::fahrenheit("It is 64 °F.", "it is 64 degrees fahrenheit.")]
    #[case::part_of_a_number("18.5°C", "18.5 degrees celsius")]
    #[case::sign_alone("turn by 90°", "turn by 90 degrees")]
    #[case::sign_before_another_word("20° cold", "20 degrees cold")]
    #[case::parentheses("Leeds (England)", "leeds england")]
    #[case::nothing("  ", "")]
    fn text_is_written_as_recognisers_write_it(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(normalise(text), expected);
    }

    #[rstest]
    #[case::part("rain in leeds", "It will rain in Leeds today.", 100.0, true)]
    #[case::other_order("leeds in rain", "It will rain in Leeds today", 100.0, true)]
    #[case::degrees("18 degrees celsius", "now 18°C", 100.0, true)]
    #[case::mark_is_inclusive("abcdefghik", "abcdefghij", 90.0, true)]
    #[case::below_the_mark("abcdefghik", "abcdefghij", 95.0, false)]
    #[case::nothing_heard("", "It will rain", 0.0, false)]
    #[case::nothing_spoken("rain", "", 0.0, false)]
    fn similarity_is_the_best_of_two_ratios(
        #[case] heard: &str,
        #[case] spoken: &str,
        #[case] min_similarity: f64,
        #[case] expected: bool,
    ) {
        assert_eq!(is_similar(heard, spoken, min_similarity), expected);
    }

    #[rstest]
    #[case::part("take an umbrella", "So take an umbrella with you.", true)]
    #[case::other_words("what about york", "So take an umbrella with you.", false)]
    #[case::different("yes", "Fine.", false)]
    #[case::three_words_more("it is fine and so", "It is", true)]
    #[case::four_words_more("it is fine and so now", "It is", false)]
    #[case::third_more("a b c d e f g h i j k l m", "a b c d e f g h i j", true)]
    #[case::more_than_a_third("a b c d e f g h i j k l m n", "a b c d e f g h i j", false)]
    #[case::nothing("", "Fine.", false)]
    fn pure_echo_is_similar_and_not_much_longer(
        #[case] heard: &str,
        #[case] spoken: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(is_pure_echo(heard, spoken), expected);
    }
}
