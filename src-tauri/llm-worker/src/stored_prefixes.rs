//! Beginnings of prompts that the model has read before. To restore one copies memory; to read it again takes seconds.

use llama_cpp_2::context::session::SeqState;
use llama_cpp_2::token::LlamaToken;

/// Number of stored prefixes: one to answer with, and one to choose tools with.
const MAX_PREFIXES: usize = 2;

/// The longest prefix that is stored, in tokens. With Qwen2.5, a token takes 12 kB (0.5B) or 28 kB (1.5B).
const MAX_TOKENS: usize = 4096;

/// Minimum number of tokens that a stored prefix must save: fewer are read as fast as the state is copied.
const MIN_SAVED_TOKENS: usize = 16;

/// The stored prefixes of one model, the least recently used first.
pub(crate) struct StoredPrefixes<S = SeqState> {
    prefixes: Vec<StoredPrefix<S>>,
}

/// A prefix and the state of the context after it.
pub(crate) struct StoredPrefix<S = SeqState> {
    /// The tokens, in order.
    pub(crate) tokens: Vec<LlamaToken>,
    /// The state of the context after them.
    pub(crate) state: S,
}

impl<S> Default for StoredPrefixes<S> {
    fn default() -> Self {
        Self { prefixes: Vec::new() }
    }
}

impl<S> StoredPrefixes<S> {
    /// The prefix that has most in common with `prompt`, if it saves tokens beyond the first `cached` ones.
    pub(crate) fn longest(&mut self, prompt: &[LlamaToken], cached: usize) -> Option<&StoredPrefix<S>> {
        let common = self.prefixes.iter().map(|prefix| common_prefix_len(&prefix.tokens, prompt));
        let (at, common) = common.enumerate().max_by_key(|(_, common)| *common)?;
        if common < cached + MIN_SAVED_TOKENS {
            return None;
        }
        let used = self.prefixes.remove(at);
        self.prefixes.push(used);
        self.prefixes.last()
    }

    /// Stores a prefix in place of the one that it continues, else of the least recently used one.
    pub(crate) fn store(&mut self, tokens: &[LlamaToken], state: S) {
        if tokens.len() > MAX_TOKENS {
            return;
        }
        let continues = |prefix: &StoredPrefix<S>| {
            let common = common_prefix_len(&prefix.tokens, tokens);
            common == prefix.tokens.len() || common * 2 >= prefix.tokens.len().max(tokens.len())
        };
        if let Some(at) = self.prefixes.iter().position(continues) {
            self.prefixes.remove(at);
        } else if self.prefixes.len() == MAX_PREFIXES {
            self.prefixes.remove(0);
        }
        self.prefixes.push(StoredPrefix { tokens: tokens.to_vec(), state });
    }
}

/// Number of equal tokens at the start.
pub(crate) fn common_prefix_len(one: &[LlamaToken], other: &[LlamaToken]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(range: std::ops::Range<i32>) -> Vec<LlamaToken> {
        range.map(LlamaToken).collect()
    }

    fn found(prefixes: &mut StoredPrefixes<u8>, prompt: &[LlamaToken], cached: usize) -> Option<u8> {
        prefixes.longest(prompt, cached).map(|prefix| prefix.state)
    }

    #[test]
    fn longest_common_prefix_is_found_if_it_saves_enough() {
        let mut prefixes = StoredPrefixes::default();
        prefixes.store(&tokens(0..100), 1);
        prefixes.store(&[tokens(0..40), tokens(500..700)].concat(), 2);

        assert_eq!(found(&mut prefixes, &tokens(0..120), 0), Some(1));
        assert_eq!(found(&mut prefixes, &[tokens(0..40), tokens(500..800)].concat(), 40), Some(2));
        assert_eq!(found(&mut prefixes, &tokens(0..120), 90), None);
        assert_eq!(found(&mut prefixes, &tokens(1000..1100), 0), None);
    }

    #[test]
    fn continued_prefix_is_replaced_and_the_other_kept() {
        let mut prefixes = StoredPrefixes::default();
        let tools = [tokens(0..40), tokens(500..700)].concat();
        prefixes.store(&tools, 1);
        prefixes.store(&tokens(0..100), 2);
        prefixes.store(&tokens(0..150), 3);

        assert_eq!(found(&mut prefixes, &tokens(0..150), 0), Some(3));
        assert_eq!(found(&mut prefixes, &tools, 0), Some(1));
    }

    #[test]
    fn beginning_that_was_interrupted_is_replaced_by_more_of_it() {
        let mut prefixes = StoredPrefixes::default();
        prefixes.store(&tokens(500..600), 1);
        prefixes.store(&tokens(0..50), 2);

        prefixes.store(&tokens(0..400), 3);

        assert_eq!(found(&mut prefixes, &tokens(500..600), 0), Some(1));
        assert_eq!(found(&mut prefixes, &tokens(0..400), 0), Some(3));
    }

    #[test]
    fn prefix_that_was_not_used_for_longest_goes() {
        let mut prefixes = StoredPrefixes::default();
        prefixes.store(&tokens(0..100), 1);
        prefixes.store(&tokens(100..200), 2);
        assert_eq!(found(&mut prefixes, &tokens(0..100), 0), Some(1));

        prefixes.store(&tokens(200..300), 3);

        assert_eq!(found(&mut prefixes, &tokens(0..100), 0), Some(1));
        assert_eq!(found(&mut prefixes, &tokens(100..200), 0), None);
    }

    #[test]
    fn prefix_of_unusual_length_is_not_stored() {
        let mut prefixes = StoredPrefixes::default();

        prefixes.store(&tokens(0..5000), 1);

        assert_eq!(found(&mut prefixes, &tokens(0..5000), 0), None);
    }
}
