//! A sentence model: tokeniser and network.

#[cfg(feature = "neural")]
mod network;
#[cfg(feature = "neural")]
mod tokeniser;

use std::path::Path;

use llm::EmbedError;

/// A loaded sentence model.
pub(crate) struct SentenceModel {
    #[cfg(feature = "neural")]
    tokeniser: tokeniser::Tokeniser,
    #[cfg(feature = "neural")]
    network: network::Network,
}

#[cfg(feature = "neural")]
impl SentenceModel {
    /// Loads a network and its tokeniser with the ONNX Runtime at `library`. The network runs on `threads` threads.
    /// Blocks for about 0.3 s.
    ///
    /// # Errors
    ///
    /// [`EmbedError::File`] names the missing or damaged file.
    pub(crate) fn load(
        library: &Path,
        network: &Path,
        tokeniser: &Path,
        threads: usize,
    ) -> Result<Self, EmbedError> {
        let tokeniser = tokeniser::Tokeniser::load(tokeniser)?;
        Ok(Self { tokeniser, network: network::Network::load(library, network, threads)? })
    }

    /// The embedding of a text. Blocks for some milliseconds.
    ///
    /// Texts are not batched: dynamic quantisation scales activations by the maximum of the whole batch, so a vector
    /// would depend on the other texts. Batches of eight texts of similar length would take two thirds of the time;
    /// batches of mixed lengths take 1.5 times as long because of padding. Source: 32 texts of 6 to 80 words, one
    /// thread.
    pub(crate) fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        llm::normalised(self.network.mean_state(self.tokeniser.token_ids(text)?)?)
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
