//! Deleting nodes with their facts.

use rusqlite::params;

use crate::MemoryError;
use crate::error::{Outcome, Refusal};
use crate::graph::facts;
use crate::graph::nodes::{branch_of, children, node, note_update};
use crate::graph::structure::{GraphAction, GraphChange, NodeId};
use crate::memory::{Memory, WriteTransaction};
/// The choice for the nodes below a deleted node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildNodes {
    /// They move up to its parent, with its facts.
    MoveUp,
    /// They are deleted with all their facts.
    Delete,
}

impl Memory {
    /// Deletes a node. No node is left without a parent.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for a fixed or missing node.
    pub async fn delete_node(
        &self,
        id: NodeId,
        below: ChildNodes,
        now_micros: i64,
    ) -> Result<(), MemoryError> {
        self.change(move |changing| delete(changing, id, below, now_micros)).await
    }
}

pub(crate) fn delete(
    changing: &mut WriteTransaction<'_>,
    id: NodeId,
    below: ChildNodes,
    now_micros: i64,
) -> Outcome<()> {
    let Some(deleted) = node(changing, id)? else { return Err(Refusal::NoSuchItem(id.item()).into()) };
    let Some(parent) = deleted.parent.filter(|_| !id.is_fixed()) else { return Err(Refusal::Fixed.into()) };
    let branch = branch_of(changing, id)?;
    match below {
        ChildNodes::MoveUp => {
            changing.execute("UPDATE nodes SET parent = ?2 WHERE parent = ?1", params![id.0, parent.0])?;
            facts::move_all(changing, id, parent)?;
            note_update(changing, parent, now_micros)?;
        }
        ChildNodes::Delete => {
            for child in children(changing, id, now_micros)? {
                delete(changing, child.id, ChildNodes::Delete, now_micros)?;
            }
            facts::delete_all(changing, id)?;
        }
    }
    changing.unindex(id.item(), Some(&format!("{}\n{}", deleted.name, deleted.description)))?;
    changing.execute("DELETE FROM nodes WHERE id = ?1", [id.0])?;
    changing.note(GraphChange { action: GraphAction::Deleted, node: id, branch });
    Ok(())
}
