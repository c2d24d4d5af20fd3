//! Maintenance that the user starts: batch passes over the diary, and consolidation of the facts of every node.
//!
//! Each is a stream of events. A preview changes nothing. Otherwise the changes are stored when the stream ends, also when
//! it was stopped before, in one step that can be undone. Dropping the stream stores nothing.
//!
//! Source: behaviour reference, sections 3.3 and 3.5.

use std::collections::HashMap;
use std::marker::PhantomData;

use futures::stream::{self, BoxStream};
use futures::{FutureExt, Stream, StreamExt};
use llm::CancellationToken;
use memory::{DiaryFilter, Entry, EntryId, Fact, MemoryError, Merge, NodeId, UndoId};
use vocabulary::{Clock, Private};

use crate::Reflection;
use crate::consolidating::{Consolidated, ConsolidationEvent, NodeLines, consolidate_all};
use crate::learning::memory_line;
use crate::merging::Merged;
use crate::sweeps::{
    BatchPass, Cleaning, DeflectionPass, DiaryRow, Retagging, RowChange, SweepEvent, TagPass,
    clean_deflections, optimise_tags,
};

/// Whether maintenance stores its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Changes are only shown.
    Preview,
    /// Changes are stored, and can be undone.
    Apply,
}

impl Reflection {
    /// Removes narration of the assistant's failures from every entry of the diary.
    pub fn sweep_deflections<'s>(
        &'s self,
        mode: Mode,
        clock: &'s dyn Clock,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, SweepEvent<Cleaning>> {
        self.sweep::<DeflectionPass, _>(mode, clock, move |rows| clean_deflections(&*self.model, rows, stop))
    }

    /// Merges spellings of a topic in every entry of the diary.
    pub fn sweep_tags<'s>(
        &'s self,
        mode: Mode,
        clock: &'s dyn Clock,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, SweepEvent<Retagging>> {
        self.sweep::<TagPass, _>(mode, clock, move |rows| optimise_tags(&*self.model, rows, stop))
    }

    fn sweep<'s, P: BatchPass, E>(
        &'s self,
        mode: Mode,
        clock: &'s dyn Clock,
        events: impl FnOnce(Vec<DiaryRow>) -> E + Send + 's,
    ) -> BoxStream<'s, SweepEvent<P::Outcome>>
    where
        E: Stream<Item = SweepEvent<P::Outcome>> + Send + 's,
    {
        let sweep = async move {
            match self.rows().await {
                Ok(rows) => {
                    StoredPass::<P> { reflection: self, mode, clock, changes: Vec::new(), pass: PhantomData }
                        .over(events(rows).boxed())
                }
                Err(error) => stream::iter([SweepEvent::Failed(error.into())]).boxed(),
            }
        };
        sweep.into_stream().flatten().boxed()
    }

    /// Consolidates the facts of every node.
    pub fn consolidate<'s>(
        &'s self,
        mode: Mode,
        clock: &'s dyn Clock,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, ConsolidationEvent> {
        let consolidation = async move {
            let (nodes, facts) = match self.nodes_with_facts(clock.now().as_microsecond()).await {
                Ok(found) => found,
                Err(error) => return stream::iter([ConsolidationEvent::Failed(error)]).boxed(),
            };
            let events = consolidate_all(&*self.model, nodes, stop).boxed();
            StoredConsolidation { reflection: self, mode, clock, facts, merges: Vec::new() }.over(events)
        };
        consolidation.into_stream().flatten().boxed()
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

/// A batch pass that stores its changes at its end.
struct StoredPass<'s, P: BatchPass> {
    reflection: &'s Reflection,
    mode: Mode,
    clock: &'s dyn Clock,
    changes: Vec<RowChange>,
    pass: PhantomData<P>,
}

impl<'s, P: BatchPass> StoredPass<'s, P> {
    fn over(self, events: BoxStream<'s, SweepEvent<P::Outcome>>) -> BoxStream<'s, SweepEvent<P::Outcome>> {
        let steps = stream::unfold((self, events), async |(mut sweep, mut events)| {
            let event = events.next().await?;
            let events_after = sweep.events_after(event).await;
            Some((stream::iter(events_after), (sweep, events)))
        });
        steps.flatten().boxed()
    }

    async fn events_after(&mut self, event: SweepEvent<P::Outcome>) -> Vec<SweepEvent<P::Outcome>> {
        match &event {
            SweepEvent::Row { row, outcome, .. } => self.changes.extend(P::change(row, outcome)),
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
        // Rows that changed meanwhile are newer than the changes of the pass.
        let is_unchanged = |change: &RowChange| now.get(&change.row.id) == Some(&change.row);
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
            memory.rewrite_entries(P::NAME, rewritten.collect(), self.clock.now().as_microsecond()).await?;
        Ok(Some((undo, count)))
    }
}

/// The consolidation of all nodes, which stores its changes at its end.
struct StoredConsolidation<'s> {
    reflection: &'s Reflection,
    mode: Mode,
    clock: &'s dyn Clock,
    facts: HashMap<NodeId, Vec<Fact>>,
    merges: Vec<Merge>,
}

impl<'s> StoredConsolidation<'s> {
    fn over(self, events: BoxStream<'s, ConsolidationEvent>) -> BoxStream<'s, ConsolidationEvent> {
        let steps = stream::unfold((self, events), async |(mut consolidation, mut events)| {
            let event = events.next().await?;
            let events_after = consolidation.events_after(event).await;
            Some((stream::iter(events_after), (consolidation, events)))
        });
        steps.flatten().boxed()
    }

    async fn events_after(&mut self, event: ConsolidationEvent) -> Vec<ConsolidationEvent> {
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
        let now = self.clock.now().as_microsecond();
        let tidied = self.reflection.memory.tidy_facts("consolidation", merges, now).await?;
        Ok((tidied.nodes > 0).then_some((tidied.undo, tidied.nodes)))
    }
}
