//! Servers of tools.

use serde::Serialize;
use tools::servers::{ServerPhase, ServerStatus};
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
    /// The last lines it wrote beside the protocol.
    pub last_lines: Vec<String>,
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
