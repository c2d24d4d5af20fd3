//! Looks for the assistant's name where the model nearly wrote it.
//!
//! The model takes no prompt, so it writes words that it knows better ("Javis", "Now this"), above all in noise. Where the
//! beginning of the name was possible at the start of a word, the text is decoded once more with the name there, and wins
//! if it is nearly as likely as the first one.

use tokio_util::sync::CancellationToken;

use super::greedy::{DecodedText, Decoding, decode};
use super::network::{EncodedSound, Network};
use super::vocabulary::Vocabulary;
use crate::name_prompt::capitalised;
use crate::speech_to_text::TranscribeError;

/// The places that are tried, the likeliest first.
const MAX_PLACES: usize = 2;

/// The least log probability of the name's first token at a place that is tried.
const MIN_BEGINNING_LOGPROB: f32 = -8.0;

/// The name wins unless its text is less likely than the other one by more than this, as a natural logarithm. Source:
/// orders and other sentences of 20 synthetic voices, half of them, at 10 dB of noise: 114 of 120 names with 2, 117 with 4
/// and 119 with 6, none taken for the name; on the other half 105, 109 and 116, and of 126 sentences that resemble the name,
/// clean and in noise, 2, 3 and 4 are taken for it.
const NAME_BONUS: f32 = 4.0;

/// The name as the model reads it.
pub(super) struct NameTokens {
    tokens: Vec<i64>,
    lower: String,
}

impl NameTokens {
    /// Returns `None` if the vocabulary has not all letters of `name`.
    pub fn new(name: &str, vocabulary: &Vocabulary) -> Option<Self> {
        let tokens = vocabulary.tokens_of_word(&capitalised(name))?;
        Some(Self { tokens, lower: name.to_lowercase() })
    }

    /// The token to watch while decoding.
    pub fn first(&self) -> Option<i64> {
        self.tokens.first().copied()
    }

    /// The text with the name in it, if `decoded` has it not and it is nearly as likely.
    pub fn find(
        &self,
        network: &mut Network,
        vocabulary: &Vocabulary,
        sound: &EncodedSound,
        decoded: &DecodedText,
        (max_tokens, stop): (usize, &CancellationToken),
    ) -> Result<Option<DecodedText>, TranscribeError> {
        let ids = decoded.ids();
        if vocabulary.text_of(ids.iter().copied()).to_lowercase().contains(&self.lower) {
            return Ok(None);
        }
        let mut best: Option<DecodedText> = None;
        for place in self.likely_places(decoded, vocabulary) {
            let beginning = [&ids[..place], &self.tokens].concat();
            // The words after the one that the name replaces probably stay.
            let next_word = ids[place + 1..].iter().position(|token| vocabulary.starts_word(*token));
            let draft = next_word.map_or(&[][..], |words| &ids[place + 1 + words..]);
            let rules = Decoding { beginning: &beginning, draft, watched: None, max_tokens, stop };
            let mut other = decode(network, sound, &rules)?;
            other.expected = place..beginning.len();
            let to_beat = best.as_ref().map_or(decoded.logprob() - NAME_BONUS, DecodedText::logprob);
            if other.logprob() > to_beat {
                best = Some(other);
            }
        }
        Ok(best)
    }

    fn likely_places(&self, decoded: &DecodedText, vocabulary: &Vocabulary) -> Vec<usize> {
        let is_likely = |place: &usize| {
            let token = decoded.tokens[*place];
            vocabulary.starts_word(token.id) && token.watched_logprob >= MIN_BEGINNING_LOGPROB
        };
        let mut places: Vec<usize> = (0..decoded.tokens.len()).filter(is_likely).collect();
        places.sort_by(|one, other| {
            decoded.tokens[*other].watched_logprob.total_cmp(&decoded.tokens[*one].watched_logprob)
        });
        places.truncate(MAX_PLACES);
        places
    }
}
