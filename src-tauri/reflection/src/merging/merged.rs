//! The merged list of facts, and why there may be none.

use vocabulary::Private;

use crate::ReflectionError;

/// A fact that went into a merge, by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// One that the node held.
    Existing(usize),
    /// One that was to be added.
    New(usize),
}

impl Source {
    pub(super) fn is_existing(&self) -> bool {
        matches!(self, Self::Existing(_))
    }
}

/// A line of the merged list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedLine {
    /// The fact.
    pub text: Private<String>,
    /// The facts it stands for: their evidence is its evidence. For a line worded anew they are those most like it,
    /// and may be none.
    pub sources: Vec<Source>,
    /// Does it say the same as its sources but for case, blanks and punctuation at the end? If not, it is worded anew.
    pub is_verbatim: bool,
}

/// A fact that no line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// The fact.
    pub source: Source,
    /// The line that took its place, where one did: it contradicts the fact or says it better. `None` when the model
    /// left the fact out without a trace.
    pub by: Option<usize>,
}

/// A merged list, to take the place of the old one as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// Its lines, enduring facts first.
    pub lines: Vec<MergedLine>,
    /// What is no longer there. A [`Source::New`] among them was judged not worth keeping.
    pub dropped: Vec<Dropped>,
}

impl Merged {
    /// Which of the new facts are in the list word for word, by their place: those count as learned.
    pub fn incorporated(&self) -> Vec<usize> {
        let verbatim = self.lines.iter().filter(|line| line.is_verbatim);
        let mut places: Vec<usize> = verbatim
            .flat_map(|line| &line.sources)
            .filter_map(|source| match source {
                Source::New(place) => Some(*place),
                Source::Existing(_) => None,
            })
            .collect();
        places.sort_unstable();
        places
    }
}

/// Why facts were not merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeRejection {
    /// The node is empty, or there is nothing new: the model was not asked.
    #[error("there is nothing to merge")]
    NothingToMerge,
    /// The answer held no list of facts, an empty one, or one that is far too long.
    #[error("the model's answer held no usable list")]
    Unreadable,
    /// A line of the list comes from none of the facts.
    #[error("the model invented a fact")]
    Invents,
    /// Too many facts are gone from the list without a trace.
    #[error("the model left out too many facts")]
    Forgets,
    /// The model could not be asked.
    #[error("the model could not be asked")]
    Failed(#[source] ReflectionError),
}

impl MergeRejection {
    /// A word for it that holds nothing of what was said: for events and logs.
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
