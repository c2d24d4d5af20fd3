//! The question of a directed utterance, a typed line or a calling program.

use serde::{Deserialize, Serialize};

/// Numbers the replies of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReplyId(pub u64);

/// Names a conversation. Replies of one conversation share their dialogue.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConversationId(pub String);

impl ConversationId {
    /// The conversation that microphone, window and terminal share.
    pub fn main() -> Self {
        Self("main".to_owned())
    }

    /// The temporary conversation of this number: nothing of it is stored.
    pub fn temporary(number: u64) -> Self {
        Self(format!("{TEMPORARY}{number}"))
    }

    /// The temporary conversation of this number with a program that has a key.
    pub fn with_program(number: u64, program: &str) -> Self {
        Self(format!("{TEMPORARY}{number}{OF_PROGRAM}{program}"))
    }

    /// The program that this is a conversation with; `None` if it is one of the user.
    pub fn program(&self) -> Option<&str> {
        Some(self.0.strip_prefix(TEMPORARY)?.split_once(OF_PROGRAM)?.1)
    }

    /// Returns `true` if nothing of it is stored.
    pub fn is_temporary(&self) -> bool {
        self.0.starts_with(TEMPORARY)
    }
}

/// The beginning of the names of temporary conversations.
const TEMPORARY: &str = "temporary-";

/// The mark before the name of the program.
const OF_PROGRAM: &str = "-of-";

/// A language by its ISO 639-1 code: two lower-case letters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Language(String);

impl Language {
    /// Reads a code such as `en`, `EN` or `en-GB`; `None` for anything else.
    pub fn new(code: &str) -> Option<Self> {
        let primary = code.split(['-', '_']).next().unwrap_or_default().to_lowercase();
        let is_code = primary.len() == 2 && primary.bytes().all(|b| b.is_ascii_lowercase());
        is_code.then_some(Self(primary))
    }

    /// The two letters, lower case.
    pub fn code(&self) -> &str {
        &self.0
    }
}

/// The place where a query came from; its answer goes back there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Spoken at the microphone: the answer is shown and spoken.
    Voice,
    /// Spoken at a satellite, in another room: the answer is spoken there.
    Satellite,
    /// Typed in a window or terminal: the answer is shown there.
    Typed,
    /// Asked by a calling program, such as `jarvis ask`: the answer goes to that program.
    Program,
}

impl Origin {
    /// Returns `true` if it was spoken, so that the answer is heard.
    pub fn is_spoken(&self) -> bool {
        matches!(self, Self::Voice | Self::Satellite)
    }

    /// The name that is stored.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Voice => "voice",
            Self::Satellite => "satellite",
            Self::Typed => "typed",
            Self::Program => "loopback",
        }
    }

    /// The origin of a stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "voice" => Some(Self::Voice),
            "satellite" => Some(Self::Satellite),
            "typed" => Some(Self::Typed),
            // "program" is an older name.
            "loopback" | "program" => Some(Self::Program),
            _ => None,
        }
    }
}

/// A query as the reply engine gets it: without the wake word.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// The number of the reply that answers it.
    pub reply: ReplyId,
    /// The words of the user, not yet redacted.
    pub text: String,
    /// The language it was asked in, if known.
    pub language: Option<Language>,
    /// The place where it came from.
    pub origin: Origin,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// It replaces the query before and its reply: the user went on speaking, or took that query back.
    pub replaces_previous: bool,
}

impl std::fmt::Debug for Query {
    /// Hides the words: they must not reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query")
            .field("reply", &self.reply)
            .field("chars", &self.text.chars().count())
            .field("language", &self.language)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversation_with_a_program_is_temporary_and_names_it() {
        let of_program = ConversationId::with_program(7, "bot-of-ada");

        assert!(of_program.is_temporary());
        assert_eq!(of_program.program(), Some("bot-of-ada"));
        assert_eq!(ConversationId::temporary(7).program(), None);
        assert_eq!(ConversationId::main().program(), None);
    }
}
