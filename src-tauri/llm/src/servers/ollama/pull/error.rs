//! Errors of pulls, with remedies.

use std::time::Duration;

use vocabulary::{Stage, Trouble};

use crate::LlmError;

/// Why a server did not fetch a model.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// The name is empty, too long, or no name.
    #[error("{name:?} is not a name of a model")]
    InvalidName {
        /// The name as it was written.
        name: String,
    },
    /// The library from which the server downloads has no such model.
    #[error("there is no model named {model:?} to pull")]
    NoSuchModel {
        /// The name that was asked for.
        model: String,
    },
    /// The model needs a newer server.
    #[error("the model {model:?} needs a newer version of Ollama")]
    ServerTooOld {
        /// The name that was asked for.
        model: String,
    },
    /// The disk of the server is full.
    #[error("the disk of the Ollama server has no room for {model:?}")]
    DiskFull {
        /// The name that was asked for.
        model: String,
    },
    /// The server cannot reach the library from which it downloads.
    #[error("the Ollama server could not reach the place from which it downloads models")]
    LibraryUnreachable,
    /// Nothing new came for too long.
    #[error("the Ollama server at {address} got no further for {} s", after.as_secs_f32())]
    Stalled {
        /// The address of the server.
        address: String,
        /// The limit that passed.
        after: Duration,
    },
    /// The server ended the pull before it had the model.
    #[error("the Ollama server at {address} ended the download before it was complete")]
    Incomplete {
        /// The address of the server.
        address: String,
    },
    /// The server reports another error.
    #[error("the Ollama server could not fetch {model:?}: {detail}")]
    Failed {
        /// The name that was asked for.
        model: String,
        /// The reported message, shortened.
        detail: String,
    },
    /// The server does not answer, or its answer is none of an Ollama server.
    #[error(transparent)]
    Server(#[from] LlmError),
}

/// Words in messages of the server that tell of a full disk. Source: the error texts of Linux, macOS and Windows.
const DISK_FULL: [&str; 2] = ["no space left", "not enough space"];

/// Words that tell of a missing model. Source: `server/images.go` and `server/routes.go` of Ollama.
const NO_SUCH_MODEL: [&str; 3] = ["file does not exist", "manifest: 404", "manifest: 401"];

/// Words that tell of a network in which the server cannot download. Source: package `net` of Go.
const UNREACHABLE: [&str; 6] = [
    "dial tcp",
    "no such host",
    "connection refused",
    "i/o timeout",
    "network is unreachable",
    "tls handshake",
];

impl PullError {
    /// The meaning of a message of the server about the pull of `model`.
    pub(super) fn from_detail(model: &str, detail: &str) -> Self {
        let says = |words: &[&str]| {
            let detail = detail.to_lowercase();
            words.iter().any(|word| detail.contains(word))
        };
        let model = model.to_owned();
        if says(&DISK_FULL) {
            Self::DiskFull { model }
        } else if says(&["newer version of ollama"]) {
            Self::ServerTooOld { model }
        } else if says(&["invalid model"]) {
            Self::InvalidName { name: model }
        } else if says(&NO_SUCH_MODEL) {
            Self::NoSuchModel { model }
        } else if says(&UNREACHABLE) {
            Self::LibraryUnreachable
        } else {
            Self::Failed { model, detail: detail.to_owned() }
        }
    }

    /// The remedy, as one or two sentences.
    pub fn remedy(&self) -> String {
        match self {
            Self::InvalidName { .. } => "Type a name such as `qwen3:4b`; ollama.com/library lists them.".into(),
            Self::NoSuchModel { .. } => {
                "Check the name and the size behind its colon; ollama.com/library lists them.".into()
            }
            Self::ServerTooOld { .. } => "Update Ollama, then pull the model again.".into(),
            Self::DiskFull { .. } => {
                "Free space where Ollama keeps its models, for example with `ollama rm`, then pull again: it continues."
                    .into()
            }
            Self::LibraryUnreachable => {
                "Check the network of the computer on which Ollama runs, then pull again.".into()
            }
            Self::Stalled { .. } | Self::Incomplete { .. } => {
                "Pull again: what Ollama has downloaded stays, and it continues from there.".into()
            }
            Self::Failed { .. } => "Pull again; if it happens often, read the log of Ollama.".into(),
            Self::Server(LlmError::Unreachable { .. }) => {
                "Start Ollama there (`ollama serve`), or name the address of the one that runs: `jarvis models pull NAME --provider ADDRESS`."
                    .into()
            }
            Self::Server(LlmError::InvalidResponse { .. }) => {
                "Name the address of an Ollama server (`jarvis models pull NAME --provider ADDRESS`), or `ollama` for the usual one."
                    .into()
            }
            Self::Server(error) => error.remedy(),
        }
    }

    /// The error and its remedy, for the user.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::Download, self, self.remedy())
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::no_such_model(
        "pull model manifest: file does not exist",
        "There is no model named \"m\" to pull."
    )]
    #[case::no_such_repository(
        "pull model manifest: 404: {\"error\":\"x\"}",
        "There is no model named \"m\" to pull."
    )]
    #[case::old_server(
        "pull model manifest: 412: The model you are attempting to pull requires a newer version of Ollama.",
        "The model \"m\" needs a newer version of Ollama."
    )]
    #[case::full_disk(
        "write /var/lib/ollama/blobs/sha256-1-partial: no space left on device",
        "The disk of the Ollama server has no room for \"m\"."
    )]
    #[case::bad_name("invalid model name", "\"m\" is not a name of a model.")]
    #[case::no_network(
        "pull model manifest: Get \"https://registry.example/v2\": dial tcp: lookup registry.example: no such host",
        "The Ollama server could not reach the place from which it downloads models."
    )]
    #[case::other("digest mismatch", "The Ollama server could not fetch \"m\": digest mismatch.")]
    fn message_of_the_server_becomes_a_sentence_with_a_remedy(#[case] detail: &str, #[case] expected: &str) {
        let trouble = PullError::from_detail("m", detail).trouble();

        assert_eq!(trouble.message, expected);
        assert!(!trouble.remedy.is_empty());
    }
}
