//! The way tools are chosen, and what is chosen.

/// The tool that ends a conversation: part of every selection.
pub const STOP: &str = "stop";

/// The tool that finds tools: offered beside every selection, never part of it.
pub const TOOL_SEARCH: &str = "toolSearchTool";

/// A tool, and how well it fits a query.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedTool {
    /// The name in the settings.
    pub name: String,
    /// Words and meaning together; about 1 for a perfect match.
    pub score: f32,
}

/// The tools for a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Names of tools, the best first. `stop` is one of them, at the end.
    pub names: Vec<String>,
    /// The confidence in the names.
    pub confidence: Confidence,
    /// With [`Hybrid`](settings::SelectionStrategy::Hybrid), the tools that fit best, the best first, and how well; empty with the others.
    pub ranked: Vec<RankedTool>,
}

/// The confidence in a selection: it is sure if the best score of `hybrid` reaches a threshold, with the vector of
/// the query at hand. On the tuning half of `cargo xtask bench tools` 54 of 160 selections are sure, and 53 of them
/// have a right tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Confidence {
    /// The right tool is very likely among the names.
    High,
    /// The query is small talk, or says in words of its own what it wants: a model should decide. The names are guesses.
    Low,
}
