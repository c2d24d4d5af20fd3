//! How tools are chosen, and what is chosen.

/// The tool that ends a conversation: part of every selection.
pub const STOP: &str = "stop";

/// The tool that finds tools: offered beside every selection, never part of it.
pub const TOOL_SEARCH: &str = "toolSearchTool";

/// How the tools for a query are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// By words and by meaning.
    Hybrid,
    /// A language model chooses from a short list.
    Llm,
    /// Every tool that shares a word with the query.
    Keyword,
    /// By meaning alone.
    Embedding,
    /// Every tool.
    All,
}

impl Strategy {
    /// The strategy that the settings name so.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "hybrid" => Self::Hybrid,
            "llm" => Self::Llm,
            "keyword" => Self::Keyword,
            "embedding" => Self::Embedding,
            "all" => Self::All,
            _ => return None,
        })
    }

    /// Its name in the settings and in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Llm => "llm",
            Self::Keyword => "keyword",
            Self::Embedding => "embedding",
            Self::All => "all",
        }
    }
}

/// The tools for a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Names of tools, the best first. `stop` is one of them, at the end.
    pub names: Vec<String>,
    /// Whether a model should look at the query before a tool is taken from the list for granted.
    pub confidence: Confidence,
}

/// How sure a selection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Confidence {
    /// The right tool is among the names as good as always, if a tool can help at all.
    High,
    /// The query says little about tools, or says it in words of its own: a model should decide.
    Low,
}
