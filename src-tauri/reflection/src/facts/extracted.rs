//! A fact that the model found.

use memory::Branch;
use vocabulary::Private;

/// The longest text that is one fact, in characters. What is longer is a story, or a model that went astray.
pub(crate) const LONGEST_FACT: usize = 400;

/// A fact found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// The branch of the knowledge graph it belongs to.
    pub branch: Branch,
    /// One sentence.
    pub fact: Private<String>,
    /// The user's words that show it. In what `extract` returns they were really said; `None` is a fact without
    /// evidence.
    pub quote: Option<Private<String>>,
}
