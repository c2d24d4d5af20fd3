//! Nodes of the knowledge graph: a tree under three fixed branches.
//!
//! Source: docs/behaviour/memory.md#graph-of-facts (no orphans).

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

use crate::MemoryError;
use crate::error::{Outcome, Refusal};
use crate::graph::structure::{Branch, GraphAction, GraphChange, MAX_DEPTH, NodeId};
use crate::memory::{Memory, WriteTransaction};
use crate::search::normalise::normalise;

/// Longest description, in characters.
pub(crate) const MAX_DESCRIPTION: usize = 300;

/// Longest name, in characters.
const MAX_NAME: usize = 200;

/// Days without access after which the score of a node is half.
const HALF_LIFE_DAYS: f64 = 14.0;

const MICROS_A_DAY: f64 = 86_400e6;

/// A node, without its facts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Node {
    /// The row of the node.
    pub id: NodeId,
    /// Name for people and models.
    pub name: String,
    /// A description of the facts that belong in the node; at most 300 characters.
    pub description: String,
    /// The parent; `None` for the root.
    pub parent: Option<NodeId>,
    /// The number of times that it was used.
    pub access_count: i64,
    /// When it was last used: microseconds since 1970 UTC.
    pub last_accessed: i64,
    /// When it was created: microseconds since 1970 UTC.
    pub created_at: i64,
    /// When it was last changed: microseconds since 1970 UTC.
    pub updated_at: i64,
    /// Estimated tokens of its facts: a quarter of their characters, at least 1 if there are any.
    pub tokens: i64,
    /// `true` if there are nodes below it.
    pub has_children: bool,
}

/// Changes to a node; `None` leaves a field unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeEdit {
    /// New name.
    pub name: Option<String>,
    /// New description.
    pub description: Option<String>,
    /// New parent.
    pub parent: Option<NodeId>,
}

/// The importance of a node: higher if it is used often and recently.
///
/// Source: docs/behaviour/memory.md#graph-of-facts.
pub fn decayed_score(access_count: i64, age_days: f64, half_life_days: f64) -> f64 {
    access_count as f64 / (1.0 + age_days.max(0.0) / half_life_days)
}

impl Node {
    /// Its importance at `now_micros`.
    pub fn score(&self, now_micros: i64) -> f64 {
        let age_days = now_micros.saturating_sub(self.last_accessed) as f64 / MICROS_A_DAY;
        decayed_score(self.access_count, age_days, HALF_LIFE_DAYS)
    }
}

impl Memory {
    /// Creates a node.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for an empty name, or a parent that is missing or too deep.
    pub async fn create_node(
        &self,
        parent: NodeId,
        name: &str,
        description: &str,
        now_micros: i64,
    ) -> Result<NodeId, MemoryError> {
        let (name, description) = (name.to_owned(), description.to_owned());
        self.change(move |changing| create(changing, parent, &name, &description, now_micros)).await
    }

    /// Changes a node.
    ///
    /// # Errors
    ///
    /// [`MemoryError::Refused`] for a fixed or missing node, an empty name, or a parent below the node.
    pub async fn edit_node(&self, id: NodeId, edit: NodeEdit, now_micros: i64) -> Result<(), MemoryError> {
        self.change(move |changing| update(changing, id, &edit, now_micros)).await
    }

    /// The node with this id.
    pub async fn node(&self, id: NodeId) -> Result<Option<Node>, MemoryError> {
        self.read(move |connection| node(connection, id)).await
    }

    /// The nodes directly below a node, most important first.
    pub async fn children(&self, id: NodeId, now_micros: i64) -> Result<Vec<Node>, MemoryError> {
        self.read(move |connection| children(connection, id, now_micros)).await
    }

    /// All nodes with their depths: the root first, each node after its parent, most important siblings first.
    pub async fn tree(&self, now_micros: i64) -> Result<Vec<(usize, Node)>, MemoryError> {
        self.read(move |connection| {
            let mut tree = Vec::new();
            walk(connection, NodeId::ROOT, 0, now_micros, &mut tree)?;
            Ok(tree)
        })
        .await
    }

    /// The most recently used nodes, without the root.
    pub async fn recent_nodes(&self, limit: usize) -> Result<Vec<Node>, MemoryError> {
        self.read(move |connection| {
            let sql = format!("{NODES} WHERE n.id > 1 ORDER BY n.last_accessed DESC, n.id LIMIT ?1");
            let mut select = connection.prepare_cached(&sql)?;
            select.query_map([limit as i64], read)?.collect()
        })
        .await
    }

    /// The most important nodes, without the root.
    pub async fn top_nodes(&self, limit: usize, now_micros: i64) -> Result<Vec<Node>, MemoryError> {
        let mut nodes = self.recent_nodes(usize::MAX >> 1).await?;
        nodes.sort_by(|a, b| b.score(now_micros).total_cmp(&a.score(now_micros)));
        nodes.truncate(limit);
        Ok(nodes)
    }

    /// The node with this name, ignoring case, directly below `parent` if given.
    pub async fn node_named(&self, name: &str, parent: Option<NodeId>) -> Result<Option<Node>, MemoryError> {
        let name = name.trim().to_lowercase();
        let nodes = self.recent_nodes(usize::MAX >> 1).await?;
        let is_it = |node: &Node| {
            node.name.to_lowercase() == name && parent.is_none_or(|parent| node.parent == Some(parent))
        };
        Ok(nodes.into_iter().find(is_it))
    }

    /// Counts a use of a node. Listeners are not notified.
    pub async fn touch_node(&self, id: NodeId, now_micros: i64) -> Result<(), MemoryError> {
        self.change(move |changing| Ok(touch(changing, id, now_micros)?)).await
    }

    /// The path of a node, from its branch down: `User › Health`.
    pub async fn path_of(&self, id: NodeId) -> Result<String, MemoryError> {
        self.read(move |connection| path(connection, id.0)).await
    }
}

pub(crate) const NODES: &str = "
    SELECT n.id, n.name, n.description, n.parent, n.access_count, n.last_accessed, n.created_at, n.updated_at,
           coalesce((SELECT max(1, sum(length(text) + 1) / 4) FROM facts WHERE node = n.id AND status = 'current'), 0),
           EXISTS (SELECT 1 FROM nodes c WHERE c.parent = n.id)
    FROM nodes n";

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Node> {
    Ok(Node {
        id: NodeId(row.get(0)?),
        name: row.get(1)?,
        description: row.get(2)?,
        parent: row.get::<_, Option<i64>>(3)?.map(NodeId),
        access_count: row.get(4)?,
        last_accessed: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
        tokens: row.get(8)?,
        has_children: row.get(9)?,
    })
}

pub(crate) fn node(connection: &Connection, id: NodeId) -> rusqlite::Result<Option<Node>> {
    connection.prepare_cached(&format!("{NODES} WHERE n.id = ?1"))?.query_row([id.0], read).optional()
}

pub(crate) fn children(connection: &Connection, id: NodeId, now_micros: i64) -> rusqlite::Result<Vec<Node>> {
    let mut select = connection.prepare_cached(&format!("{NODES} WHERE n.parent = ?1 ORDER BY n.id"))?;
    let mut children = select.query_map([id.0], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    children.sort_by(|a, b| b.score(now_micros).total_cmp(&a.score(now_micros)));
    Ok(children)
}

pub(crate) fn walk(
    connection: &Connection,
    id: NodeId,
    depth: usize,
    now_micros: i64,
    tree: &mut Vec<(usize, Node)>,
) -> rusqlite::Result<()> {
    let Some(found) = node(connection, id)? else { return Ok(()) };
    tree.push((depth, found));
    if depth < MAX_DEPTH {
        for child in children(connection, id, now_micros)? {
            walk(connection, child.id, depth + 1, now_micros, tree)?;
        }
    }
    Ok(())
}

/// Ids and names from the node up to the root.
fn ancestry(connection: &Connection, id: i64) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut select = connection.prepare_cached(
        "WITH RECURSIVE up (id, name, parent, depth) AS (
             SELECT id, name, parent, 0 FROM nodes WHERE id = ?1
             UNION ALL
             SELECT n.id, n.name, n.parent, depth + 1 FROM nodes n JOIN up ON n.id = up.parent WHERE depth < 64
         ) SELECT id, name FROM up ORDER BY depth",
    )?;
    select.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

pub(crate) fn path(connection: &Connection, id: i64) -> rusqlite::Result<String> {
    Ok(names(connection, NodeId(id))?.join(" › "))
}

/// The names from the branch down to the node; the name of the root for the root.
pub(crate) fn names(connection: &Connection, id: NodeId) -> rusqlite::Result<Vec<String>> {
    let mut names = ancestry(connection, id.0)?;
    if names.len() > 1 {
        names.retain(|(id, _)| *id != NodeId::ROOT.0);
    }
    Ok(names.into_iter().rev().map(|(_, name)| name).collect())
}

/// The first free node with this name, ignoring case, directly below a node.
pub(crate) fn child_named(
    connection: &Connection,
    parent: NodeId,
    name: &str,
    is_free: impl Fn(NodeId) -> bool,
) -> rusqlite::Result<Option<NodeId>> {
    let mut select = connection.prepare_cached("SELECT id, name FROM nodes WHERE parent = ?1 ORDER BY id")?;
    let mut rows = select.query([parent.0])?;
    while let Some(row) = rows.next()? {
        let id = NodeId(row.get(0)?);
        if is_free(id) && normalise(row.get_ref(1)?.as_str()?) == normalise(name) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

pub(crate) fn branch_of(connection: &Connection, id: NodeId) -> rusqlite::Result<Option<Branch>> {
    Ok(ancestry(connection, id.0)?.into_iter().find_map(|(id, _)| Branch::from_node(id)))
}

pub(crate) fn note_update(
    changing: &mut WriteTransaction<'_>,
    id: NodeId,
    now_micros: i64,
) -> rusqlite::Result<()> {
    changing.execute("UPDATE nodes SET updated_at = ?2 WHERE id = ?1", params![id.0, now_micros])?;
    let branch = branch_of(changing, id)?;
    changing.note(GraphChange { action: GraphAction::Updated, node: id, branch });
    Ok(())
}

/// The nodes whose descriptions may mention facts of this node: itself, and all nodes above except fixed ones. A model that
/// divides a node describes it by the facts it held.
pub(crate) fn nodes_that_may_mention(connection: &Connection, id: NodeId) -> rusqlite::Result<Vec<NodeId>> {
    let above = ancestry(connection, id.0)?.into_iter().map(|(id, _)| NodeId(id));
    Ok(above.filter(|id| !id.is_fixed()).collect())
}

/// Empties the descriptions that may mention facts of this node.
pub(crate) fn drop_descriptions(changing: &WriteTransaction<'_>, id: NodeId) -> rusqlite::Result<()> {
    for id in nodes_that_may_mention(changing, id)? {
        let Some(before) = node(changing, id)?.filter(|node| !node.description.is_empty()) else { continue };
        changing.execute("UPDATE nodes SET description = '' WHERE id = ?1", [id.0])?;
        changing.index(id.item(), Some(&format!("{}\n{}", before.name, before.description)))?;
    }
    Ok(())
}

pub(crate) fn touch(connection: &Connection, id: NodeId, now_micros: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE nodes SET access_count = access_count + 1, last_accessed = ?2 WHERE id = ?1";
    connection.prepare_cached(sql)?.execute(params![id.0, now_micros]).map(|_| ())
}

pub(crate) fn create(
    changing: &mut WriteTransaction<'_>,
    parent: NodeId,
    name: &str,
    description: &str,
    now_micros: i64,
) -> Outcome<NodeId> {
    let name = cut(name.trim(), MAX_NAME);
    if name.is_empty() {
        return Err(Refusal::NoName.into());
    }
    let above = ancestry(changing, parent.0)?.len();
    if above == 0 {
        return Err(Refusal::NoSuchItem(parent.item()).into());
    }
    fits_below(above, 1)?;
    changing.execute(
        "INSERT INTO nodes (name, description, parent, last_accessed, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?4, ?4)",
        params![name, cut(description.trim(), MAX_DESCRIPTION), parent.0, now_micros],
    )?;
    let id = NodeId(changing.last_insert_rowid());
    changing.index(id.item(), None)?;
    let branch = branch_of(changing, id)?;
    changing.note(GraphChange { action: GraphAction::Created, node: id, branch });
    Ok(id)
}

/// Checks that a subtree of `height` levels fits below `above` levels, the root included.
fn fits_below(above: usize, height: usize) -> Result<(), Refusal> {
    if above + height > MAX_DEPTH + 1 { Err(Refusal::TooDeep) } else { Ok(()) }
}

pub(crate) fn update(
    changing: &mut WriteTransaction<'_>,
    id: NodeId,
    edit: &NodeEdit,
    now_micros: i64,
) -> Outcome<()> {
    let before = node(changing, id)?.ok_or(Refusal::NoSuchItem(id.item()))?;
    if id.is_fixed() && (edit.name.is_some() || edit.parent.is_some()) {
        return Err(Refusal::Fixed.into());
    }
    let name = match &edit.name {
        Some(name) if name.trim().is_empty() => return Err(Refusal::NoName.into()),
        Some(name) => cut(name.trim(), MAX_NAME),
        None => before.name.clone(),
    };
    let parent = match edit.parent {
        Some(parent) => {
            let above = ancestry(changing, parent.0)?;
            if above.is_empty() {
                return Err(Refusal::NoSuchItem(parent.item()).into());
            }
            if above.iter().any(|(above, _)| *above == id.0) {
                return Err(Refusal::BelowItself.into());
            }
            let mut below = Vec::new();
            walk(changing, id, 0, now_micros, &mut below)?;
            let height = below.iter().map(|(depth, _)| depth + 1).max().unwrap_or(1);
            fits_below(above.len(), height)?;
            Some(parent)
        }
        None => before.parent,
    };
    let branch_before = branch_of(changing, id)?;
    let description = edit
        .description
        .as_ref()
        .map_or(before.description.clone(), |text| cut(text.trim(), MAX_DESCRIPTION));
    let indexed_before = (!id.is_fixed()).then(|| format!("{}\n{}", before.name, before.description));
    changing.execute(
        "UPDATE nodes SET name = ?2, description = ?3, parent = ?4, updated_at = ?5 WHERE id = ?1",
        params![id.0, name, description, parent.map(|parent| parent.0), now_micros],
    )?;
    changing.index(id.item(), indexed_before.as_deref())?;
    let branch = branch_of(changing, id)?;
    changing.note(GraphChange { action: GraphAction::Updated, node: id, branch });
    if branch != branch_before {
        changing.note(GraphChange { action: GraphAction::Updated, node: id, branch: branch_before });
    }
    Ok(())
}

/// Cuts a text to a number of characters.
pub(crate) fn cut(text: &str, max_chars: usize) -> String {
    text.chars().take(max_chars).collect()
}
