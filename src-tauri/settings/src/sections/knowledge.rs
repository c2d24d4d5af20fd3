//! Language models, memory, the place and the web.

use serde::{Deserialize, Serialize};

use crate::choices::{Embeddings, Provider};

/// `llm` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LlmSettings {
    /// The provider that runs the language model.
    pub provider: Provider,
    /// The provider's address, such as `http://127.0.0.1:11434`; empty is its usual one.
    pub base_url: String,
    /// The chat model's name at the provider, or its id in the catalogue; empty lets us choose.
    pub chat_model: String,
    /// The model for short helper tasks, such as placing facts in the graph; empty is the chat model.
    pub fast_model: String,
    /// Tokens of context asked for. One size throughout: servers reload weights when it changes. Servers of the OpenAI
    /// protocol cannot be asked for a size.
    pub context_tokens: u64,
    /// Longest reply, in tokens.
    pub max_reply_tokens: u64,
    /// Randomness of replies, 0.0 to 2.0.
    pub temperature: f64,
    /// Let a model that can think do so before it answers.
    pub think: bool,
    /// The time to wait while the provider sends nothing, in seconds.
    pub silence_timeout_secs: f64,
}

impl Default for LlmSettings {
    fn default() -> Self {
        Self {
            provider: Provider::Auto,
            base_url: String::new(),
            chat_model: String::new(),
            fast_model: String::new(),
            context_tokens: 8192,
            max_reply_tokens: 1024,
            temperature: 0.7,
            think: false,
            silence_timeout_secs: 60.0,
        }
    }
}

/// `memory` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemorySettings {
    /// Store what is said; otherwise it is forgotten when the program ends.
    pub remember: bool,
    /// Give the model what was said and learned before, if it fits.
    pub recall: bool,
    /// Have the language model summarise what was said, and learn from it, while nobody speaks.
    pub diary: bool,
    /// The engine that computes embeddings.
    pub embeddings: Embeddings,
    /// The provider's embedding model; empty means its default.
    pub embedding_model: String,
    /// Make a backup every day.
    pub backups: bool,
    /// The time that the dialogue goes on after the last word, in seconds.
    pub dialogue_window_secs: u64,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            remember: true,
            recall: true,
            diary: true,
            embeddings: Embeddings::Local,
            embedding_model: String::new(),
            backups: true,
            dialogue_window_secs: 300,
        }
    }
}

/// `location` in the settings file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LocationSettings {
    /// The place where the user is, in words the model reads, such as `Leeds, United Kingdom`; empty is not told.
    pub place: String,
    /// Without a place, the location service of the desktop is asked for one.
    pub from_desktop: bool,
    /// IANA time zone, such as `Europe/London`; empty is the system's.
    pub time_zone: String,
}

/// `web` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WebSettings {
    /// Contact no other computer, for nothing.
    pub offline: bool,
    /// Search the web.
    pub search: bool,
    /// Ask Wikipedia when a search found nothing else.
    pub wikipedia: bool,
    /// Leave pages alone where their site asks programs for it.
    pub robots: bool,
}

impl Default for WebSettings {
    fn default() -> Self {
        Self { offline: false, search: true, wikipedia: true, robots: false }
    }
}
