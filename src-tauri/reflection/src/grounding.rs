//! Measures how much of a text comes from its sources. A rough measure without a dictionary: character n-grams, which
//! inflection changes little in any language.

use std::collections::HashSet;

use crate::normalising::{is_dense_script, normalise_fact};

/// From this [`similarity`] on, two facts say the same: "the user likes tea" and "the user likes teas".
pub(crate) const SAME_MEANING: f64 = 0.8;

type Ngrams = HashSet<String>;

/// Returns the share of `text` that occurs in its sources, 0.0 to 1.0. An empty text is fully grounded.
pub(crate) fn grounded_share<S: AsRef<str>>(text: &str, sources: &[S]) -> f64 {
    let wanted = ngrams(text);
    if wanted.is_empty() {
        return 1.0;
    }
    let known: Ngrams = sources.iter().flat_map(|source| ngrams(source.as_ref())).collect();
    wanted.intersection(&known).count() as f64 / wanted.len() as f64
}

/// Similarity of two texts, 0.0 to 1.0 (Dice coefficient of their n-grams).
pub(crate) fn similarity(one: &str, other: &str) -> f64 {
    let (one, other) = (ngrams(one), ngrams(other));
    let all = one.len() + other.len();
    if all == 0 { 0.0 } else { 2.0 * one.intersection(&other).count() as f64 / all as f64 }
}

/// Returns `true` if the text contains a number that is in none of its sources. Invented numbers do the most harm.
pub(crate) fn has_new_number<S: AsRef<str>>(text: &str, sources: &[S]) -> bool {
    let known: HashSet<String> = sources.iter().flat_map(|source| numbers(source.as_ref())).collect();
    numbers(text).iter().any(|number| !known.contains(number))
}

fn numbers(text: &str) -> Vec<String> {
    let folded = normalise_fact(text);
    let runs = folded.split(|c: char| !c.is_numeric()).filter(|run| !run.is_empty());
    runs.map(str::to_owned).collect()
}

fn ngrams(text: &str) -> Ngrams {
    let folded = normalise_fact(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.flat_map(ngrams_of_word).collect()
}

fn ngrams_of_word(word: &str) -> Vec<String> {
    let size = if word.chars().any(is_dense_script) { 2 } else { 3 };
    let padded: Vec<char> = std::iter::once(' ').chain(word.chars()).chain([' ']).collect();
    padded.windows(size).map(|ngram| ngram.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::the_same("The user likes tea.", "the user likes TEA", 1.0, 1.0)]
    #[case::inflected("Die Nutzerin mag grüne Tees", "Die Nutzerin mag grünen Tee", 0.7, 1.0)]
    #[case::japanese("ユーザーは緑茶が好き", "ユーザーは緑茶がとても好きです", 0.6, 1.0)]
    #[case::something_else("Bananas fly over Helsinki", "The user likes tea", 0.0, 0.2)]
    #[case::nothing("", "The user likes tea", 1.0, 1.0)]
    fn grounded_share_lies_within_its_bounds(
        #[case] text: &str,
        #[case] source: &str,
        #[case] at_least: f64,
        #[case] at_most: f64,
    ) {
        let share = grounded_share(text, &[source]);

        assert!((at_least..=at_most).contains(&share), "{share}");
    }

    #[rstest]
    #[case::known("born in 1984", "in May 1984, born", false)]
    #[case::full_width("born in 1984", "born in １９８４", false)]
    #[case::invented("born in 1985", "born in 1984", true)]
    #[case::part_of_another("at 8", "in 1984", true)]
    fn number_without_a_source_is_recognised(
        #[case] text: &str,
        #[case] source: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(has_new_number(text, &[source]), expected);
    }
}
