//! What goes wrong on the way from a text to its vector.

use std::path::PathBuf;
use std::sync::Arc;

use vocabulary::{Stage, Trouble};

use crate::{LlmError, ProviderKind};

/// Why texts got no vectors.
///
/// Holds no word of the texts and no key.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The caller wanted no vectors any more.
    #[error("the embedding was stopped")]
    Stopped,
    /// The server is not there, has not the model, or failed.
    #[error(transparent)]
    Server(#[from] LlmError),
    /// The server knows no embeddings: it is too old, or was started without them.
    #[error("the {provider} server at {address} cannot embed texts")]
    ServerCannot {
        /// What it is.
        provider: ProviderKind,
        /// Where it is.
        address: String,
    },
    /// The model chats, or does something else again.
    #[error("the model {model:?} cannot embed texts")]
    ModelCannot {
        /// What runs it.
        provider: ProviderKind,
        /// The model.
        model: String,
    },
    /// Another number of vectors came back than texts were sent.
    #[error("{sent} texts were embedded, but {received} vectors came back")]
    WrongCount {
        /// Texts sent.
        sent: usize,
        /// Vectors received.
        received: usize,
    },
    /// A vector that says nothing: it is empty, has no direction, or holds what is no number.
    #[error("the embedding model made a vector that {what}")]
    BadVector {
        /// What is wrong with it.
        what: &'static str,
    },
    /// The model's vectors have changed their size, so that old and new ones cannot be compared.
    #[error("the embedding model made vectors of {expected} numbers so far, and now one of {found}")]
    OtherDimensions {
        /// Numbers so far.
        expected: usize,
        /// Numbers now.
        found: usize,
    },
    /// The model's files are not all here.
    #[error("the embedding model {id:?} is not installed")]
    NotInstalled {
        /// Which model.
        id: String,
    },
    /// This build has no engine for embedding models.
    #[error("this build of the program cannot run the embedding model {id:?}")]
    NotBuiltIn {
        /// Which model.
        id: String,
    },
    /// A file of the model is missing or damaged.
    #[error("the embedding model file {path} could not be used")]
    File {
        /// The file.
        path: PathBuf,
        /// Why; shared by all who waited for the same load.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// The engine that runs the model failed.
    #[error("the embedding engine failed")]
    Engine(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl EmbedError {
    /// What the user can do about it, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            Self::Stopped => "Nothing needs to be done.".into(),
            Self::Server(error) => error.remedy(),
            Self::ServerCannot { provider: ProviderKind::Ollama, .. } => {
                "Update Ollama to 0.3 or later, or let this machine's own model embed.".into()
            }
            Self::ServerCannot { .. } => {
                "Start the server with embeddings (llama.cpp: `--embeddings`), or let this machine's own model embed."
                    .into()
            }
            Self::ModelCannot { provider: ProviderKind::Ollama, .. } => {
                "Choose an embedding model, for example after `ollama pull nomic-embed-text`.".into()
            }
            Self::ModelCannot { .. } => "Load an embedding model in the server, and choose that one.".into(),
            Self::WrongCount { .. } | Self::BadVector { .. } => {
                "Choose another embedding model; if it happens with each, look at its server's own log.".into()
            }
            Self::OtherDimensions { .. } => {
                "Start Jarvis again: the model behind this name is another one by now.".into()
            }
            Self::NotInstalled { id } => {
                format!("Download it under Models in the settings (or `jarvis models fetch {id}`).")
            }
            Self::NotBuiltIn { .. } => "Let a language model server embed instead.".into(),
            Self::File { .. } => {
                "Delete it under Models in the settings (or `jarvis models delete`) and download it again.".into()
            }
            Self::Engine(_) => {
                "Start Jarvis again; if that does not help, delete the model under Models and download it again."
                    .into()
            }
        }
    }

    /// May the same texts get their vectors a moment later, with nothing done about it?
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Server(error) if error.is_transient())
    }

    /// The same, as it is shown to people.
    pub fn trouble(&self) -> Trouble {
        match self {
            Self::Server(error) => error.trouble(),
            _ => Trouble::from_error(Stage::Memory, self, self.remedy()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_not_here_comes_with_the_way_to_get_it() {
        let trouble = EmbedError::NotInstalled { id: "all-minilm".into() }.trouble();

        assert_eq!(trouble.message, "The embedding model \"all-minilm\" is not installed.");
        assert!(trouble.remedy.contains("jarvis models fetch all-minilm"), "{}", trouble.remedy);
    }

    #[test]
    fn a_server_s_own_trouble_stays_what_it_is() {
        let missing = LlmError::ModelMissing { provider: ProviderKind::Ollama, model: "x".into() };
        let expected = missing.trouble();

        assert_eq!(EmbedError::from(missing).trouble(), expected);
    }
}
