//! What a directed utterance, or a typed line, asks of us.

use serde::{Deserialize, Serialize};

/// Names one reply from its query to its end. Counts up within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReplyId(pub u64);

/// Names a conversation: replies of one conversation share their dialogue.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConversationId(pub String);

impl ConversationId {
    /// The conversation that voice, window and terminal share.
    pub fn main() -> Self {
        Self("main".to_owned())
    }

    /// A conversation of which nothing is kept: it is known until the program ends.
    pub fn temporary() -> Self {
        Self("temporary".to_owned())
    }

    /// Is nothing of it kept?
    pub fn is_temporary(&self) -> bool {
        self.0 == "temporary"
    }
}

/// A language by its ISO 639-1 code: two lower-case letters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Language(String);

impl Language {
    /// Reads a code such as `en`, `EN` or `en-GB`; anything else is no language.
    pub fn new(code: &str) -> Option<Self> {
        let primary = code.split(['-', '_']).next().unwrap_or_default().to_lowercase();
        let is_code = primary.len() == 2 && primary.bytes().all(|b| b.is_ascii_lowercase());
        is_code.then_some(Self(primary))
    }

    /// The two letters.
    pub fn code(&self) -> &str {
        &self.0
    }
}

/// How a query came in; its answer goes back the same way.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Spoken at the microphone: the answer is shown and spoken.
    Voice,
    /// Typed in a window or terminal: the answer is shown there.
    Typed,
    /// Asked by a program through the loopback door.
    Loopback,
}

/// What is asked, as the reply engine gets it: the wake word is already gone from the text.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// The reply that will answer it.
    pub reply: ReplyId,
    /// What is asked, not yet redacted.
    pub text: String,
    /// What language it was asked in, where that is known.
    pub language: Option<Language>,
    /// How it came in.
    pub origin: Origin,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
}

impl std::fmt::Debug for Query {
    /// Hides the words: what people said never reaches a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query")
            .field("reply", &self.reply)
            .field("chars", &self.text.chars().count())
            .field("language", &self.language)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}
