//! Loading the warm profile from the graph.

use std::collections::VecDeque;

use rusqlite::Connection;

use crate::MemoryError;
use crate::graph::facts::data_of;
use crate::graph::nodes::children;
use crate::graph::structure::{Branch, NodeId};
use crate::graph::warm_profile::{WarmProfile, join_truncated};
use crate::memory::Memory;

/// Longest user part, in characters.
const USER_CHARS: usize = 1200;
/// Longest part of standing instructions, in characters.
const DIRECTIVES_CHARS: usize = 600;

impl Memory {
    /// The warm profile. It is cached until one of its branches changes.
    pub async fn warm_profile(&self, now_micros: i64) -> Result<WarmProfile, MemoryError> {
        if let Some(profile) = &*self.shared.profile.lock() {
            return Ok(profile.clone());
        }
        let shared = std::sync::Arc::clone(&self.shared);
        self.read(move |connection| {
            // Locked during the read: a change meanwhile waits, and then drops the cached profile.
            let mut kept = shared.profile.lock();
            let profile = WarmProfile {
                user: branch_text(connection, Branch::User, USER_CHARS, now_micros)?,
                directives: branch_text(connection, Branch::Directives, DIRECTIVES_CHARS, now_micros)?,
            };
            *kept = Some(profile.clone());
            Ok(profile)
        })
        .await
    }
}

fn branch_text(
    connection: &Connection,
    branch: Branch,
    max_chars: usize,
    now_micros: i64,
) -> rusqlite::Result<String> {
    let mut pieces = Vec::new();
    let mut waiting: VecDeque<NodeId> = VecDeque::from([branch.node()]);
    let mut chars = 0;
    while let Some(node) = waiting.pop_front() {
        let data = data_of(connection, node)?;
        chars += data.chars().count();
        pieces.push(data);
        if chars > max_chars {
            break;
        }
        waiting.extend(children(connection, node, now_micros)?.into_iter().map(|child| child.id));
    }
    Ok(join_truncated(pieces.iter().map(String::as_str), max_chars))
}
