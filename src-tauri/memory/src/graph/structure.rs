//! The fixed structure of the graph, ids of its nodes, and its changes.
//!
//! Source: docs/behaviour/memory.md#graph-of-facts.

use serde::Serialize;

use crate::item::{ItemId, RecordKind};

/// The id of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct NodeId(pub i64);

impl NodeId {
    /// The root of the tree.
    pub const ROOT: Self = Self(1);

    /// Returns `true` for the root and the three branches, which are never renamed, moved or deleted.
    pub fn is_fixed(self) -> bool {
        (1..=4).contains(&self.0)
    }

    /// The item id of the node.
    pub fn item(self) -> ItemId {
        ItemId::new(RecordKind::Node, self.0)
    }
}

/// The fixed branches below the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Branch {
    /// The person of the user.
    User,
    /// The way the user wants to be served.
    Directives,
    /// Everything else.
    World,
}

impl Branch {
    /// All branches.
    pub const ALL: [Self; 3] = [Self::User, Self::Directives, Self::World];

    /// The node of the branch.
    pub fn node(self) -> NodeId {
        NodeId(match self {
            Self::User => 2,
            Self::Directives => 3,
            Self::World => 4,
        })
    }

    pub(crate) fn from_node(id: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|branch| branch.node().0 == id)
    }
}

/// A change of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphChange {
    /// The kind of change.
    pub action: GraphAction,
    /// The changed node.
    pub node: NodeId,
    /// The branch that contains the node; `None` for the root.
    pub branch: Option<Branch>,
}

impl GraphChange {
    /// Returns `true` if the warm profile may have changed with it.
    pub fn touches_profile(&self) -> bool {
        matches!(self.branch, None | Some(Branch::User | Branch::Directives))
    }
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphAction {
    /// The node is new.
    Created,
    /// Its name, description, parent or facts changed.
    Updated,
    /// The node was deleted.
    Deleted,
}

/// Levels of nodes below the root. Deeper trees cannot be made.
pub const MAX_DEPTH: usize = 20;
