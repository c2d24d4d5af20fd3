//! Merging: joining, rewording or replacing the facts of a node.
//!
//! Source: docs/behaviour/memory.md#learning-facts, step 4.

use rusqlite::{Connection, params};

use crate::MemoryError;
use crate::error::{Outcome, Refusal};
use crate::forgetting::request::UndoId;
use crate::forgetting::undo_records::{self as undo, Rows};
use crate::graph::facts::{
    Evidence, Fact, FactId, FactStatus, close, current, evidence_of, insert_evidence,
    insert_without_evidence, worded,
};
use crate::graph::nodes::{node, note_update};
use crate::graph::structure::NodeId;
use crate::memory::{Memory, WriteTransaction};
use crate::search::normalise::normalise_sentence;

/// One fact after a merge, and the facts it replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedLine {
    /// The words of the fact.
    pub text: String,
    /// Current facts that it restates: it takes over their evidence. A fact with the same words stays as it is.
    pub stands_for: Vec<FactId>,
    /// Current facts that it contradicts: their evidence does not support it.
    pub replaces: Vec<FactId>,
    /// New evidence, each with its own wording.
    pub evidence: Vec<Evidence>,
}

impl MergedLine {
    /// The time from which it holds, in microseconds, if its evidence says so.
    fn since(&self) -> Option<i64> {
        let first = self.evidence.first()?;
        (first.observed_at > 0).then_some(first.observed_at)
    }
}

/// A merge of the facts of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The node whose facts are merged.
    pub node: NodeId,
    /// The facts that the lines were made from. Facts that were added meanwhile stay, after the lines.
    pub from: Vec<FactId>,
    /// The facts after the merge.
    pub lines: Vec<MergedLine>,
}

/// The result of [`Memory::tidy_facts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TidyReport {
    /// Undoes it.
    pub undo: UndoId,
    /// Number of changed nodes; the facts of the others changed meanwhile.
    pub nodes: usize,
}

impl Memory {
    /// Merges the facts of a node. Facts that no line mentions are retracted; all are kept as history. Returns the facts of the
    /// lines.
    ///
    /// # Errors
    ///
    /// [`Refusal::Outdated`] when one of the original facts is no longer current, so that nothing forgotten comes back.
    pub async fn merge_facts(&self, merge: Merge, now_micros: i64) -> Result<Vec<FactId>, MemoryError> {
        self.change(move |changing| self::merge(changing, &merge, now_micros)).await
    }

    /// Merges the facts of several nodes, so that it can be undone in one step.
    pub async fn tidy_facts(
        &self,
        what: &str,
        merges: Vec<Merge>,
        now_micros: i64,
    ) -> Result<TidyReport, MemoryError> {
        let what = what.to_owned();
        self.change(move |changing| {
            let mut rows = Rows::default();
            let (newest_fact, newest_evidence) =
                (undo::newest(changing, "facts")?, undo::newest(changing, "evidence")?);
            let mut nodes = 0;
            for merge in merges.iter().filter(|merge| !merge.lines.is_empty()) {
                if !is_up_to_date(changing, merge)? {
                    continue;
                }
                for fact in current(changing, merge.node)? {
                    rows.save(changing, "facts", "id", fact.id.0)?;
                }
                self::merge(changing, merge, now_micros)?;
                nodes += 1;
            }
            rows.save_as_new(changing, "evidence", newest_evidence)?;
            rows.save_as_new(changing, "facts", newest_fact)?;
            Ok(TidyReport { undo: undo::keep(changing, &what, &rows, now_micros)?, nodes })
        })
        .await
    }
}

/// Returns `true` if every original fact is still current, in the same node.
fn is_up_to_date(connection: &Connection, merge: &Merge) -> rusqlite::Result<bool> {
    let now: Vec<FactId> = current(connection, merge.node)?.iter().map(|fact| fact.id).collect();
    Ok(merge.from.iter().all(|id| now.contains(id)))
}

fn merge(changing: &mut WriteTransaction<'_>, merge: &Merge, now_micros: i64) -> Outcome<Vec<FactId>> {
    let place = merge.node;
    node(changing, place)?.ok_or(Refusal::NoSuchItem(place.item()))?;
    if !is_up_to_date(changing, merge)? {
        return Err(Refusal::Outdated.into());
    }
    let (before, later): (Vec<Fact>, Vec<Fact>) =
        current(changing, place)?.into_iter().partition(|fact| merge.from.contains(&fact.id));
    let mut kept = Vec::new();
    for line in &merge.lines {
        let mut there = before.iter().chain(&later);
        let same = there.find(|fact| normalise_sentence(&fact.text) == normalise_sentence(&line.text));
        let id = match same {
            Some(fact) => fact.id,
            None => insert_without_evidence(changing, place, &line.text, line.since().unwrap_or(now_micros))?,
        };
        for evidence in &line.evidence {
            // A line with a single piece of evidence has the wording of that evidence.
            let is_alone = line.stands_for.is_empty() && line.evidence.len() == 1;
            let evidence = if is_alone { &worded(evidence, &line.text) } else { evidence };
            insert_evidence(changing, id, evidence)?;
        }
        let of = |ids: &[FactId]| -> Vec<Fact> {
            before.iter().filter(|fact| fact.id != id && ids.contains(&fact.id)).cloned().collect()
        };
        for fact in of(&line.stands_for) {
            // The new fact takes over the evidence.
            for evidence in evidence_of(changing, fact.id)? {
                insert_evidence(changing, id, &evidence)?;
            }
            close(changing, &fact, FactStatus::Superseded, Some(id), now_micros)?;
        }
        for fact in of(&line.replaces) {
            close(changing, &fact, FactStatus::Superseded, Some(id), now_micros)?;
        }
        kept.push(id);
    }
    place_in_order(changing, &kept, &later)?;
    let is_accounted_for = |id: FactId| {
        kept.contains(&id)
            || merge.lines.iter().any(|line| line.stands_for.contains(&id) || line.replaces.contains(&id))
    };
    for fact in before.iter().filter(|fact| !is_accounted_for(fact.id)) {
        close(changing, fact, FactStatus::Retracted, None, now_micros)?;
    }
    note_update(changing, place, now_micros)?;
    Ok(kept)
}

/// Numbers the facts of the lines first, and those that were added meanwhile behind them.
fn place_in_order(
    changing: &mut WriteTransaction<'_>,
    lines: &[FactId],
    later: &[Fact],
) -> rusqlite::Result<()> {
    let behind = later.iter().map(|fact| fact.id).filter(|id| !lines.contains(id));
    for (id, position) in lines.iter().copied().chain(behind).zip(1i64..) {
        changing.execute("UPDATE facts SET position = ?2 WHERE id = ?1", params![id.0, position])?;
    }
    Ok(())
}
