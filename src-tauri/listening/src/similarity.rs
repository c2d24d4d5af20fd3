//! How alike two strings are.
//!
//! Two families, both in the field's usual definitions so that their pass marks carry over: the longest-matching-blocks
//! ratio (0 to 1), and ratios over insertions and deletions (0 to 100) with their partial and token forms.

use std::collections::{BTreeSet, HashMap};

/// Longest matching blocks, 2·M/T, between 0.0 and 1.0; two empty strings are alike.
///
/// In texts of 200 characters and more, characters that make up over 1 % of `b` begin no match, as usual for this ratio.
pub fn sequence_matcher_ratio(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let blocks = MatchingBlocks::new(&a, &b);
    2.0 * blocks.matched() as f64 / (a.len() + b.len()) as f64
}

struct MatchingBlocks<'t> {
    a: &'t [char],
    b: &'t [char],
    places_in_b: HashMap<char, Vec<usize>>,
}

impl<'t> MatchingBlocks<'t> {
    fn new(a: &'t [char], b: &'t [char]) -> Self {
        let mut places_in_b: HashMap<char, Vec<usize>> = HashMap::new();
        for (j, c) in b.iter().enumerate() {
            places_in_b.entry(*c).or_default().push(j);
        }
        if b.len() >= 200 {
            let popular = b.len() / 100 + 1;
            places_in_b.retain(|_, places| places.len() <= popular);
        }
        Self { a, b, places_in_b }
    }

    /// How many characters of `a` are in matching blocks.
    fn matched(&self) -> usize {
        let mut waiting = vec![(0, self.a.len(), 0, self.b.len())];
        let mut matched = 0;
        while let Some((a_from, a_to, b_from, b_to)) = waiting.pop() {
            let (i, j, size) = self.longest_match(a_from, a_to, b_from, b_to);
            if size == 0 {
                continue;
            }
            matched += size;
            waiting.push((a_from, i, b_from, j));
            waiting.push((i + size, a_to, j + size, b_to));
        }
        matched
    }

    /// The longest block within the ranges; of several the one that starts first in `a`, then first in `b`.
    fn longest_match(&self, a_from: usize, a_to: usize, b_from: usize, b_to: usize) -> (usize, usize, usize) {
        let (mut best_i, mut best_j, mut best_size) = (a_from, b_from, 0);
        let mut ending_at: HashMap<usize, usize> = HashMap::new();
        for i in a_from..a_to {
            let mut ending_here = HashMap::new();
            for &j in self.places_in_b.get(&self.a[i]).map_or(&[][..], Vec::as_slice) {
                if j < b_from {
                    continue;
                }
                if j >= b_to {
                    break;
                }
                let before = j.checked_sub(1).and_then(|before| ending_at.get(&before)).copied().unwrap_or(0);
                let size = before + 1;
                ending_here.insert(j, size);
                if size > best_size {
                    (best_i, best_j, best_size) = (i + 1 - size, j + 1 - size, size);
                }
            }
            ending_at = ending_here;
        }
        // Popular characters begin no match, but they extend one.
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

/// Share of characters that stay when one string is edited into the other by insertions and deletions, 0.0 to 100.0.
pub fn ratio(a: &str, b: &str) -> f64 {
    chars_ratio(&chars(a), &chars(b))
}

/// The best [`ratio`] of the shorter string with any stretch of the longer one.
pub fn partial_ratio(a: &str, b: &str) -> f64 {
    let (a, b) = (chars(a), chars(b));
    let (shorter, longer) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if shorter.is_empty() {
        return if longer.is_empty() { 100.0 } else { 0.0 };
    }
    let best = best_stretch(shorter, longer);
    if shorter.len() == longer.len() && best < 100.0 { best.max(best_stretch(longer, shorter)) } else { best }
}

/// Compares the words the texts share, and what is left of each, whatever their order and count.
pub fn token_set_ratio(a: &str, b: &str) -> f64 {
    let (a, b) = (word_set(a), word_set(b));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let shared: Vec<&str> = a.intersection(&b).copied().collect();
    let only_a = chars(&a.difference(&b).copied().collect::<Vec<_>>().join(" "));
    let only_b = chars(&b.difference(&a).copied().collect::<Vec<_>>().join(" "));
    if !shared.is_empty() && (only_a.is_empty() || only_b.is_empty()) {
        return 100.0;
    }
    let shared_len = chars(&shared.join(" ")).len();
    let gap = usize::from(shared_len != 0);
    let (with_a, with_b) = (shared_len + gap + only_a.len(), shared_len + gap + only_b.len());
    let distance = only_a.len() + only_b.len() - 2 * common_subsequence(&only_a, &only_b);
    let whole = share_left(distance, with_a + with_b);
    if shared_len == 0 {
        return whole;
    }
    let shared_with_a = share_left(gap + only_a.len(), shared_len + with_a);
    let shared_with_b = share_left(gap + only_b.len(), shared_len + with_b);
    whole.max(shared_with_a).max(shared_with_b)
}

/// [`ratio`] of the texts with their words in alphabetical order.
pub fn token_sort_ratio(a: &str, b: &str) -> f64 {
    ratio(&sorted_words(a), &sorted_words(b))
}

/// A weighted best of all of them, for texts of very different lengths.
pub fn weighted_ratio(a: &str, b: &str) -> f64 {
    /// Matches by words count a little less than matches as written.
    const WORDS: f64 = 0.95;
    let (len_a, len_b) = (a.chars().count(), b.chars().count());
    if len_a == 0 || len_b == 0 {
        return 0.0;
    }
    let lengths = len_a.max(len_b) as f64 / len_a.min(len_b) as f64;
    let plain = ratio(a, b);
    if lengths < 1.5 {
        return plain.max(token_set_ratio(a, b).max(token_sort_ratio(a, b)) * WORDS);
    }
    let partial = if lengths <= 8.0 { 0.9 } else { 0.6 };
    plain.max(partial_ratio(a, b) * partial).max(partial_token_ratio(a, b) * WORDS * partial)
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

fn share_left(distance: usize, total: usize) -> f64 {
    if total == 0 { 100.0 } else { 100.0 - 100.0 * distance as f64 / total as f64 }
}

fn chars_ratio(a: &[char], b: &[char]) -> f64 {
    share_left(a.len() + b.len() - 2 * common_subsequence(a, b), a.len() + b.len())
}

/// The best ratio of `needle` with a window of `hay` as long as it, or a shorter one at either end.
fn best_stretch(needle: &[char], hay: &[char]) -> f64 {
    let pattern = Pattern::new(needle);
    let mut best: f64 = 0.0;
    let mut consider = |window: &[char]| {
        let common = pattern.common_subsequence(window);
        let total = needle.len() + window.len();
        best = best.max(share_left(total - 2 * common, total));
        best >= 100.0
    };
    let last_full = hay.len() - needle.len();
    let heads =
        (1..needle.len()).map(|end| &hay[..end]).filter(|window| pattern.has(window[window.len() - 1]));
    let full = (0..=last_full)
        .map(|from| &hay[from..from + needle.len()])
        .filter(|window| pattern.has(window[window.len() - 1]));
    let tails = (last_full + 1..hay.len()).map(|from| &hay[from..]).filter(|window| pattern.has(window[0]));
    for window in full.chain(heads).chain(tails) {
        if consider(window) {
            break;
        }
    }
    best
}

fn common_subsequence(a: &[char], b: &[char]) -> usize {
    Pattern::new(a).common_subsequence(b)
}

/// Where each character stands in a string, as bit sets: the longest common subsequence with another string is
/// then a few machine words of arithmetic for each of its characters (Hyyrö's bit-parallel form).
struct Pattern {
    words: usize,
    places: HashMap<char, Vec<u64>>,
}

impl Pattern {
    fn new(text: &[char]) -> Self {
        let words = text.len().div_ceil(64);
        let mut places: HashMap<char, Vec<u64>> = HashMap::new();
        for (i, c) in text.iter().enumerate() {
            places.entry(*c).or_insert_with(|| vec![0; words])[i / 64] |= 1 << (i % 64);
        }
        Self { words, places }
    }

    fn has(&self, c: char) -> bool {
        self.places.contains_key(&c)
    }

    fn common_subsequence(&self, other: &[char]) -> usize {
        let mut row = vec![u64::MAX; self.words];
        for c in other {
            let Some(places) = self.places.get(c) else { continue };
            let mut carry = false;
            for (word, places) in row.iter_mut().zip(places) {
                let matches = *word & places;
                let (sum, over_a) = word.overflowing_add(matches);
                let (sum, over_b) = sum.overflowing_add(u64::from(carry));
                carry = over_a || over_b;
                *word = sum | (*word - matches);
            }
        }
        // Bits beyond the pattern never match, so they stay set.
        row.iter().map(|word| word.count_zeros() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::alike("jarvis", "jarvis", 1.0)]
    #[case::one_letter_off("jarvis", "jarvus", 10.0 / 12.0)]
    #[case::nothing_in_common("abc", "xyz", 0.0)]
    #[case::both_empty("", "", 1.0)]
    fn measures_matching_blocks(#[case] a: &str, #[case] b: &str, #[case] expected: f64) {
        assert!((sequence_matcher_ratio(a, b) - expected).abs() < 1e-9);
    }

    #[test]
    fn a_part_of_a_longer_text_is_wholly_alike_in_part() {
        assert_eq!(partial_ratio("rain today", "there will be rain today in leeds"), 100.0);
        assert_eq!(partial_ratio("", "x"), 0.0);
        assert_eq!(partial_ratio("", ""), 100.0);
    }

    #[test]
    fn words_in_another_order_are_the_same_words() {
        assert_eq!(token_sort_ratio("b a c", "c b a"), 100.0);
        assert_eq!(token_set_ratio("a b b", "b a x"), 100.0);
        assert_eq!(token_set_ratio("", "a"), 0.0);
    }

    #[test]
    fn long_texts_take_more_than_one_machine_word() {
        let long: String = "abcdefghij".repeat(20);

        assert_eq!(ratio(&long, &long), 100.0);
        assert!(partial_ratio(&long[3..150], &long) > 99.9);
    }
}
