//! A node of the knowledge graph, and what can become of it.
//!
//! Source: behaviour reference, section 3.5.

use serde::Serialize;

use crate::item::{ItemId, Kind};

/// After so many days without access a node's score is half.
const HALF_LIFE_DAYS: f64 = 14.0;

const MICROS_A_DAY: f64 = 86_400e6;

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

/// A node, without its facts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Node {
    /// Its name in commands.
    pub id: NodeId,
    /// Its name for people and models.
    pub name: String,
    /// What belongs in it; at most 300 characters.
    pub description: String,
    /// The node above; root has none.
    pub parent: Option<NodeId>,
    /// How often it was of use.
    pub access_count: i64,
    /// When it was last of use: microseconds since 1970 UTC.
    pub last_accessed: i64,
    /// When it was made: microseconds since 1970 UTC.
    pub created_at: i64,
    /// When it was last changed: microseconds since 1970 UTC.
    pub updated_at: i64,
    /// Rough number of tokens of its facts: a quarter of their characters, at least 1 if there are any.
    pub tokens: i64,
    /// Are there nodes below it?
    pub has_children: bool,
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

/// What becomes of the nodes below a deleted one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// They, and its facts, move up to its parent.
    MoveUp,
    /// They go too, with all their facts.
    Delete,
}

/// Changes to a node; `None` leaves as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeEdit {
    /// Another name.
    pub name: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Another place.
    pub parent: Option<NodeId>,
}

/// How much a node matters: often and lately used ones matter more.
///
/// Source: behaviour reference, section 3.5.
pub fn decayed_score(access_count: i64, age_days: f64, half_life_days: f64) -> f64 {
    access_count as f64 / (1.0 + age_days.max(0.0) / half_life_days)
}

impl Node {
    /// How much it matters at `now_micros`.
    pub fn score(&self, now_micros: i64) -> f64 {
        let age_days = now_micros.saturating_sub(self.last_accessed) as f64 / MICROS_A_DAY;
        decayed_score(self.access_count, age_days, HALF_LIFE_DAYS)
    }
}
