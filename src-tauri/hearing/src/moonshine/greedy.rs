//! Chooses the most likely token again and again. Tokens that are known or guessed beforehand are read in one step.

use std::ops::Range;

use tokio_util::sync::CancellationToken;

use super::network::{EncodedSound, Network, engine_error};
use crate::speech_to_text::TranscribeError;

/// The token before the first one of a text.
const START: i64 = 1;
/// The token after the last one.
const END: i64 = 2;

/// A token and how likely it was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Token {
    pub id: i64,
    /// Natural logarithm of its probability, at most 0.0.
    pub logprob: f32,
    /// The same of the token that was watched, at this place.
    pub watched_logprob: f32,
}

/// The text of some sound.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DecodedText {
    /// Without those for start and end.
    pub tokens: Vec<Token>,
    /// Natural logarithm of the probability that the text ends there; 0.0 if it was cut off.
    pub end_logprob: f32,
    /// The places of tokens that were expected rather than heard.
    pub expected: Range<usize>,
}

/// The rules of a decoding.
pub(super) struct Decoding<'a> {
    /// Tokens that the text begins with, whatever their probability.
    pub beginning: &'a [i64],
    /// Tokens that probably follow. They change how long it takes, never the result.
    pub draft: &'a [i64],
    /// A token whose probability is asked for at every place.
    pub watched: Option<i64>,
    /// The most tokens.
    pub max_tokens: usize,
    pub stop: &'a CancellationToken,
}

impl DecodedText {
    /// Natural logarithm of the probability of the whole text.
    pub fn logprob(&self) -> f32 {
        self.tokens.iter().map(|token| token.logprob).sum::<f32>() + self.end_logprob
    }

    /// Mean natural logarithm of the probability of the tokens that were heard; 0.0 without any.
    pub fn mean_logprob(&self) -> f32 {
        let heard = self.tokens.iter().enumerate().filter(|(place, _)| !self.expected.contains(place));
        let (count, sum) =
            heard.fold((0_u16, 0.0), |(count, sum), (_, token)| (count + 1, sum + token.logprob));
        sum / f32::from(count.max(1))
    }

    pub fn ids(&self) -> Vec<i64> {
        self.tokens.iter().map(|token| token.id).collect()
    }
}

/// The most likely text of `sound`.
pub(super) fn decode(
    network: &mut Network,
    sound: &EncodedSound,
    rules: &Decoding<'_>,
) -> Result<DecodedText, TranscribeError> {
    let mut cache = network.empty_cache().map_err(engine_error)?;
    let mut decoded = DecodedText { tokens: Vec::new(), end_logprob: 0.0, expected: 0..0 };
    let mut input = vec![START];
    input.extend(rules.beginning.iter().chain(rules.draft).take(rules.max_tokens));
    while decoded.tokens.len() < rules.max_tokens {
        if rules.stop.is_cancelled() {
            return Err(TranscribeError::Stopped);
        }
        let logits = network.read(&input, sound, &mut cache).map_err(engine_error)?;
        let forced = rules.beginning.get(decoded.tokens.len()..).unwrap_or_default();
        let chosen =
            logits.rows().enumerate().map(|(place, row)| choose(row, forced.get(place), rules.watched));
        let has_ended = take_agreed(&mut decoded, &input[1..], chosen);
        let Some(last) = decoded.tokens.last().filter(|_| !has_ended) else { break };
        input = vec![last.id];
        // All tokens but the last one have been read, and those of the draft that were wrong.
        network.truncate(&mut cache, decoded.tokens.len()).map_err(engine_error)?;
    }
    decoded.tokens.truncate(rules.max_tokens);
    Ok(decoded)
}

/// Appends the tokens that were chosen after each token of the input, as long as the input agrees: the first choice
/// that `draft` does not have is the last one. Returns `true` if the text ended.
fn take_agreed(decoded: &mut DecodedText, draft: &[i64], chosen: impl Iterator<Item = Token>) -> bool {
    let mut draft = draft.iter();
    for token in chosen {
        if token.id == END {
            decoded.end_logprob = token.logprob;
            return true;
        }
        decoded.tokens.push(token);
        if draft.next() != Some(&token.id) {
            return false;
        }
    }
    false
}

/// The `forced` token, else the one with the highest number of a row, which has at least one.
fn choose(row: &[f32], forced: Option<&i64>, watched: Option<i64>) -> Token {
    let (best, highest) = row
        .iter()
        .copied()
        .enumerate()
        .reduce(|best, other| if other.1 > best.1 { other } else { best })
        .unwrap_or_default();
    let sum: f32 = row.iter().map(|number| (number - highest).exp()).sum();
    let logprob = |id: i64| {
        let number = usize::try_from(id).ok().and_then(|id| row.get(id));
        number.map_or(f32::NEG_INFINITY, |number| number - highest - sum.ln())
    };
    let id = forced.copied().unwrap_or(best as i64);
    Token { id, logprob: logprob(id), watched_logprob: watched.map_or(f32::NEG_INFINITY, logprob) }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_draft(&[], &[7, 9], &[7], false)]
    #[case::right_draft_and_one_more(&[7, 8], &[7, 8, 9], &[7, 8, 9], false)]
    #[case::wrong_from_the_second_token_on(&[7, 8, 9], &[7, 5, 6, 4], &[7, 5], false)]
    #[case::wrong_at_once(&[7, 8], &[3, 8, 9], &[3], false)]
    #[case::ends_within_the_draft(&[7, 8], &[7, END, 9], &[7], true)]
    #[case::ends_after_the_draft(&[7], &[7, END], &[7], true)]
    fn draft_counts_as_far_as_it_is_what_would_have_been_chosen(
        #[case] draft: &[i64],
        #[case] chosen: &[i64],
        #[case] expected: &[i64],
        #[case] ends: bool,
    ) {
        let chosen = chosen.iter().map(|&id| Token { id, logprob: -1.0, watched_logprob: -9.0 });
        let mut decoded = DecodedText { tokens: Vec::new(), end_logprob: 0.0, expected: 0..0 };

        let has_ended = take_agreed(&mut decoded, draft, chosen);

        assert_eq!(decoded.ids(), expected);
        assert_eq!(has_ended, ends);
        assert!((decoded.logprob() + expected.len() as f32 + f32::from(u8::from(ends))).abs() < 1e-6);
    }

    #[test]
    fn expected_tokens_do_not_count_for_how_well_the_rest_was_heard() {
        let tokens = [-1.0, -7.0, -5.0, -0.5].map(|logprob| Token { id: 9, logprob, watched_logprob: 0.0 });
        let decoded = DecodedText { tokens: tokens.to_vec(), end_logprob: -3.0, expected: 1..3 };

        assert!((decoded.mean_logprob() + 0.75).abs() < 1e-6);
        assert_eq!(DecodedText { expected: 0..4, ..decoded }.mean_logprob(), 0.0);
    }

    #[rstest]
    #[case::most_likely(None, 1, 0.5)]
    #[case::forced(Some(&2), 2, 0.25)]
    fn token_has_its_probability(#[case] forced: Option<&i64>, #[case] id: i64, #[case] probability: f32) {
        let token = choose(&[0.0, 2.0_f32.ln(), 0.0], forced, Some(0));

        assert_eq!(token.id, id);
        assert!((token.logprob.exp() - probability).abs() < 1e-6, "{token:?}");
        assert!((token.watched_logprob.exp() - 0.25).abs() < 1e-6, "{token:?}");
    }
}
