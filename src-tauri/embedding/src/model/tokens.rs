//! A text as a sentence model reads it: numbers of pieces of words.

use std::path::Path;

use llm::EmbedError;
use tokenizers::{Tokenizer, TruncationParams};

/// What the model reads at most, both ends included. Source: the model card of all-MiniLM-L6-v2.
const MAX_TOKENS: usize = 256;

/// Longer than texts of [`MAX_TOKENS`] tokens are. The tokeniser reads all that it gets before it cuts: 50 kB took it
/// 35 ms, which is more than the network needs.
const MAX_CHARS: usize = 4_096;

/// Cuts texts into the tokens of one model.
pub(super) struct Tokens {
    tokeniser: Tokenizer,
}

impl Tokens {
    /// Reads the model's `tokenizer.json`.
    pub(super) fn load(path: &Path) -> Result<Self, EmbedError> {
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| EmbedError::File {
            path: path.to_owned(),
            source: source.into(),
        };
        let mut tokeniser = Tokenizer::from_file(path).map_err(failed)?;
        let truncation = TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() };
        // The file asks for 128 tokens, no more and no fewer.
        tokeniser.with_truncation(Some(truncation)).map_err(failed)?.with_padding(None);
        Ok(Self { tokeniser })
    }

    /// The numbers of the tokens, those of both ends included: 2 for an empty text.
    pub(super) fn of(&self, text: &str) -> Result<Vec<i64>, EmbedError> {
        let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
        let encoded = self.tokeniser.encode_fast(&text[..end], true).map_err(EmbedError::Engine)?;
        Ok(encoded.get_ids().iter().map(|id| i64::from(*id)).collect())
    }
}
