//! Deleting everything in the scope of a request.

use rusqlite::Connection;

use crate::error::{Outcome, Refusal};
use crate::forgetting::rewording;
use crate::forgetting::scope::ForgetScope;
use crate::graph::facts::{self, FactId};
use crate::graph::node_deletion::{self, ChildNodes};
use crate::graph::nodes;
use crate::graph::structure::NodeId;
use crate::item::{ItemId, RecordKind};
use crate::memory::WriteTransaction;
use crate::records::messages::neighbours;
use crate::search::indexed_text::indexed;

/// The table of a kind of list item.
pub(crate) fn list_of(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Meal => "meals",
        RecordKind::Appointment => "appointments",
        _ => "todos",
    }
}

/// Deletes everything in the scope. Returns the facts that replace merged facts with remaining evidence.
pub(crate) fn delete_scope(
    changing: &mut WriteTransaction<'_>,
    scope: &ForgetScope,
    now_micros: i64,
) -> Outcome<Vec<ItemId>> {
    delete_evidence(changing, scope)?;
    let replacements = rewording::reword(changing, scope, now_micros)?;
    for fact in &scope.facts {
        if let Some(fact) = facts::fact_of(changing, FactId(*fact))? {
            facts::delete(changing, &fact)?;
            // A model may have written descriptions from the fact.
            nodes::drop_descriptions(changing, fact.node)?;
            nodes::note_update(changing, fact.node, now_micros)?;
        }
    }
    for node in &scope.nodes {
        match node_deletion::delete(changing, NodeId(*node), ChildNodes::MoveUp, now_micros) {
            Ok(()) | Err(crate::error::Failure::Refused(Refusal::NoSuchItem(_))) => {}
            Err(failure) => return Err(failure),
        }
    }
    delete_texts(changing, scope)?;
    for item in &scope.lists {
        changing.execute(&format!("DELETE FROM {} WHERE id = ?1", list_of(item.kind)), [item.row])?;
    }
    for call in &scope.calls {
        changing.execute("DELETE FROM calls WHERE id = ?1", [call])?;
    }
    Ok(replacements)
}

/// Deletes the evidence from the messages and entries in the scope. The sources of entries to rewrite wait for the diary
/// again.
fn delete_evidence(changing: &mut WriteTransaction<'_>, scope: &ForgetScope) -> Outcome<()> {
    for evidence in &scope.evidence {
        changing.execute("DELETE FROM evidence WHERE id = ?1", [evidence])?;
    }
    for message in &scope.messages {
        // The vectors of its neighbours contain its words.
        for neighbour in neighbours(changing, *message)? {
            changing.drop_vector(ItemId::new(RecordKind::Message, neighbour))?;
        }
        changing.execute("DELETE FROM evidence WHERE message = ?1", [message])?;
    }
    for entry in &scope.entries {
        let waiting = if scope.to_rewrite.contains(entry) { sources(changing, *entry)? } else { Vec::new() };
        for message in waiting {
            changing.execute("UPDATE messages SET digested_at = NULL WHERE id = ?1", [message])?;
        }
        changing.execute("DELETE FROM evidence WHERE entry = ?1 AND message IS NULL", [entry])?;
    }
    Ok(())
}

/// Deletes the diary entries and the messages in the scope.
fn delete_texts(changing: &mut WriteTransaction<'_>, scope: &ForgetScope) -> Outcome<()> {
    for (kind, rows, table) in
        [(RecordKind::Diary, &scope.entries, "diary"), (RecordKind::Message, &scope.messages, "messages")]
    {
        for row in rows {
            let item = ItemId::new(kind, *row);
            let before = indexed(changing, item)?.map(|before| before.text);
            changing.unindex(item, before.as_deref())?;
            changing.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [row])?;
        }
    }
    Ok(())
}

pub(crate) fn sources(connection: &Connection, entry: i64) -> rusqlite::Result<Vec<i64>> {
    let mut select = connection.prepare_cached("SELECT message FROM diary_sources WHERE entry = ?1")?;
    select.query_map([entry], |row| row.get(0))?.collect()
}
