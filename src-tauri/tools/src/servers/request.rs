//! A request to a server.

use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::elicitation::Asker;
use super::session_error::SessionError;

/// A request to the task of a server.
pub(super) enum ServerRequest {
    /// Use it.
    Call {
        asked: AskedOperation,
        /// The user who answers its questions.
        asker: Asker,
        /// The call only reads, so that it may be made once more when the server ended meanwhile.
        can_repeat: bool,
        answer: oneshot::Sender<Result<Value, SessionError>>,
    },
    /// List the tools anew, with the values that the settings name as they are now.
    List { answer: oneshot::Sender<()> },
}

/// A request to a server.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AskedOperation {
    /// Call a tool.
    Tool { name: String, arguments: Map<String, Value> },
    /// Name its resources.
    Resources,
    /// Read a resource.
    Resource { uri: String },
    /// Name its prompts.
    Prompts,
    /// Fill in a prompt.
    Prompt { name: String, arguments: Map<String, Value> },
}
