//! What goes wrong between us and a language model, and what a person can do about it.

use std::{path::PathBuf, time::Duration};

use vocabulary::{Stage, Trouble};

use crate::ProviderKind;

/// Why a model gave no answer, or no complete one.
///
/// Holds no word of the dialogue and no key.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// Nobody answers at the address.
    #[error("the {provider} server at {address} does not answer")]
    Unreachable {
        /// What should be there.
        provider: ProviderKind,
        /// Where it should be.
        address: String,
        /// What the network said.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The address in the settings cannot be used.
    #[error("the language model address {address:?} cannot be used: {reason}")]
    BadAddress {
        /// As it was written.
        address: String,
        /// Why not.
        reason: String,
    },
    /// The settings name a provider that does not exist.
    #[error("there is no language model provider named {name:?}")]
    UnknownProvider {
        /// As it was written.
        name: String,
    },
    /// The provider is there but has fallen silent.
    #[error("the language model sent nothing for {} s", after.as_secs_f32())]
    Silent {
        /// How long we waited.
        after: Duration,
    },
    /// The server refused the request, or failed.
    #[error("the language model server answered with status {code}: {detail}")]
    Status {
        /// HTTP status.
        code: u16,
        /// What it said about it, shortened.
        detail: String,
    },
    /// The server, or our worker, reported an error in the middle of its answer.
    #[error("the language model failed: {detail}")]
    Failed {
        /// What it said about it, shortened.
        detail: String,
    },
    /// The key is missing or wrong.
    #[error("the language model server refused the key (status {code})")]
    KeyRefused {
        /// HTTP status: 401 or 403.
        code: u16,
    },
    /// HTTP 400 to a request with tools: the model cannot call tools natively. Ask again with tools described in text.
    #[error("the model {model} refused a request with tools: {detail}")]
    ToolsRefused {
        /// The model.
        model: String,
        /// What the server said, shortened.
        detail: String,
    },
    /// The provider has no such model.
    #[error("the {provider} provider has no model named {model:?}")]
    ModelMissing {
        /// The provider.
        provider: ProviderKind,
        /// The model asked for.
        model: String,
    },
    /// The provider is there but has no model that chats.
    #[error("the {provider} server at {address} has no chat model")]
    NoChatModel {
        /// The provider.
        provider: ProviderKind,
        /// Where it is.
        address: String,
    },
    /// The answer broke off before its end.
    #[error("the language model's answer broke off")]
    Cut,
    /// The server sent what no language model server sends.
    #[error("the language model server sent something unreadable: {what}")]
    Garbage {
        /// What was wrong with it; never its content.
        what: String,
    },
    /// The dialogue does not fit.
    #[error("the dialogue has {tokens} tokens, but the model's context holds {context}")]
    TooLong {
        /// Tokens of the dialogue.
        tokens: u32,
        /// Tokens the context holds.
        context: u32,
    },
    /// The request cannot be carried out as it is: a schema that cannot be enforced, a dialogue the template refuses.
    #[error("the request cannot be carried out: {reason}")]
    Unsupported {
        /// Why not.
        reason: String,
    },
    /// More requests than the embedded model can queue.
    #[error("too many requests wait for the embedded language model")]
    Busy,
    /// Our worker program is not where it should be.
    #[error("the language model worker at {path} cannot be started")]
    WorkerMissing {
        /// Where it should be.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Our worker program ended while it was needed.
    #[error("the language model worker ended unexpectedly ({how})")]
    WorkerDied {
        /// Its exit status.
        how: String,
    },
    /// The model file is missing, broken, or of a kind that the engine does not know.
    #[error("the language model file {path} cannot be read: {reason}")]
    ModelUnreadable {
        /// The file.
        path: PathBuf,
        /// What was wrong.
        reason: String,
    },
    /// Nothing on this machine can answer.
    #[error("no language model was found; tried {}", names(tried))]
    NoProvider {
        /// What was looked for, in that order.
        tried: Vec<ProviderAttempt>,
    },
}

/// A place where a language model was looked for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderAttempt {
    /// What was looked for.
    pub provider: ProviderKind,
    /// Where: an address, or the path of a file.
    pub place: String,
    /// Why it was none, in a few words.
    pub why: String,
}

fn names(tried: &[ProviderAttempt]) -> String {
    let each: Vec<_> = tried.iter().map(|t| format!("{} at {} ({})", t.provider, t.place, t.why)).collect();
    if each.is_empty() { "nothing".to_owned() } else { each.join(", ") }
}

impl LlmError {
    /// One sentence that tells the user what to do.
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
            Self::BadAddress { .. } => {
                "Set llm.base_url to an address such as http://127.0.0.1:11434, or leave it empty.".into()
            }
            Self::UnknownProvider { .. } => "Set llm.provider to auto, ollama, openai or embedded.".into(),
            Self::Silent { .. } => {
                "SupervisorCommand again; if it happens often, choose a smaller model or raise llm.silence_timeout_secs."
                    .into()
            }
            Self::Failed { .. } | Self::Status { code: 500.., .. } => {
                "SupervisorCommand again; if it happens often, look at the language model server's own log.".into()
            }
            Self::Status { .. } => "Look at the language model server's own log for the reason.".into(),
            Self::KeyRefused { .. } => "Store the right key for this server with `jarvis settings secret llm.api_key`, then start Jarvis again.".into(),
            Self::ToolsRefused { model, .. } => {
                format!("Choose a model that can call tools; {model} gets them described in text until then.")
            }
            Self::ModelMissing { provider: ProviderKind::Ollama, model } => {
                format!("Fetch it with `ollama pull {model}`, or choose another model in the settings.")
            }
            Self::ModelMissing { provider: ProviderKind::Embedded, model } => {
                format!("Download {model} under Models in the settings, or choose another model there.")
            }
            Self::ModelMissing { .. } => {
                "Load the model in the server, or choose one of its models in the settings.".into()
            }
            Self::NoChatModel { provider: ProviderKind::Ollama, .. } => {
                "Fetch a model, for example with `ollama pull qwen3:4b`.".into()
            }
            Self::NoChatModel { .. } => "Load a chat model in the server.".into(),
            Self::Busy => "Wait for the answers under way, then ask again.".into(),
            Self::Cut => {
                "SupervisorCommand again; if it happens often, look at the language model server's own log.".into()
            }
            Self::Garbage { .. } => {
                "Check that llm.base_url points at a language model server and that llm.provider fits it."
                    .into()
            }
            Self::TooLong { .. } => {
                "Say it shorter, start a new conversation, or raise llm.context_tokens.".into()
            }
            Self::Unsupported { .. } => "Choose another model in the settings.".into(),
            Self::WorkerMissing { .. } => {
                "Install Jarvis again; when building it yourself, build the package llm-worker too.".into()
            }
            Self::WorkerDied { .. } => {
                "SupervisorCommand again: it starts anew; if it happens often, choose a smaller model in the settings."
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

    /// May the same request succeed a moment later, with nothing done about it?
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Silent { .. } | Self::Failed { .. } => true,
            Self::Cut | Self::Busy | Self::WorkerDied { .. } => true,
            Self::Status { code, .. } => *code >= 500 || *code == 429 || *code == 408,
            _ => false,
        }
    }

    /// Could another provider answer instead? True for whatever says that this one is not there, or has not the model.
    pub fn is_of_the_provider(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                // Something else listens where the server was.
                | Self::Status { code: 404, .. }
                | Self::ModelMissing { .. }
                | Self::NoChatModel { .. }
                | Self::WorkerMissing { .. }
                | Self::ModelUnreadable { .. }
                | Self::NoProvider { .. }
        )
    }

    /// The same, as it is shown to people.
    pub fn trouble(&self) -> Trouble {
        Trouble::from_error(Stage::LanguageModel, self, self.remedy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_says_what_happened_and_what_to_do() {
        let error = LlmError::ModelMissing { provider: ProviderKind::Ollama, model: "qwen3:4b".into() };

        let trouble = error.trouble();

        assert_eq!(trouble.stage, Stage::LanguageModel);
        assert_eq!(trouble.message, "The Ollama provider has no model named \"qwen3:4b\".");
        assert!(trouble.remedy.contains("ollama pull qwen3:4b"));
    }

    #[test]
    fn when_nothing_was_found_every_place_tried_is_named() {
        let tried = vec![
            ProviderAttempt {
                provider: ProviderKind::Ollama,
                place: "127.0.0.1:11434".into(),
                why: "not running".into(),
            },
            ProviderAttempt {
                provider: ProviderKind::Embedded,
                place: "model.gguf".into(),
                why: "not installed".into(),
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
