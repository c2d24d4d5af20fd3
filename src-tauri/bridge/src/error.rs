//! The reasons why a prompt has no answer.

use std::time::Duration;

use crate::ports::{NoStart, TestFailure};

/// A reason why a prompt has no answer. The bridge goes on with the next prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BridgeError {
    /// The server is not there and is not started.
    #[error("Ollama cannot be used: {failure}, and {why}")]
    Unreachable {
        /// The result of the test.
        failure: TestFailure,
        /// The reason why it is not started.
        why: NoStart,
    },
    /// The server was started in vain.
    #[error("Ollama could not be started: {reason}")]
    StartFailed {
        /// The words of the system, or how long was waited.
        reason: String,
    },
    /// The server was started in vain too often.
    #[error("Ollama could not be reached after {retries} retries")]
    RetriesExhausted {
        /// The number of starts in vain.
        retries: u32,
    },
    /// The connection was lost during a request, twice.
    #[error("the connection to Ollama was lost")]
    ConnectionLost,
    /// The server took too long.
    #[error("Ollama did not answer within {} seconds; ask again, or choose a smaller model", limit.as_secs())]
    TimedOut {
        /// The time that was waited.
        limit: Duration,
    },
    /// The server does not have the model.
    #[error("Ollama has no model {model}; fetch it with `ollama pull {model}`")]
    ModelMissing {
        /// The name of the model that is missing.
        model: String,
    },
    /// The server refused the request, or failed.
    #[error("Ollama answered with status {code}: {detail}")]
    Http {
        /// The status.
        code: u16,
        /// The words of the server.
        detail: String,
    },
    /// The server sent something else than a message.
    #[error("Ollama sent no message; check that llm.baseUrl is the address of an Ollama server")]
    InvalidResponse,
}

impl BridgeError {
    /// Its name in logs, without words of the server, which may repeat those of the user.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } | Self::ConnectionLost => "unreachable",
            Self::StartFailed { .. } => "start_failed",
            Self::RetriesExhausted { .. } => "retries_exhausted",
            Self::TimedOut { .. } => "timeout",
            Self::ModelMissing { .. } => "model_missing",
            Self::Http { .. } | Self::InvalidResponse => "http",
        }
    }
}
