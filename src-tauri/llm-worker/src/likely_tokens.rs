//! The most likely next tokens, and how much the others weigh.

use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;

/// Number of tokens that are called likely.
const LIKELY: usize = 128;

/// The others may weigh this share of the allowed likely tokens. The error of the logarithm of a probability is at most as
/// large.
const MAX_SHARE_OF_OTHERS: f32 = 0.01;

/// The most likely tokens, in no order.
pub(crate) struct LikelyTokens {
    pub(crate) tokens: Vec<LlamaTokenData>,
    pub(crate) others: Others,
}

/// The weight of all other tokens together: the sum of `exp(logit - largest)`.
pub(crate) struct Others {
    weight: f32,
    /// The largest logit of all tokens.
    largest: f32,
}

impl LikelyTokens {
    /// Finds the most likely tokens. The logits are in the order of the vocabulary.
    pub(crate) fn new(logits: &[f32]) -> Self {
        let mut ids: Vec<u32> = (0..logits.len() as u32).collect();
        let logit = |id: &u32| logits[*id as usize];
        let likely = LIKELY.min(ids.len());
        if likely < ids.len() {
            ids.select_nth_unstable_by(likely, |one, other| logit(other).total_cmp(&logit(one)));
        }
        let (ids, others) = ids.split_at(likely);
        let largest = ids.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
        let weight = others.iter().map(|id| (logit(id) - largest).exp()).sum();
        Self {
            tokens: ids
                .iter()
                .map(|id| LlamaTokenData::new(LlamaToken::new(*id as i32), logit(id), 0.0))
                .collect(),
            others: Others { weight, largest },
        }
    }
}

impl Others {
    /// Returns `true` if these tokens change nothing beside `allowed`, even if all of them were allowed.
    pub(crate) fn are_negligible_beside(&self, allowed: &[LlamaTokenData]) -> bool {
        let allowed: f32 = allowed.iter().map(|token| (token.logit() - self.largest).exp()).sum();
        self.weight <= MAX_SHARE_OF_OTHERS * allowed
    }
}

/// The logarithm of the probability of `chosen` among `allowed`; minus infinity if it is none of them.
pub(crate) fn log_probability(allowed: &[LlamaTokenData], chosen: LlamaToken) -> f32 {
    let largest = allowed.iter().map(LlamaTokenData::logit).fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = allowed.iter().map(|token| (token.logit() - largest).exp()).sum();
    let chosen = allowed.iter().find(|token| token.id() == chosen);
    chosen.map_or(f32::NEG_INFINITY, |token| token.logit() - largest - sum.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(id: i32, logit: f32) -> LlamaTokenData {
        LlamaTokenData::new(LlamaToken::new(id), logit, 0.0)
    }

    #[test]
    fn likely_tokens_have_the_largest_logits() {
        let logits: Vec<f32> = (0..1000).map(|id| ((id * 7) % 1000) as f32).collect();

        let LikelyTokens { tokens, .. } = LikelyTokens::new(&logits);

        assert_eq!(tokens.len(), LIKELY);
        assert!(tokens.iter().all(|token| token.logit() >= (1000 - LIKELY) as f32));
    }

    #[test]
    fn others_count_as_much_as_they_weigh() {
        let mut logits = vec![0.0; 10_000];
        logits[5_000] = 20.0;
        let likely = LikelyTokens::new(&logits);

        assert!(likely.others.are_negligible_beside(&[token(5_000, 20.0)]));
        assert!(!likely.others.are_negligible_beside(&[token(1, 0.0)]));
        assert!(!likely.others.are_negligible_beside(&[]));
    }

    #[test]
    fn small_vocabulary_has_no_others() {
        let likely = LikelyTokens::new(&[1.0, 2.0]);

        assert_eq!(likely.tokens.len(), 2);
        assert!(likely.others.are_negligible_beside(&[]));
    }

    #[test]
    fn probability_is_among_the_allowed_tokens() {
        let half = log_probability(&[token(0, 1.0), token(1, 1.0)], LlamaToken::new(1));
        let only = log_probability(&[token(4, 3.0)], LlamaToken::new(4));
        let none = log_probability(&[token(4, 3.0)], LlamaToken::new(5));

        assert!((half - 0.5_f32.ln()).abs() < 1e-6, "{half}");
        assert!(only.abs() < 1e-6, "{only}");
        assert_eq!(none, f32::NEG_INFINITY);
    }
}
