//! Converts texts into the token ids of a sentence model.

use std::path::Path;

use llm::EmbedError;
use tokenizers::{Tokenizer, TruncationParams};

/// Maximum number of tokens, including the two special tokens. Source: the model card of all-MiniLM-L6-v2.
const MAX_TOKENS: usize = 256;

/// Maximum length of a text; texts of [`MAX_TOKENS`] tokens are shorter. Longer texts are cut first, because the
/// tokeniser reads the whole text before it truncates: 50 kB took 35 ms, more than the network needs.
const MAX_CHARS: usize = 4_096;

/// The tokeniser of one model.
pub(super) struct Tokeniser {
    inner: Tokenizer,
}

impl Tokeniser {
    /// Loads the `tokenizer.json` of the model.
    pub(super) fn load(path: &Path) -> Result<Self, EmbedError> {
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| EmbedError::File {
            path: path.to_owned(),
            source: source.into(),
        };
        let mut tokeniser = Tokenizer::from_file(path).map_err(failed)?;
        let truncation = TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() };
        // The file itself sets truncation and padding to 128 tokens.
        tokeniser.with_truncation(Some(truncation)).map_err(failed)?.with_padding(None);
        Ok(Self { inner: tokeniser })
    }

    /// The token ids, including the two special tokens. An empty text has 2.
    pub(super) fn token_ids(&self, text: &str) -> Result<Vec<i64>, EmbedError> {
        let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
        let encoded = self.inner.encode_fast(&text[..end], true).map_err(EmbedError::Engine)?;
        Ok(encoded.get_ids().iter().map(|id| i64::from(*id)).collect())
    }
}
