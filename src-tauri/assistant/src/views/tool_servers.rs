//! Servers of tools.

use serde::Serialize;
use tools::servers::{ServerPhase, ServerPrompt, ServerPromptArgument, ServerStatus};
use ts_rs::TS;

/// The state of a server of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToolServerState {
    /// It is not running, and starts when one of its tools is called.
    Asleep,
    /// It is being started.
    Starting,
    /// It runs.
    Running,
    /// The user has to sign in there.
    SignInNeeded,
    /// The last attempt failed, or its settings cannot be used.
    Failed {
        /// The reason, in lower case without a full stop.
        why: String,
    },
}

/// A server of tools that is switched on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ToolServerView {
    /// Its name in the settings.
    pub name: String,
    /// Running, starting, stopped or failed.
    pub state: ToolServerState,
    /// The user is signed in there, by a browser.
    pub is_signed_in: bool,
    /// Full names of its tools.
    pub tools: Vec<String>,
    /// Those that it describes otherwise than when they were allowed. They ask again.
    pub changed_tools: Vec<String>,
    /// The last lines it wrote beside the messages of the Model Context Protocol.
    pub last_lines: Vec<String>,
}

/// A ready-made text for a task that a server of tools offers. Its words are a stranger's: plain, on one line and bounded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerPromptView {
    /// The server, by its name in the settings.
    pub server: String,
    /// Its name. The user types `/server:name`.
    pub name: String,
    /// Its purpose, in the words of the server.
    pub description: Option<String>,
    /// The values that it is filled in with.
    pub arguments: Vec<PromptArgumentView>,
}

/// A value that a prompt is filled in with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptArgumentView {
    /// The name by which the server takes it.
    pub name: String,
    /// Its meaning, in the words of the server.
    pub description: Option<String>,
    /// The prompt cannot be filled in without it.
    pub is_required: bool,
}

impl From<ServerPrompt> for ServerPromptView {
    fn from(ServerPrompt { server, name, description, arguments }: ServerPrompt) -> Self {
        let arguments = arguments.into_iter().map(PromptArgumentView::from).collect();
        Self { server, name, description, arguments }
    }
}

impl From<ServerPromptArgument> for PromptArgumentView {
    fn from(ServerPromptArgument { name, description, is_required }: ServerPromptArgument) -> Self {
        Self { name, description, is_required }
    }
}

impl From<ServerStatus> for ToolServerView {
    fn from(status: ServerStatus) -> Self {
        let state = match status.phase {
            ServerPhase::Asleep => ToolServerState::Asleep,
            ServerPhase::Starting => ToolServerState::Starting,
            ServerPhase::Running => ToolServerState::Running,
            ServerPhase::SignInNeeded => ToolServerState::SignInNeeded,
            ServerPhase::Failed(why) => ToolServerState::Failed { why },
        };
        Self {
            name: status.name,
            state,
            is_signed_in: status.is_signed_in,
            tools: status.tools,
            changed_tools: status.changed_tools,
            last_lines: status.last_lines,
        }
    }
}
