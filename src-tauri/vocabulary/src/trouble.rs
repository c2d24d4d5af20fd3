//! Troubles, in words that tell the user what to do.

use serde::{Deserialize, Serialize};

/// The part that went wrong. Shown to users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Capturing sound.
    Microphone,
    /// Playing sound.
    #[serde(rename = "speaker")]
    Loudspeaker,
    /// Turning speech into words.
    Recognition,
    /// The language model and its provider.
    LanguageModel,
    /// Turning words into speech.
    Voice,
    /// The database.
    Memory,
    /// The settings file.
    Settings,
    /// The system's keychain.
    Keychain,
    /// Fetching a model.
    Download,
    /// Another running Jarvis, or the socket to it.
    Instance,
    /// The Command Center that answers in place of a language model.
    CommandCenter,
    /// The servers of tools.
    ToolServers,
    /// A satellite in another room.
    Satellite,
    /// Telling whose voice was heard.
    EnrolledVoices,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 14] = [
        Self::Microphone,
        Self::Loudspeaker,
        Self::Recognition,
        Self::LanguageModel,
        Self::Voice,
        Self::Memory,
        Self::Settings,
        Self::Keychain,
        Self::Download,
        Self::Instance,
        Self::CommandCenter,
        Self::ToolServers,
        Self::Satellite,
        Self::EnrolledVoices,
    ];
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Microphone => "microphone",
            Self::Loudspeaker => "speaker",
            Self::Recognition => "speech recognition",
            Self::LanguageModel => "language model",
            Self::Voice => "voice",
            Self::Memory => "memory",
            Self::Settings => "settings",
            Self::Keychain => "keychain",
            Self::Download => "download",
            Self::Instance => "instance",
            Self::EnrolledVoices => "enrolled voices",
            Self::CommandCenter => "Command Center",
            Self::ToolServers => "tool servers",
            Self::Satellite => "satellite",
        })
    }
}

/// An error as the user reads it: stage, message and remedy.
///
/// Holds no words of the user and no secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// The part that went wrong.
    pub stage: Stage,
    /// The trouble: one sentence with a capital and a full stop.
    pub message: String,
    /// The remedy: one sentence.
    pub remedy: String,
}

impl Trouble {
    /// A trouble of this stage.
    pub fn new(stage: Stage, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { stage, message: message.into(), remedy: remedy.into() }
    }

    /// A trouble whose message is the whole chain of an error's causes: `A: b: c.`
    pub fn from_error(stage: Stage, error: &dyn std::error::Error, remedy: impl Into<String>) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let inner_text = inner.to_string();
            // Wrappers often repeat the message of what they wrap.
            if !message.ends_with(&inner_text) {
                message.push_str(": ");
                message.push_str(&inner_text);
            }
            cause = inner.source();
        }
        if let Some(first) = message.get(..1) {
            message = first.to_uppercase() + &message[1..];
        }
        if !message.ends_with(['.', '!', '?']) {
            message.push('.');
        }
        Self::new(stage, message, remedy)
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} {}", self.stage, self.message, self.remedy)
    }
}
