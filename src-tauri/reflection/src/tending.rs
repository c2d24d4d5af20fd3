//! Upkeep that the user starts, joined with the memory: sweeps over the diary, and tidying the facts of every node.
//!
//! Each is a stream of events. A preview changes nothing. Otherwise what was done is stored when the stream comes to its
//! end, also when it was stopped before, in one step that can be undone. Whoever drops the stream stores nothing.
//!
//! Source: behaviour reference, sections 3.3 and 3.5.

use std::collections::HashMap;

use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use jiff::Timestamp;
use llm::CancellationToken;
use memory::{DiaryFilter, Entry, EntryId, Fact, MemoryError, Merge, NodeId, UndoId};
use vocabulary::Private;

use crate::Reflection;
use crate::consolidating::{Consolidated, ConsolidationEvent, NodeLines, consolidate_all};
use crate::learning::memory_line;
use crate::merging::Merged;
use crate::sweeps::{Cleaning, DiaryRow, Retagging, SweepEvent, clean_deflections, optimise_tags};

/// What becomes of what upkeep finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is shown.
    Preview,
    /// It is stored, and can be undone.
    Apply,
}

/// Tells the time when something is stored: that may be an hour after it was begun.
pub type Clock<'c> = &'c (dyn Fn() -> Timestamp + Send + Sync);

impl Reflection {
    /// Takes what narrates the assistant's failings out of every entry of the diary.
    pub fn sweep_deflections<'s>(
        &'s self,
        mode: Mode,
        clock: Clock<'s>,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, SweepEvent<Cleaning>> {
        let sweep = async move {
            let rows = match self.rows().await {
                Ok(rows) => rows,
                Err(error) => return stream::iter([SweepEvent::Failed(error.into())]).boxed(),
            };
            let events = clean_deflections(&*self.model, rows, stop).boxed();
            let change = |row: &DiaryRow, outcome: &Cleaning| match outcome {
                Cleaning::Rewritten { after } => {
                    Some(Change { row: row.clone(), summary: after.0.clone(), topics: row.topics.0.clone() })
                }
                _ => None,
            };
            Sweep { reflection: self, mode, clock, what: "deflections", change, changes: Vec::new() }
                .over(events)
        };
        sweep.into_stream().flatten().boxed()
    }

    /// Makes one topic of several spellings in every entry of the diary.
    pub fn sweep_tags<'s>(
        &'s self,
        mode: Mode,
        clock: Clock<'s>,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, SweepEvent<Retagging>> {
        let sweep = async move {
            let rows = match self.rows().await {
                Ok(rows) => rows,
                Err(error) => return stream::iter([SweepEvent::Failed(error.into())]).boxed(),
            };
            let events = optimise_tags(&*self.model, rows, stop).boxed();
            let change = |row: &DiaryRow, outcome: &Retagging| match outcome {
                Retagging::Retagged { after, .. } => {
                    Some(Change { row: row.clone(), summary: row.summary.0.clone(), topics: after.0.clone() })
                }
                Retagging::Unchanged => None,
            };
            Sweep { reflection: self, mode, clock, what: "topics", change, changes: Vec::new() }.over(events)
        };
        sweep.into_stream().flatten().boxed()
    }

    /// Tidies the facts of every node.
    pub fn consolidate<'s>(
        &'s self,
        mode: Mode,
        clock: Clock<'s>,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, ConsolidationEvent> {
        let tidying = async move {
            let (nodes, facts) = match self.nodes_with_facts(clock().as_microsecond()).await {
                Ok(found) => found,
                Err(error) => return stream::iter([ConsolidationEvent::Failed(error)]).boxed(),
            };
            let events = consolidate_all(&*self.model, nodes, stop).boxed();
            Tidying { reflection: self, mode, clock, facts, merges: Vec::new() }.over(events)
        };
        tidying.into_stream().flatten().boxed()
    }

    async fn rows(&self) -> Result<Vec<DiaryRow>, MemoryError> {
        Ok(self.memory.entries(DiaryFilter::default()).await?.into_iter().map(row).collect())
    }

    async fn nodes_with_facts(
        &self,
        now_micros: i64,
    ) -> Result<(Vec<NodeLines>, HashMap<NodeId, Vec<Fact>>), MemoryError> {
        let mut nodes = Vec::new();
        let mut facts = HashMap::new();
        for (_, node) in self.memory.tree(now_micros).await? {
            let of_node = self.memory.facts(node.id).await?;
            let lines = of_node.iter().map(|fact| fact.text.clone()).collect();
            nodes.push(NodeLines { id: node.id, name: Private(node.name), lines: Private(lines) });
            facts.insert(node.id, of_node);
        }
        Ok((nodes, facts))
    }
}

fn row(entry: Entry) -> DiaryRow {
    DiaryRow {
        id: entry.id.0,
        date: entry.day,
        summary: Private(entry.summary),
        topics: Private(entry.topics.join(", ")),
    }
}

/// What a row is to become.
struct Change {
    row: DiaryRow,
    summary: String,
    topics: String,
}

/// A sweep that stores what it finds at its end.
struct Sweep<'s, O> {
    reflection: &'s Reflection,
    mode: Mode,
    clock: Clock<'s>,
    /// What it is called when it is undone.
    what: &'static str,
    change: fn(&DiaryRow, &O) -> Option<Change>,
    changes: Vec<Change>,
}

impl<'s, O: Send + 's> Sweep<'s, O> {
    fn over(self, events: BoxStream<'s, SweepEvent<O>>) -> BoxStream<'s, SweepEvent<O>> {
        let steps = stream::unfold((self, events), async |(mut sweep, mut events)| {
            let event = events.next().await?;
            let told = sweep.told(event).await;
            Some((stream::iter(told), (sweep, events)))
        });
        steps.flatten().boxed()
    }

    async fn told(&mut self, event: SweepEvent<O>) -> Vec<SweepEvent<O>> {
        match &event {
            SweepEvent::Row { row, outcome, .. } => self.changes.extend((self.change)(row, outcome)),
            SweepEvent::Finished { .. } | SweepEvent::Aborted { .. } => match self.store().await {
                Ok(Some((undo, changed))) => return vec![SweepEvent::Stored { undo, changed }, event],
                Ok(None) => {}
                Err(error) => return vec![SweepEvent::Failed(error.into())],
            },
            SweepEvent::Started { .. } | SweepEvent::Stored { .. } | SweepEvent::Failed(_) => {}
        }
        vec![event]
    }

    async fn store(&mut self) -> Result<Option<(UndoId, usize)>, MemoryError> {
        if self.mode == Mode::Preview || self.changes.is_empty() {
            return Ok(None);
        }
        let memory = &self.reflection.memory;
        let now: HashMap<i64, DiaryRow> =
            self.reflection.rows().await?.into_iter().map(|row| (row.id, row)).collect();
        // What was written or forgotten meanwhile is newer than what we found.
        let is_unchanged = |change: &Change| now.get(&change.row.id) == Some(&change.row);
        let changes = self.changes.drain(..).filter(is_unchanged);
        let changes: Vec<_> = changes.map(|change| (EntryId(change.row.id), change)).collect();
        if changes.is_empty() {
            return Ok(None);
        }
        let count = changes.len();
        let rewritten = changes.into_iter().map(|(id, change)| {
            let topics = redaction::scrub(&change.topics);
            let topics = topics.split(',').map(str::trim).filter(|topic| !topic.is_empty());
            (id, redaction::scrub(&change.summary), topics.map(str::to_owned).collect())
        });
        let undo =
            memory.rewrite_entries(self.what, rewritten.collect(), (self.clock)().as_microsecond()).await?;
        Ok(Some((undo, count)))
    }
}

/// The tidying of all nodes, which stores what it finds at its end.
struct Tidying<'s> {
    reflection: &'s Reflection,
    mode: Mode,
    clock: Clock<'s>,
    facts: HashMap<NodeId, Vec<Fact>>,
    merges: Vec<Merge>,
}

impl<'s> Tidying<'s> {
    fn over(self, events: BoxStream<'s, ConsolidationEvent>) -> BoxStream<'s, ConsolidationEvent> {
        let steps = stream::unfold((self, events), async |(mut tidying, mut events)| {
            let event = events.next().await?;
            let told = tidying.told(event).await;
            Some((stream::iter(told), (tidying, events)))
        });
        steps.flatten().boxed()
    }

    async fn told(&mut self, event: ConsolidationEvent) -> Vec<ConsolidationEvent> {
        match &event {
            ConsolidationEvent::Node { node, outcome: Consolidated::Merged(merged), .. } => {
                self.note(node.id, merged);
            }
            ConsolidationEvent::Finished | ConsolidationEvent::Aborted => match self.store().await {
                Ok(Some((undo, nodes))) => return vec![ConsolidationEvent::Stored { undo, nodes }, event],
                Ok(None) => {}
                Err(error) => return vec![ConsolidationEvent::Failed(error)],
            },
            _ => {}
        }
        vec![event]
    }

    fn note(&mut self, node: NodeId, merged: &Merged) {
        let facts = self.facts.get(&node).map_or(&[][..], Vec::as_slice);
        let lines = merged.lines.iter().enumerate();
        let lines = lines.map(|(place, line)| memory_line(line, place, merged, facts, &[])).collect();
        self.merges.push(Merge { node, from: facts.iter().map(|fact| fact.id).collect(), lines });
    }

    async fn store(&mut self) -> Result<Option<(UndoId, usize)>, MemoryError> {
        if self.mode == Mode::Preview || self.merges.is_empty() {
            return Ok(None);
        }
        let merges = std::mem::take(&mut self.merges);
        let now = (self.clock)().as_microsecond();
        let tidied = self.reflection.memory.tidy_facts("consolidation", merges, now).await?;
        Ok((tidied.nodes > 0).then_some((tidied.undo, tidied.nodes)))
    }
}
