//! A sentence model: tokeniser and network.

#[cfg(feature = "neural")]
mod e5; // what models of the E5 family need besides
#[cfg(feature = "neural")]
mod network;
#[cfg(feature = "neural")]
mod tokeniser;

use std::path::Path;

use llm::{EmbedError, EmbedRole};
use models::Engine;

/// A loaded sentence model.
pub(crate) struct SentenceModel {
    #[cfg(feature = "neural")]
    tokeniser: tokeniser::Tokeniser,
    #[cfg(feature = "neural")]
    network: network::Network,
    #[cfg(feature = "neural")]
    family: Family,
}

/// The further treatment of texts and vectors.
#[cfg(feature = "neural")]
enum Family {
    /// Nothing: queries and passages are embedded in the same way.
    MiniLm,
    /// See [`e5`].
    E5 { centre: Vec<f32> },
}

#[cfg(feature = "neural")]
impl SentenceModel {
    /// Loads a network and its tokeniser with the ONNX Runtime at `library`. The network runs on `threads` threads.
    /// Blocks for about 0.3 s, for twice that with a model of the E5 family.
    ///
    /// # Errors
    ///
    /// [`EmbedError::File`] names the missing or damaged file.
    pub(crate) fn load(
        library: &Path,
        network: &Path,
        tokeniser: &Path,
        threads: usize,
        engine: Engine,
    ) -> Result<Self, EmbedError> {
        let tokeniser = tokeniser::Tokeniser::load(tokeniser)?;
        let network = network::Network::load(library, network, threads)?;
        let mut model = Self { tokeniser, network, family: Family::MiniLm };
        if engine == Engine::E5 {
            model.family = Family::E5 { centre: e5::centre(|text| model.plain(text))? };
        }
        Ok(model)
    }

    /// The embedding of a text. Blocks for some milliseconds.
    ///
    /// Texts are not batched: dynamic quantisation scales activations by the maximum of the whole batch, so a vector
    /// would depend on the other texts. Batches of eight texts of similar length would take two thirds of the time;
    /// batches of mixed lengths take 1.5 times as long because of padding. Source: 32 texts of 6 to 80 words, one
    /// thread.
    pub(crate) fn embed(&self, text: &str, role: EmbedRole) -> Result<Vec<f32>, EmbedError> {
        match &self.family {
            Family::MiniLm => self.plain(text),
            Family::E5 { centre } => e5::centred(self.plain(&e5::with_prefix(text, role))?, centre),
        }
    }

    /// The unit vector of a text as it is.
    fn plain(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        llm::normalised(self.network.mean_state(self.tokeniser.token_ids(text)?)?)
    }
}

#[cfg(not(feature = "neural"))]
impl SentenceModel {
    pub(crate) fn load(_: &Path, network: &Path, _: &Path, _: usize, _: Engine) -> Result<Self, EmbedError> {
        let name = network.file_stem().unwrap_or_default().to_string_lossy();
        Err(EmbedError::NotBuiltIn { id: name.into_owned() })
    }

    pub(crate) fn embed(&self, _: &str, _: EmbedRole) -> Result<Vec<f32>, EmbedError> {
        Err(EmbedError::NotBuiltIn { id: String::new() })
    }
}
