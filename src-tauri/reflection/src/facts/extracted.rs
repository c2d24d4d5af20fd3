//! A fact in the model's answer.

use memory::Branch;
use vocabulary::Private;

/// Length limit of a fact, in characters. A longer text is not a single fact.
pub(crate) const MAX_FACT_CHARS: usize = 400;

/// A fact extracted by the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedFact {
    /// The branch of the knowledge graph it belongs to.
    pub branch: Branch,
    /// One sentence.
    pub fact: Private<String>,
    /// The user's words that show the fact. Checked against the dialogue in the facts that `extract` returns; `None` means a
    /// fact without evidence.
    pub quote: Option<Private<String>>,
}
