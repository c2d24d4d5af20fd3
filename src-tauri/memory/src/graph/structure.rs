//! A node of the knowledge graph, and what can become of it.
//!
//! Source: behaviour reference, section 3.5.

use serde::Serialize;

use crate::item::{ItemId, Kind};

/// Names a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct NodeId(pub i64);

impl NodeId {
    /// Above all others.
    pub const ROOT: Self = Self(1);

    /// Root and the three branches: neither renamed, moved nor deleted.
    pub fn is_fixed(self) -> bool {
        (1..=4).contains(&self.0)
    }

    /// The same as an item.
    pub fn item(self) -> ItemId {
        ItemId::new(Kind::Node, self.0)
    }
}

/// The three fixed branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Branch {
    /// Who the user is.
    User,
    /// How the user wants to be served.
    Directives,
    /// The rest of the world.
    World,
}

impl Branch {
    /// All three.
    pub const ALL: [Self; 3] = [Self::User, Self::Directives, Self::World];

    /// Its node.
    pub fn node(self) -> NodeId {
        NodeId(match self {
            Self::User => 2,
            Self::Directives => 3,
            Self::World => 4,
        })
    }

    pub(crate) fn of_node(id: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|branch| branch.node().0 == id)
    }
}

/// How the graph changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphChange {
    /// What was done.
    pub action: GraphAction,
    /// To which node.
    pub node: NodeId,
    /// The branch it is in; `None` for root.
    pub branch: Option<Branch>,
}

impl GraphChange {
    pub(crate) fn touches_profile(&self) -> bool {
        matches!(self.branch, None | Some(Branch::User | Branch::Directives))
    }
}

/// What can be done to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphAction {
    /// It was made.
    Created,
    /// Its name, description, place or facts changed.
    Updated,
    /// It is gone.
    Deleted,
}

/// Levels of nodes below the root. Deeper trees cannot be made.
pub const MAX_DEPTH: usize = 20;
