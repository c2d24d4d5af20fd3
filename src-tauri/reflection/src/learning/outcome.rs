//! The outcome of learning.

use memory::NodeId;
use vocabulary::Private;

use crate::ReflectionError;

/// Messages searched at a time: enough for one or two questions.
pub(super) const PAGE: usize = 100;

/// The outcome of learning.
#[derive(Debug, Default)]
pub struct LearningOutcome {
    /// Facts that are new, or rewritten with new content.
    pub learned: Vec<LearnedFact>,
    /// Number of facts that were known already and got further evidence.
    pub already_known: usize,
    /// Number of facts that were dropped because the user never said them.
    pub unsupported: usize,
    /// Long nodes that were split.
    pub split_nodes: Vec<NodeId>,
    /// Why the remaining messages were not searched.
    pub error: Option<ReflectionError>,
}

/// A fact, and if it was new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedFact {
    /// The fact.
    pub text: Private<String>,
    /// The node in which it was stored.
    pub node: NodeId,
}
