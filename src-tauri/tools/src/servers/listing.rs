//! The tools that a server named.

use rmcp::model::Tool as Described;

/// The tools that a server named.
pub(super) struct Listing {
    /// The name of the server.
    pub server: String,
    /// Which of the servers that had this name one after the other.
    pub generation: u64,
    /// The tools that the server lists.
    pub tools: Vec<Described>,
    /// It has resources.
    pub has_resources: bool,
    /// It has prompts.
    pub has_prompts: bool,
}
