//! What was learned.

use memory::NodeId;
use vocabulary::Private;

use crate::ReflectionError;

/// Messages searched at a time: what one or two questions hold.
pub(super) const PAGE: usize = 100;

/// What was learned.
#[derive(Debug, Default)]
pub struct Learning {
    /// Facts that are new, or worded anew with something new in them.
    pub learned: Vec<LearnedFact>,
    /// How many facts were known: they have one more witness now.
    pub known: usize,
    /// How many were found that the user never said.
    pub without_witness: usize,
    /// Nodes that had grown too long, and were split.
    pub split: Vec<NodeId>,
    /// Why the rest waits for the next time.
    pub unfinished: Option<ReflectionError>,
}

/// A fact, and where it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedFact {
    /// The fact.
    pub text: Private<String>,
    /// Its node when it was learned.
    pub node: NodeId,
}
