//! Whether a text says only what its sources say. A rough measure that needs no dictionary: groups of neighbouring
//! characters, which inflection leaves mostly alone in any language.

use std::collections::HashSet;

use crate::folding::normalise_fact;

/// The characters from which on a script writes whole syllables or words with one character, without blanks.
const DENSE_SCRIPTS: std::ops::RangeFrom<char> = '\u{2e80}'..;

type Groups = HashSet<String>;

/// How much of `text` occurs in its sources, 0.0 to 1.0; nothing is wholly grounded.
pub(crate) fn grounded_share<S: AsRef<str>>(text: &str, sources: &[S]) -> f64 {
    let wanted = groups(text);
    if wanted.is_empty() {
        return 1.0;
    }
    let known: Groups = sources.iter().flat_map(|source| groups(source.as_ref())).collect();
    wanted.intersection(&known).count() as f64 / wanted.len() as f64
}

/// How alike two texts are, 0.0 to 1.0.
pub(crate) fn likeness(one: &str, other: &str) -> f64 {
    let (one, other) = (groups(one), groups(other));
    let all = one.len() + other.len();
    if all == 0 { 0.0 } else { 2.0 * one.intersection(&other).count() as f64 / all as f64 }
}

/// Does the text hold a number that none of its sources holds? Of all inventions these do the most harm.
pub(crate) fn has_new_number<S: AsRef<str>>(text: &str, sources: &[S]) -> bool {
    let known: HashSet<String> = sources.iter().flat_map(|source| numbers(source.as_ref())).collect();
    numbers(text).iter().any(|number| !known.contains(number))
}

fn numbers(text: &str) -> Vec<String> {
    let folded = normalise_fact(text);
    let runs = folded.split(|c: char| !c.is_numeric()).filter(|run| !run.is_empty());
    runs.map(str::to_owned).collect()
}

fn groups(text: &str) -> Groups {
    let folded = normalise_fact(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.flat_map(groups_of_word).collect()
}

fn groups_of_word(word: &str) -> Vec<String> {
    let size = if word.chars().any(|c| DENSE_SCRIPTS.contains(&c)) { 2 } else { 3 };
    let padded: Vec<char> = std::iter::once(' ').chain(word.chars()).chain([' ']).collect();
    padded.windows(size).map(|group| group.iter().collect()).collect()
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
    fn measures_how_much_is_grounded(
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
    fn notices_a_number_that_is_new(#[case] text: &str, #[case] source: &str, #[case] expected: bool) {
        assert_eq!(has_new_number(text, &[source]), expected);
    }
}
