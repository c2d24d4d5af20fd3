//! A server, as its user sees it.

/// The state of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerPhase {
    /// It is not running, and starts when a tool of it is called.
    Asleep,
    /// It is being started.
    Starting,
    /// It runs.
    Running,
    /// The user has to sign in there.
    SignInNeeded,
    /// The last attempt failed, with this reason.
    Failed(String),
}

/// A server, as its user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// The name in the settings.
    pub name: String,
    /// Its state.
    pub phase: ServerPhase,
    /// The user is signed in there.
    pub is_signed_in: bool,
    /// Full names of its tools.
    pub tools: Vec<String>,
    /// Tools that it describes otherwise than when they were allowed. They ask again.
    pub changed_tools: Vec<String>,
    /// The last lines it wrote beside the protocol.
    pub last_lines: Vec<String>,
}
