//! The port: what a tool is, and what it is told.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use vocabulary::{ConversationId, Language, Origin, Private};

use crate::ToolResult;
use crate::inquiry::Inquiries;

/// Something that Jarvis can do.
#[async_trait]
pub trait Tool: Send + Sync {
    /// The declaration, for models and users. The same at every call.
    fn declaration(&self) -> &Declaration;

    /// The effect of a call with these arguments: no more than the declaration says. They may lack what the schema
    /// requires, or not fit it.
    fn effect(&self, _arguments: &Map<String, Value>) -> Effect {
        self.declaration().effect
    }

    /// The names of the secrets that it cannot work without. A call is refused while one of them is not stored.
    fn required_secrets(&self) -> &'static [&'static str] {
        &[]
    }

    /// Checks what the schema of the arguments cannot say, before the user is asked about the call.
    ///
    /// # Errors
    ///
    /// A sentence for the model: what would be right.
    fn validate(&self, _arguments: &Map<String, Value>) -> Result<(), String> {
        Ok(())
    }

    /// Does it. The arguments fit the schema of the declaration and passed [`Tool::validate`].
    ///
    /// The choke point drops the future when the reply is stopped or the tool's time is over, so it must be
    /// cancel-safe: a change is made whole or not at all.
    async fn run(&self, arguments: Map<String, Value>, context: &ToolContext) -> ToolResult;
}

/// The declaration of a tool, for models and users.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// Name of letters, digits, `_` and `-`. Names with `__` are tools of an MCP server: `server__tool`.
    pub name: String,
    /// Purpose, for the model. Its first line stands in short lists.
    pub description: String,
    /// JSON schema of the arguments, which are an object.
    pub parameters: Value,
    /// More words by which selection finds it.
    pub keywords: Vec<String>,
    /// Requests of users, with the arguments that answer them.
    pub examples: Vec<Example>,
    /// The effect of a call; the most serious one if it depends on the arguments.
    pub effect: Effect,
    /// The time that a call may take.
    pub timeout: Duration,
    /// Its provider.
    pub source: ToolSource,
}

/// A request of a user, and the arguments of the call that answers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The words of the user.
    pub request: String,
    /// The arguments, an object.
    pub arguments: Value,
}

/// The effect of a call. Later ones are more serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Reads the user's own data, or computes.
    ReadOnly,
    /// Reads from the network.
    Network,
    /// Adds or changes data that can be undone, or opens what the user can close again: a page, or a program of the
    /// applications menu, without arguments.
    Writes,
    /// Deletes data.
    Destructive,
    /// Runs a program or code that the call chooses.
    Executes,
}

impl Effect {
    /// Returns `true` if only a key or a click may allow it: what is done cannot be undone by a word.
    pub fn needs_a_hand(self) -> bool {
        match self {
            Self::ReadOnly | Self::Network | Self::Writes => false,
            Self::Destructive | Self::Executes => true,
        }
    }

    /// The name that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::Network => "network",
            Self::Writes => "writes",
            Self::Destructive => "destructive",
            Self::Executes => "executes",
        }
    }
}

/// The provider of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolSource {
    /// Jarvis itself.
    BuiltIn,
    /// The MCP server of this name.
    Server(String),
    /// The program that asked, for its own replies.
    Caller,
}

/// The context of a call: the reply that makes it.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// The words of the user, redacted.
    pub query: Private<String>,
    /// Their language, if known.
    pub language: Option<Language>,
    /// The conversation that the reply belongs to.
    pub conversation: ConversationId,
    /// The place where the query came from.
    pub origin: Origin,
    /// The time of the call.
    pub now: Timestamp,
    /// The user's time zone.
    pub zone: TimeZone,
    /// Cancelled when the reply is stopped.
    pub stop: CancellationToken,
    /// The way to the user, for what a tool needs to know. The choke point fills it in.
    pub inquiries: Inquiries,
}
