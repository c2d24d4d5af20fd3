//! Errors of embedding.

use std::path::PathBuf;
use std::sync::Arc;

use vocabulary::{Stage, Trouble};

use crate::{LlmError, ProviderKind};

/// Why texts could not be embedded.
///
/// Contains no part of the texts and no key.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The caller cancelled the embedding.
    #[error("the embedding was cancelled")]
    Cancelled,
    /// The server is unreachable, lacks the model, or failed.
    #[error(transparent)]
    Server(#[from] LlmError),
    /// The server does not support embeddings: it is too old, or was started without them.
    #[error("the {provider} server at {address} does not support embeddings")]
    ServerUnsupported {
        /// The kind of server.
        provider: ProviderKind,
        /// The address of the server.
        address: String,
    },
    /// No server was found that could embed; the embedded engine of language models cannot.
    #[error("no server was found that could run an embedding model")]
    NoServer,
    /// The model is not an embedding model.
    #[error("the model {model:?} is not an embedding model")]
    ModelUnsupported {
        /// The kind of server.
        provider: ProviderKind,
        /// The name of the embedding model.
        model: String,
    },
    /// The number of vectors differs from the number of texts.
    #[error("the server returned {received} vectors for {sent} texts")]
    WrongCount {
        /// Number of texts.
        sent: usize,
        /// Number of vectors.
        received: usize,
    },
    /// A vector is empty, all zero, or contains a value that is not a finite number.
    #[error("the embedding model returned a vector that {what}")]
    InvalidVector {
        /// The fault, as the rest of a sentence.
        what: &'static str,
    },
    /// The number of dimensions changed, so that old and new vectors cannot be compared.
    #[error("the embedding model returned a vector of {found} dimensions instead of {expected}")]
    DimensionsChanged {
        /// Number of dimensions so far.
        expected: usize,
        /// Number of dimensions of the new vector.
        found: usize,
    },
    /// Files of the model are missing.
    #[error("the embedding model {id:?} is not installed")]
    NotInstalled {
        /// Which model.
        id: String,
    },
    /// This build contains no engine for embedding models.
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
        /// The cause, shared by all callers that waited for the same load.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// The engine that runs the model failed.
    #[error("the embedding engine failed")]
    Engine(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl EmbedError {
    /// The remedy, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            Self::Cancelled => "Nothing needs to be done.".into(),
            Self::Server(error) => error.remedy(),
            Self::NoServer => "Start Ollama or another server, or use the built-in embedding model.".into(),
            Self::ServerUnsupported { provider: ProviderKind::Ollama, .. } => {
                "Update Ollama to 0.3 or later, or use the built-in embedding model.".into()
            }
            Self::ServerUnsupported { .. } => {
                "Start the server with embeddings (llama.cpp: `--embeddings`), or use the built-in embedding model."
                    .into()
            }
            Self::ModelUnsupported { provider: ProviderKind::Ollama, .. } => {
                "Choose an embedding model, for example after `ollama pull nomic-embed-text`.".into()
            }
            Self::ModelUnsupported { .. } => "Load an embedding model in the server and choose it.".into(),
            Self::WrongCount { .. } | Self::InvalidVector { .. } => {
                "Choose another embedding model. If all of them fail, read the log of the server.".into()
            }
            Self::DimensionsChanged { .. } => {
                "Restart Jarvis: the server runs another model under the same name.".into()
            }
            Self::NotInstalled { id } => {
                format!("Download it under Models in the settings (or `jarvis models fetch {id}`).")
            }
            Self::NotBuiltIn { .. } => "Use a language model server for embeddings instead.".into(),
            Self::File { .. } => {
                "Delete it under Models in the settings (or `jarvis models delete`) and download it again.".into()
            }
            Self::Engine(_) => {
                "Restart Jarvis. If that does not help, delete the model under Models and download it again."
                    .into()
            }
        }
    }

    /// Returns `true` if the same call may succeed later without any change.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Server(error) if error.is_transient())
    }

    /// The error and its remedy, for the user.
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
    fn missing_model_is_reported_with_the_download_command() {
        let trouble = EmbedError::NotInstalled { id: "all-minilm".into() }.trouble();

        assert_eq!(trouble.message, "The embedding model \"all-minilm\" is not installed.");
        assert!(trouble.remedy.contains("jarvis models fetch all-minilm"), "{}", trouble.remedy);
    }

    #[test]
    fn server_error_keeps_its_own_message_and_remedy() {
        let missing = LlmError::ModelMissing { provider: ProviderKind::Ollama, model: "x".into() };
        let expected = missing.trouble();

        assert_eq!(EmbedError::from(missing).trouble(), expected);
    }
}
