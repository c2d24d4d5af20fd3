//! The similarity of two strings.
//!
//! Two families with the usual definitions, so that usual thresholds apply: the ratio of longest matching blocks (0 to
//! 1), and the ratio of insertions and deletions (0 to 100) with its partial and token forms.

use std::collections::{BTreeSet, HashMap};

/// The ratio of longest matching blocks, 2·M/T, between 0.0 and 1.0; 1.0 for two empty strings.
///
/// When `b` has 200 characters or more, a character that makes up more than 1 % of it starts no match. This is usual for
/// this ratio.
pub fn sequence_matcher_ratio(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let blocks = MatchingBlocks::new(&a, &b);
    2.0 * blocks.matching_chars() as f64 / (a.len() + b.len()) as f64
}

struct MatchingBlocks<'t> {
    a: &'t [char],
    b: &'t [char],
    positions_in_b: HashMap<char, Vec<usize>>,
}

impl<'t> MatchingBlocks<'t> {
    fn new(a: &'t [char], b: &'t [char]) -> Self {
        let mut positions_in_b: HashMap<char, Vec<usize>> = HashMap::new();
        for (j, c) in b.iter().enumerate() {
            positions_in_b.entry(*c).or_default().push(j);
        }
        if b.len() >= 200 {
            let popular = b.len() / 100 + 1;
            positions_in_b.retain(|_, positions| positions.len() <= popular);
        }
        Self { a, b, positions_in_b }
    }

    /// The number of characters of `a` in matching blocks.
    fn matching_chars(&self) -> usize {
        let mut pending = vec![(0, self.a.len(), 0, self.b.len())];
        let mut matching_chars = 0;
        while let Some((a_from, a_to, b_from, b_to)) = pending.pop() {
            let (i, j, size) = self.longest_match(a_from, a_to, b_from, b_to);
            if size == 0 {
                continue;
            }
            matching_chars += size;
            pending.push((a_from, i, b_from, j));
            pending.push((i + size, a_to, j + size, b_to));
        }
        matching_chars
    }

    /// The longest block in the ranges. Of equally long blocks, the one that starts first in `a`, then in `b`.
    fn longest_match(&self, a_from: usize, a_to: usize, b_from: usize, b_to: usize) -> (usize, usize, usize) {
        let (mut best_i, mut best_j, mut best_size) = (a_from, b_from, 0);
        let mut ending_at: HashMap<usize, usize> = HashMap::new();
        for i in a_from..a_to {
            let mut ending_here = HashMap::new();
            for &j in self.positions_in_b.get(&self.a[i]).map_or(&[][..], Vec::as_slice) {
                if j < b_from {
                    continue;
                }
                if j >= b_to {
                    break;
                }
                let previous =
                    j.checked_sub(1).and_then(|previous| ending_at.get(&previous)).copied().unwrap_or(0);
                let size = previous + 1;
                ending_here.insert(j, size);
                if size > best_size {
                    (best_i, best_j, best_size) = (i + 1 - size, j + 1 - size, size);
                }
            }
            ending_at = ending_here;
        }
        // Popular characters start no match, but they extend one.
        while best_i > a_from && best_j > b_from && self.a[best_i - 1] == self.b[best_j - 1] {
            (best_i, best_j, best_size) = (best_i - 1, best_j - 1, best_size + 1);
        }
        while best_i + best_size < a_to
            && best_j + best_size < b_to
            && self.a[best_i + best_size] == self.b[best_j + best_size]
        {
            best_size += 1;
        }
        (best_i, best_j, best_size)
    }
}

/// The share of characters that stay when insertions and deletions turn one string into the other, 0.0 to 100.0.
pub fn ratio(a: &str, b: &str) -> f64 {
    chars_ratio(&chars(a), &chars(b))
}

/// The best [`ratio`] of the shorter string and a part of the longer one.
pub fn partial_ratio(a: &str, b: &str) -> f64 {
    let (a, b) = (chars(a), chars(b));
    let (shorter, longer) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if shorter.is_empty() {
        return if longer.is_empty() { 100.0 } else { 0.0 };
    }
    let best = best_window(shorter, longer);
    if shorter.len() == longer.len() && best < 100.0 { best.max(best_window(longer, shorter)) } else { best }
}

/// Compares the words that both texts contain and the other words of each. Order and repetition of words do not matter.
pub fn token_set_ratio(a: &str, b: &str) -> f64 {
    let (a, b) = (word_set(a), word_set(b));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let shared: Vec<&str> = a.intersection(&b).copied().collect();
    let only_in_a = chars(&a.difference(&b).copied().collect::<Vec<_>>().join(" "));
    let only_in_b = chars(&b.difference(&a).copied().collect::<Vec<_>>().join(" "));
    if !shared.is_empty() && (only_in_a.is_empty() || only_in_b.is_empty()) {
        return 100.0;
    }
    let shared_len = chars(&shared.join(" ")).len();
    let separator = usize::from(shared_len != 0);
    let (with_a, with_b) =
        (shared_len + separator + only_in_a.len(), shared_len + separator + only_in_b.len());
    let distance = only_in_a.len() + only_in_b.len() - 2 * common_subsequence(&only_in_a, &only_in_b);
    let full_similarity = similarity_percent(distance, with_a + with_b);
    if shared_len == 0 {
        return full_similarity;
    }
    let shared_with_a = similarity_percent(separator + only_in_a.len(), shared_len + with_a);
    let shared_with_b = similarity_percent(separator + only_in_b.len(), shared_len + with_b);
    full_similarity.max(shared_with_a).max(shared_with_b)
}

/// [`ratio`] of the texts with their words in alphabetical order.
pub fn token_sort_ratio(a: &str, b: &str) -> f64 {
    ratio(&sorted_words(a), &sorted_words(b))
}

/// The best of all ratios with weights, for texts of very different lengths.
pub fn weighted_ratio(a: &str, b: &str) -> f64 {
    /// The weight of ratios that ignore the order of words.
    const TOKEN_WEIGHT: f64 = 0.95;
    let (len_a, len_b) = (a.chars().count(), b.chars().count());
    if len_a == 0 || len_b == 0 {
        return 0.0;
    }
    let length_ratio = len_a.max(len_b) as f64 / len_a.min(len_b) as f64;
    let plain = ratio(a, b);
    if length_ratio < 1.5 {
        return plain.max(token_set_ratio(a, b).max(token_sort_ratio(a, b)) * TOKEN_WEIGHT);
    }
    let partial_weight = if length_ratio <= 8.0 { 0.9 } else { 0.6 };
    plain
        .max(partial_ratio(a, b) * partial_weight)
        .max(partial_token_ratio(a, b) * TOKEN_WEIGHT * partial_weight)
}

fn partial_token_ratio(a: &str, b: &str) -> f64 {
    let (set_a, set_b) = (word_set(a), word_set(b));
    if set_a.intersection(&set_b).next().is_some() {
        return 100.0;
    }
    let sorted = partial_ratio(&sorted_words(a), &sorted_words(b));
    let join = |words: &BTreeSet<&str>| words.iter().copied().collect::<Vec<_>>().join(" ");
    sorted.max(partial_ratio(&join(&set_a), &join(&set_b)))
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

fn word_set(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}

fn sorted_words(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.sort_unstable();
    words.join(" ")
}

fn similarity_percent(distance: usize, total: usize) -> f64 {
    if total == 0 { 100.0 } else { 100.0 - 100.0 * distance as f64 / total as f64 }
}

fn chars_ratio(a: &[char], b: &[char]) -> f64 {
    similarity_percent(a.len() + b.len() - 2 * common_subsequence(a, b), a.len() + b.len())
}

/// The best ratio of `needle` and a window of `haystack` of the same length, or a shorter one at the start or the end.
fn best_window(needle: &[char], haystack: &[char]) -> f64 {
    let pattern = Pattern::new(needle);
    let mut best: f64 = 0.0;
    let mut consider = |window: &[char]| {
        let common = pattern.common_subsequence(window);
        let total = needle.len() + window.len();
        best = best.max(similarity_percent(total - 2 * common, total));
        best >= 100.0
    };
    let last_full = haystack.len() - needle.len();
    let prefixes = (1..needle.len())
        .map(|end| &haystack[..end])
        .filter(|window| pattern.contains(window[window.len() - 1]));
    let full = (0..=last_full)
        .map(|from| &haystack[from..from + needle.len()])
        .filter(|window| pattern.contains(window[window.len() - 1]));
    let suffixes = (last_full + 1..haystack.len())
        .map(|from| &haystack[from..])
        .filter(|window| pattern.contains(window[0]));
    for window in full.chain(prefixes).chain(suffixes) {
        if consider(window) {
            break;
        }
    }
    best
}

fn common_subsequence(a: &[char], b: &[char]) -> usize {
    Pattern::new(a).common_subsequence(b)
}

/// The positions of each character in a string, as bit sets. With them, the longest common subsequence with another
/// string takes a few machine operations per character (bit-parallel algorithm by Hyyrö).
struct Pattern {
    words: usize,
    positions: HashMap<char, Vec<u64>>,
}

impl Pattern {
    fn new(text: &[char]) -> Self {
        let words = text.len().div_ceil(64);
        let mut positions: HashMap<char, Vec<u64>> = HashMap::new();
        for (i, c) in text.iter().enumerate() {
            positions.entry(*c).or_insert_with(|| vec![0; words])[i / 64] |= 1 << (i % 64);
        }
        Self { words, positions }
    }

    fn contains(&self, c: char) -> bool {
        self.positions.contains_key(&c)
    }

    fn common_subsequence(&self, other: &[char]) -> usize {
        let mut row = vec![u64::MAX; self.words];
        for c in other {
            let Some(positions) = self.positions.get(c) else { continue };
            let mut carry = false;
            for (word, positions) in row.iter_mut().zip(positions) {
                let matches = *word & positions;
                let (sum, overflow_a) = word.overflowing_add(matches);
                let (sum, overflow_b) = sum.overflowing_add(u64::from(carry));
                carry = overflow_a || overflow_b;
                *word = sum | (*word - matches);
            }
        }
        // Bits after the end of the pattern never match, so they stay set.
        row.iter().map(|word| word.count_zeros() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::equal("jarvis", "jarvis", 1.0)]
    #[case::one_letter_off("jarvis", "jarvus", 10.0 / 12.0)]
    #[case::nothing_in_common("abc", "xyz", 0.0)]
    #[case::both_empty("", "", 1.0)]
    fn sequence_matcher_ratio_counts_matching_blocks(
        #[case] a: &str,
        #[case] b: &str,
        #[case] expected: f64,
    ) {
        assert!((sequence_matcher_ratio(a, b) - expected).abs() < 1e-9);
    }

    #[test]
    fn part_of_a_longer_text_has_full_partial_ratio() {
        assert_eq!(partial_ratio("rain today", "there will be rain today in leeds"), 100.0);
        assert_eq!(partial_ratio("", "x"), 0.0);
        assert_eq!(partial_ratio("", ""), 100.0);
    }

    #[test]
    fn token_ratios_ignore_the_order_of_words() {
        assert_eq!(token_sort_ratio("b a c", "c b a"), 100.0);
        assert_eq!(token_set_ratio("a b b", "b a x"), 100.0);
        assert_eq!(token_set_ratio("", "a"), 0.0);
    }

    #[test]
    fn ratio_of_text_longer_than_a_machine_word_is_right() {
        let long: String = "abcdefghij".repeat(20);

        assert_eq!(ratio(&long, &long), 100.0);
        assert!(partial_ratio(&long[3..150], &long) > 99.9);
    }
}
