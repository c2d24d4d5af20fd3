//! Errors of language models, with remedies.

use std::{path::PathBuf, time::Duration};

use vocabulary::{Stage, Trouble};

use crate::ProviderKind;

/// Why there is no response, or no complete one.
///
/// Contains no part of the dialogue and no key.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// The server does not respond.
    #[error("the {provider} server at {address} does not answer")]
    Unreachable {
        /// The kind of server.
        provider: ProviderKind,
        /// The address of the server.
        address: String,
        /// The network error.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The address in the settings is invalid.
    #[error("the language model address {address:?} cannot be used: {reason}")]
    BadAddress {
        /// The address as written in the settings.
        address: String,
        /// The cause.
        reason: String,
    },
    /// The provider sent nothing for too long.
    #[error("the language model sent nothing for {} s", after.as_secs_f32())]
    TimedOut {
        /// The timeout that passed.
        after: Duration,
    },
    /// The server rejected the request, or failed.
    #[error("the language model server responded with status {code}: {detail}")]
    Status {
        /// The HTTP status.
        code: u16,
        /// The message of the server, shortened.
        detail: String,
    },
    /// The server or the worker reported an error within its response.
    #[error("the language model failed: {detail}")]
    Failed {
        /// The reported message, shortened.
        detail: String,
    },
    /// The key is missing or wrong.
    #[error("the language model server rejected the key (status {code})")]
    KeyRefused {
        /// The HTTP status: 401 or 403.
        code: u16,
    },
    /// HTTP 400 for a request with tools: the model does not support native tools. Repeat the request with tools
    /// described in text.
    #[error("the model {model} rejected a request with tools: {detail}")]
    ToolsRefused {
        /// The name of the model.
        model: String,
        /// The message of the server, shortened.
        detail: String,
    },
    /// The provider does not have the model.
    #[error("the {provider} provider has no model named {model:?}")]
    ModelMissing {
        /// The provider that was asked.
        provider: ProviderKind,
        /// The requested model.
        model: String,
    },
    /// The provider has no chat model.
    #[error("the {provider} server at {address} has no chat model")]
    NoChatModel {
        /// The provider that was asked.
        provider: ProviderKind,
        /// The address of the provider.
        address: String,
    },
    /// The response ended early.
    #[error("the response of the language model is incomplete")]
    Incomplete,
    /// The response does not match the wire format.
    #[error("the language model server sent an invalid response: {what}")]
    InvalidResponse {
        /// The fault, without the content.
        what: String,
    },
    /// The dialogue is longer than the context.
    #[error("the dialogue has {tokens} tokens, but the context of the model has {context}")]
    TooLong {
        /// Number of tokens of the dialogue.
        tokens: u32,
        /// Size of the context in tokens.
        context: u32,
    },
    /// The model cannot execute the request: the schema cannot be enforced, or the chat template rejects the dialogue.
    #[error("the request cannot be executed: {reason}")]
    Unsupported {
        /// The cause.
        reason: String,
    },
    /// The queue of the embedded model is full.
    #[error("too many requests are waiting for the embedded language model")]
    Busy,
    /// The worker program cannot be started.
    #[error("the language model worker at {path} cannot be started")]
    WorkerMissing {
        /// Path of the program.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The worker program ended during a request.
    #[error("the language model worker ended unexpectedly ({how})")]
    WorkerDied {
        /// The exit status.
        how: String,
    },
    /// The model file is missing, damaged, or in an unknown format.
    #[error("the language model file {path} cannot be read: {reason}")]
    ModelUnreadable {
        /// Path of the file.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// No provider is available.
    #[error("no language model was found; tried {}", list_attempts(tried))]
    NoProvider {
        /// The providers that were tried, in this order.
        tried: Vec<ProviderAttempt>,
    },
}

/// A provider that was tried without success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderAttempt {
    /// The kind of provider.
    pub provider: ProviderKind,
    /// The address of the server, or the path of the model file.
    pub place: String,
    /// Why it is not available, in a few words.
    pub reason: String,
}

fn list_attempts(tried: &[ProviderAttempt]) -> String {
    let each: Vec<_> =
        tried.iter().map(|t| format!("{} at {} ({})", t.provider, t.place, t.reason)).collect();
    if each.is_empty() { "nothing".to_owned() } else { each.join(", ") }
}

/// Returns `true` if the message of a server says that the dialogue is too long.
pub(crate) fn is_about_length(detail: &str) -> bool {
    let detail = detail.to_lowercase();
    ["context", "too long", "too many tokens", "maximum length"].iter().any(|words| detail.contains(words))
}

impl LlmError {
    /// The remedy, as one sentence.
    pub fn remedy(&self) -> String {
        match self {
            Self::Unreachable { provider: ProviderKind::Ollama, .. } => {
                "Start Ollama (`ollama serve`), or choose another provider in the settings.".into()
            }
            Self::Unreachable { address, .. } => {
                format!(
                    "Start the language model server at {address}, or choose another provider in the settings."
                )
            }
            Self::BadAddress { address, .. } if address.is_empty() => {
                "Set llm.base_url to the address of the server, or choose another provider in the settings.".into()
            }
            Self::BadAddress { .. } => {
                "Set llm.base_url to an address such as http://127.0.0.1:11434, or leave it empty.".into()
            }
            Self::TimedOut { .. } => {
                "Ask again; if it happens often, choose a smaller model or raise llm.silence_timeout_secs."
                    .into()
            }
            // 529 is the status of an overloaded server in the Anthropic API.
            Self::Status { code: 429 | 529, .. } => {
                "Too much was asked of this server. Wait a minute, then ask again.".into()
            }
            Self::Failed { .. } | Self::Status { code: 500.., .. } => {
                "Ask again; if it happens often, read the log of the language model server.".into()
            }
            Self::Status { code: 400 | 413, detail } if is_about_length(detail) => {
                "Ask a shorter question, start a new conversation, or choose a model with a longer context.".into()
            }
            Self::Status { .. } => "Read the log of the language model server.".into(),
            Self::KeyRefused { .. } => "Store the right key for this server with `jarvis settings secret llm.api_key`, then restart Jarvis.".into(),
            Self::ToolsRefused { model, .. } => {
                format!("Choose a model that can call tools; until then, {model} gets descriptions of the tools as text.")
            }
            Self::ModelMissing { provider: ProviderKind::Ollama, model } => {
                format!(
                    "Fetch it under Models in the settings or with `ollama pull {model}`, or choose another model there."
                )
            }
            Self::ModelMissing { provider: ProviderKind::Embedded, model } => {
                format!("Download {model} under Models in the settings, or choose another model there.")
            }
            Self::ModelMissing { .. } => {
                "Load the model in the server, or choose one of its models in the settings.".into()
            }
            Self::NoChatModel { provider: ProviderKind::Ollama, .. } => {
                "Fetch a model under Models in the settings, or for example with `ollama pull qwen3:4b`.".into()
            }
            Self::NoChatModel { .. } => "Load a chat model in the server.".into(),
            Self::Busy => "Wait for the current replies to end, then ask again.".into(),
            Self::Incomplete => {
                "Ask again; if it happens often, read the log of the language model server.".into()
            }
            Self::InvalidResponse { .. } => {
                "Check that llm.base_url is the address of a language model server and that llm.provider matches it."
                    .into()
            }
            Self::TooLong { .. } => {
                "Ask a shorter question, start a new conversation, or raise llm.context_tokens.".into()
            }
            Self::Unsupported { .. } => "Choose another model in the settings.".into(),
            Self::WorkerMissing { .. } => {
                "Reinstall Jarvis; if you build it yourself, build the package llm-worker too.".into()
            }
            Self::WorkerDied { .. } => {
                "Ask again: the worker is restarted. If it happens often, choose a smaller model in the settings."
                    .into()
            }
            Self::ModelUnreadable { .. } => {
                "Delete it under Models in the settings and download it again.".into()
            }
            Self::NoProvider { .. } => {
                "Download a language model under Models in the settings (or `jarvis models fetch`), or start Ollama or another server."
                    .into()
            }
        }
    }

    /// Returns `true` if the same request may succeed later without any change.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::TimedOut { .. } | Self::Failed { .. } => true,
            Self::Incomplete | Self::Busy | Self::WorkerDied { .. } => true,
            Self::Status { code, .. } => *code >= 500 || *code == 429 || *code == 408,
            _ => false,
        }
    }

    /// Returns `true` if this provider or its model is unavailable, so that another provider should be tried.
    pub fn is_provider_unavailable(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                // Another program now uses the address of the server.
                | Self::Status { code: 404, .. }
                | Self::ModelMissing { .. }
                | Self::NoChatModel { .. }
                | Self::WorkerMissing { .. }
                | Self::ModelUnreadable { .. }
                | Self::NoProvider { .. }
        )
    }

    /// The error and its remedy, for the user.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::LanguageModel, self, self.remedy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_has_the_message_and_the_remedy() {
        let error = LlmError::ModelMissing { provider: ProviderKind::Ollama, model: "qwen3:4b".into() };

        let trouble = error.trouble();

        assert_eq!(trouble.stage, Stage::LanguageModel);
        assert_eq!(trouble.message, "The Ollama provider has no model named \"qwen3:4b\".");
        assert!(trouble.remedy.contains("ollama pull qwen3:4b"));
    }

    #[test]
    fn missing_provider_error_lists_all_attempts() {
        let tried = vec![
            ProviderAttempt {
                provider: ProviderKind::Ollama,
                place: "127.0.0.1:11434".into(),
                reason: "not running".into(),
            },
            ProviderAttempt {
                provider: ProviderKind::Embedded,
                place: "model.gguf".into(),
                reason: "not installed".into(),
            },
        ];

        let message = LlmError::NoProvider { tried }.to_string();

        assert_eq!(
            message,
            "no language model was found; tried Ollama at 127.0.0.1:11434 (not running), \
             embedded at model.gguf (not installed)"
        );
    }
}
