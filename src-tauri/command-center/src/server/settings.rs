//! The settings of the server role.

/// Settings of the server role.
#[derive(Debug, Clone, Default)]
pub struct ServerSettings {
    /// Sends an empty list instead of `null` if there are no calls, as some programs expect it.
    pub sends_empty_lists: bool,
    /// Answers commands of conversations that were never started, with the engine's own tools only.
    pub accepts_unstarted: bool,
    /// Names and addresses besides this machine's that a request may be sent to.
    pub hosts: Vec<String>,
}
