//! The merged list of facts, and the reasons to reject one.

use vocabulary::Private;

use crate::ReflectionError;

/// A fact that went into a merge, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactSource {
    /// A fact of the node.
    Existing(usize),
    /// A fact to be added.
    New(usize),
}

impl FactSource {
    pub(super) fn is_existing(&self) -> bool {
        matches!(self, Self::Existing(_))
    }
}

/// A line of the merged list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedLine {
    /// The fact.
    pub text: Private<String>,
    /// The facts that the line expresses: it takes over their evidence. For a rewritten line these are the most similar
    /// facts; there may be none.
    pub sources: Vec<FactSource>,
    /// `true` if the line equals its sources except for case, blanks and punctuation at the end. Otherwise it is
    /// rewritten.
    pub is_verbatim: bool,
}

/// A fact that no line expresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DroppedFact {
    /// The fact.
    pub source: FactSource,
    /// Index of the line that replaced it: a contradiction or a better wording. `None` when the model only omitted the fact.
    pub by: Option<usize>,
}

/// A merged list. It replaces the facts of the node as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedFacts {
    /// The lines, lasting facts first.
    pub lines: Vec<MergedLine>,
    /// Facts that are not in the list. The model judged a [`FactSource::New`] among them not worth storing.
    pub dropped: Vec<DroppedFact>,
}

impl MergedFacts {
    /// Indices of the new facts that are in the list word for word.
    pub fn incorporated(&self) -> Vec<usize> {
        let verbatim = self.lines.iter().filter(|line| line.is_verbatim);
        let mut places: Vec<usize> = verbatim
            .flat_map(|line| &line.sources)
            .filter_map(|source| match source {
                FactSource::New(place) => Some(*place),
                FactSource::Existing(_) => None,
            })
            .collect();
        places.sort_unstable();
        places
    }
}

/// Why facts were not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeRejection {
    /// The node is empty or there are no new facts. The model was not asked.
    #[error("there is nothing to merge")]
    NothingToMerge,
    /// The answer contained no list of facts, an empty one, or one that is far too long.
    #[error("the model's answer contained no usable list")]
    Unreadable,
    /// A line of the list comes from none of the facts.
    #[error("the model invented a fact")]
    Invents,
    /// Too many facts are missing from the list.
    #[error("the model left out too many facts")]
    Forgets,
    /// The model could not be asked.
    #[error("the model could not be asked")]
    Failed(#[source] ReflectionError),
}

impl MergeRejection {
    /// A code for events and logs. It contains nothing of the dialogue.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NothingToMerge => "nothing_to_merge",
            Self::Unreadable => "unreadable",
            Self::Invents => "invents",
            Self::Forgets => "forgets",
            Self::Failed(error) => error.code(),
        }
    }
}
