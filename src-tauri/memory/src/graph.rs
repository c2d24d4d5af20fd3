//! The knowledge graph: a tree of nodes with facts.

pub(crate) mod structure; // ids, fixed branches, changes
pub(crate) mod nodes;
pub(crate) mod facts; // with the evidence for them
pub(crate) mod merging;
pub(crate) mod node_deletion;
mod node_search;
pub(crate) mod warm_profile; // what every prompt contains
mod profile_loading;
