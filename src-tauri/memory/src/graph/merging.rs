//! Merging: the facts of a node joined, reworded or replaced, as a model or a tidying would have them.
//!
//! Source: behaviour reference, section 3.5, step 4.

use rusqlite::{Connection, params};

use crate::MemoryError;
use crate::error::{Outcome, Refusal};
use crate::forgetting::request::UndoId;
use crate::forgetting::undo_records::{self as undo, Rows};
use crate::graph::facts::{
    Evidence, Fact, FactId, FactStatus, close, current, evidence_of, insert_evidence, insert_unwitnessed,
    worded,
};
use crate::graph::nodes::{node, note_update};
use crate::graph::structure::NodeId;
use crate::memory::{Changing, Memory};
use crate::search::normalise::bare;

/// How a node's facts are to be after a merge: each line, and which facts it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedLine {
    /// The line.
    pub text: String,
    /// The current facts that it says in other words: their evidence is its evidence. One of the same words stays as it
    /// is.
    pub stands_for: Vec<FactId>,
    /// The current facts that it takes the place of because it says something else: they bear no witness to it.
    pub replaces: Vec<FactId>,
    /// Evidence that comes with it, each with what it says by itself.
    pub evidence: Vec<Evidence>,
}

/// What a node's facts are to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The node.
    pub node: NodeId,
    /// The facts that the lines were made from; others that the node has got meanwhile stay, behind them.
    pub from: Vec<FactId>,
    /// What they become.
    pub lines: Vec<MergedLine>,
}

/// What came of tidying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tidied {
    /// To undo it.
    pub undo: UndoId,
    /// How many nodes were tidied; the facts of the others changed meanwhile.
    pub nodes: usize,
}

impl Memory {
    /// Brings the facts of a node to the outcome of a merge. Those that no line accounts for are retracted; all are kept
    /// as history. Says which facts the lines are.
    ///
    /// # Errors
    ///
    /// [`Refusal::Outdated`] when one of the facts it was made from holds no longer, so that nothing comes back that was
    /// forgotten meanwhile.
    pub async fn merge_facts(&self, merge: Merge, now_micros: i64) -> Result<Vec<FactId>, MemoryError> {
        self.change(move |changing| self::merge(changing, &merge, now_micros)).await
    }

    /// Does the same to several nodes, so that it can be undone in one step.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] when the database fails; then nothing was changed.
    pub async fn tidy_facts(
        &self,
        what: &str,
        merges: Vec<Merge>,
        now_micros: i64,
    ) -> Result<Tidied, MemoryError> {
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
            Ok(Tidied { undo: undo::keep(changing, &what, &rows, now_micros)?, nodes })
        })
        .await
    }
}

/// Does every fact that the lines were made from still hold, in its node?
fn is_up_to_date(connection: &Connection, merge: &Merge) -> rusqlite::Result<bool> {
    let now: Vec<FactId> = current(connection, merge.node)?.iter().map(|fact| fact.id).collect();
    Ok(merge.from.iter().all(|id| now.contains(id)))
}

fn merge(changing: &mut Changing<'_>, merge: &Merge, now_micros: i64) -> Outcome<Vec<FactId>> {
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
        let same = there.find(|fact| bare(&fact.text) == bare(&line.text)).map(|fact| fact.id);
        let id = match same {
            Some(id) => id,
            None => {
                let observed_at = line.evidence.first().map(|evidence| evidence.observed_at);
                let since = observed_at.filter(|at| *at > 0).unwrap_or(now_micros);
                insert_unwitnessed(changing, place, &line.text, since)?
            }
        };
        for evidence in &line.evidence {
            // What is said by one alone is said by it in these words.
            let is_alone = line.stands_for.is_empty() && line.evidence.len() == 1;
            let evidence = if is_alone { &worded(evidence, &line.text) } else { evidence };
            insert_evidence(changing, id, evidence)?;
        }
        let of = |ids: &[FactId]| -> Vec<Fact> {
            before.iter().filter(|fact| fact.id != id && ids.contains(&fact.id)).cloned().collect()
        };
        for fact in of(&line.stands_for) {
            // What the old one was known from, the new one is known from as well.
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
    let behind = later.iter().map(|fact| fact.id).filter(|id| !kept.contains(id));
    for (id, position) in kept.iter().copied().chain(behind).zip(1i64..) {
        changing.execute("UPDATE facts SET position = ?2 WHERE id = ?1", params![id.0, position])?;
    }
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
