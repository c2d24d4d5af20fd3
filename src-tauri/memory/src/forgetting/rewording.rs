//! Replaces a merged fact when part of its evidence is forgotten.
//!
//! A model worded the merged fact from all of its evidence, so it may contain what is forgotten in other words. It is
//! deleted, and the remaining evidence replaces it: facts that were merged into it become current again if all of their evidence
//! remains, and evidence that never had a fact of its own becomes one, by its wording. Evidence without a wording is
//! replaced by nothing: what is not known to be clean is not kept.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, params};

use super::scope::{ForgetScope, rows};
use crate::error::Outcome;
use crate::forgetting::undo_records::Rows;
use crate::graph::facts::{self, Evidence, Fact, FactId};
use crate::graph::nodes;
use crate::item::ItemId;
use crate::memory::WriteTransaction;
use crate::search::normalise::normalise_sentence;

/// Replaces merged facts, whose forgotten evidence is already deleted. Returns the new facts.
pub(super) fn reword(
    changing: &mut WriteTransaction<'_>,
    scope: &ForgetScope,
    now_micros: i64,
) -> Outcome<Vec<ItemId>> {
    let mut replacements = BTreeSet::new();
    let mut lines = Vec::new();
    for line in &scope.lines {
        lines.extend(facts::fact_of(changing, FactId(*line))?);
    }
    // Facts that no longer hold are deleted without replacement, but only after the others: `replaced_by` leads through them to
    // older facts.
    for line in lines.iter().filter(|line| line.status == facts::FactStatus::Current) {
        replacements.extend(replace_line(changing, scope, line)?.into_iter().map(FactId::item));
    }
    for line in &lines {
        facts::delete(changing, line)?;
        nodes::drop_descriptions(changing, line.node)?;
        nodes::note_update(changing, line.node, now_micros)?;
    }
    Ok(replacements.into_iter().collect())
}

fn replace_line(changing: &WriteTransaction<'_>, scope: &ForgetScope, line: &Fact) -> Outcome<Vec<FactId>> {
    let left = facts::evidence_of(changing, line.id)?;
    let mut again = Vec::new();
    let mut covered = BTreeSet::new();
    merged_into(changing, scope, line.id.0, &keys(&left), &mut covered, &mut again)?;
    for fact in &again {
        facts::reopen(changing, *fact, line)?;
    }
    let mut uncovered: BTreeMap<String, Vec<&Evidence>> = BTreeMap::new();
    for evidence in &left {
        if !evidence.wording.is_empty() && !covered.contains(&key(evidence)) {
            uncovered.entry(normalise_sentence(&evidence.wording)).or_default().push(evidence);
        }
    }
    for evidence in uncovered.into_values() {
        let wording = &evidence[0].wording;
        let fact = match facts::same_words(changing, wording, Some(line.node))? {
            Some(fact) if !scope.facts.contains(&fact.0) && !scope.lines.contains(&fact.0) => fact,
            _ => {
                let since = evidence.iter().map(|evidence| evidence.observed_at).min();
                let since = since.filter(|at| *at > 0).unwrap_or(line.valid_from);
                let fact = facts::insert_without_evidence(changing, line.node, wording, since)?;
                let sql = "UPDATE facts SET position = ?2 WHERE id = ?1";
                changing.execute(sql, params![fact.0, facts::position(changing, line.id)?])?;
                fact
            }
        };
        for evidence in evidence {
            facts::insert_evidence(changing, fact, evidence)?;
        }
        again.push(fact);
    }
    Ok(again)
}

/// Quote and time: they identify evidence that was copied to several facts.
type Key = (String, i64);

fn key(evidence: &Evidence) -> Key {
    (evidence.quote.clone(), evidence.observed_at)
}

fn keys(evidence: &[Evidence]) -> BTreeSet<Key> {
    evidence.iter().map(key).collect()
}

/// The facts that were merged into a fact and whose evidence all remains. A contradicted fact contributed no evidence,
/// and stays in the past.
fn merged_into(
    connection: &Connection,
    scope: &ForgetScope,
    line: i64,
    left: &BTreeSet<Key>,
    covered: &mut BTreeSet<Key>,
    found: &mut Vec<FactId>,
) -> rusqlite::Result<()> {
    let sql = "SELECT id FROM facts WHERE replaced_by = ?1 AND status = 'superseded'";
    for before in rows(connection, sql, line)? {
        if scope.lines.contains(&before) {
            merged_into(connection, scope, before, left, covered, found)?;
        } else if !scope.facts.contains(&before) {
            let own = keys(&facts::evidence_of(connection, FactId(before))?);
            if !own.is_empty() && own.is_subset(left) {
                covered.extend(own);
                found.push(FactId(before));
            }
        }
    }
    Ok(())
}

/// Saves the rows that [`reword`] changes or deletes.
pub(super) fn save(
    connection: &Connection,
    scope: &ForgetScope,
    rows_to_restore: &mut Rows,
) -> rusqlite::Result<()> {
    let mut way_back: Vec<i64> = scope.lines.iter().copied().collect();
    let mut seen = BTreeSet::new();
    while let Some(fact) = way_back.pop() {
        if !seen.insert(fact) {
            continue;
        }
        rows_to_restore.save(connection, "facts", "id", fact)?;
        way_back.extend(rows(connection, "SELECT id FROM facts WHERE replaced_by = ?1", fact)?);
    }
    for line in &scope.lines {
        rows_to_restore.save(connection, "evidence", "fact", *line)?;
    }
    for evidence in &scope.evidence {
        rows_to_restore.save(connection, "evidence", "id", *evidence)?;
    }
    Ok(())
}
