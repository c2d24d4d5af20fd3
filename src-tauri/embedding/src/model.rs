//! A sentence model, run for one text at a time.

#[cfg(feature = "neural")]
mod network;
#[cfg(feature = "neural")]
mod tokens;

use std::path::Path;

use llm::EmbedError;

/// A sentence model, loaded.
pub(crate) struct SentenceModel {
    #[cfg(feature = "neural")]
    tokens: tokens::Tokens,
    #[cfg(feature = "neural")]
    network: network::Network,
}

#[cfg(feature = "neural")]
impl SentenceModel {
    /// Loads a network and its tokeniser with the ONNX Runtime at `library`, to be run by so many threads. Blocks for
    /// some 0.3 s.
    ///
    /// # Errors
    ///
    /// [`EmbedError::File`] for the file that is missing or damaged.
    pub(crate) fn load(
        library: &Path,
        network: &Path,
        tokeniser: &Path,
        threads: usize,
    ) -> Result<Self, EmbedError> {
        let tokens = tokens::Tokens::load(tokeniser)?;
        Ok(Self { tokens, network: network::Network::load(library, network, threads)? })
    }

    /// The vector of a text. Blocks for some milliseconds.
    ///
    /// One text at a time: networks that make their inner numbers smaller while they run do so by the largest one of a
    /// batch, so that a vector would depend on what stands beside its text. Batches of eight texts of like length would
    /// take two thirds of the time; batches as they come take half as long again, for short texts wait for the long.
    /// Source: 32 texts of 6 to 80 words, one thread.
    pub(crate) fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        llm::normalised(self.network.mean_state(self.tokens.of(text)?)?)
    }
}

#[cfg(not(feature = "neural"))]
impl SentenceModel {
    pub(crate) fn load(_: &Path, network: &Path, _: &Path, _: usize) -> Result<Self, EmbedError> {
        let name = network.file_stem().unwrap_or_default().to_string_lossy();
        Err(EmbedError::NotBuiltIn { id: name.into_owned() })
    }

    pub(crate) fn embed(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
        Err(EmbedError::NotBuiltIn { id: String::new() })
    }
}
