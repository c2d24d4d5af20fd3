//! What goes wrong, said so that a person can mend it.

use serde::{Deserialize, Serialize};

/// Where on the path something went wrong. Shown to people, so the names are theirs.
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
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 10] = [
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
        })
    }
}

/// Something a user should know of: where it went wrong, what happened, and what to do.
///
/// Holds no word of what people said, and no secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// Where on the path.
    pub stage: Stage,
    /// What happened, as one sentence with a capital and a full stop.
    pub message: String,
    /// What the user can do about it, as one sentence.
    pub remedy: String,
}

impl Trouble {
    /// Names the stage, what happened, and the remedy.
    pub fn new(stage: Stage, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { stage, message: message.into(), remedy: remedy.into() }
    }

    /// The same with the whole chain of an error's causes as its message: `a: b: c.`
    pub fn from_error(stage: Stage, error: &dyn std::error::Error, remedy: impl Into<String>) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let inner_text = inner.to_string();
            // Wrappers often repeat what they wrap.
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
