//! Maintenance that the user starts: batch passes over the diary, and consolidation of the facts of every node.
//!
//! Each is a stream of events. A preview changes nothing. Otherwise the changes are stored at the end of the stream, also after
//! it was stopped, in one step that can be undone. Dropping the stream stores nothing.
//!
//! Source: docs/behaviour/memory.md#clean-diary and docs/behaviour/memory.md#learning-facts.

use std::collections::HashMap;
use std::marker::PhantomData;

use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use llm::CancellationToken;
use memory::{DiaryFilter, Entry, EntryId, Fact, MemoryError, Merge, NodeId, UndoId};
use vocabulary::{Clock, Private};

use crate::Reflection;
use crate::batch_passes::{
    BatchPass, BatchPassEvent, CleaningOutcome, DeflectionPass, DiaryRow, RowChange, TopicOutcome, TopicPass,
    redacted_topics, run,
};
use crate::consolidating::{ConsolidationEvent, ConsolidationOutcome, NodeFacts, consolidate_all};
use crate::learning::to_memory_line;
use crate::merging::MergedFacts;

/// The choice whether maintenance stores its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Changes are only shown.
    Preview,
    /// Changes are stored, and can be undone.
    Apply,
}

impl Reflection {
    /// Removes narration of the assistant's failures from every entry of the diary.
    pub fn remove_deflections<'s>(
        &'s self,
        mode: Mode,
        clock: &'s dyn Clock,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, BatchPassEvent<CleaningOutcome>> {
        self.run_batch_pass::<DeflectionPass>(mode, clock, stop)
    }

    /// Merges spellings of a topic in every entry of the diary.
    pub fn merge_topics<'s>(
        &'s self,
        mode: Mode,
        clock: &'s dyn Clock,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, BatchPassEvent<TopicOutcome>> {
        self.run_batch_pass::<TopicPass>(mode, clock, stop)
    }

    fn run_batch_pass<'s, P: BatchPass>(
        &'s self,
        mode: Mode,
        clock: &'s dyn Clock,
        stop: &'s CancellationToken,
    ) -> BoxStream<'s, BatchPassEvent<P::Outcome>> {
        let pass = async move {
            let rows = match self.rows().await {
                Ok(rows) => rows,
                Err(error) => return stream::iter([BatchPassEvent::Failed(error.into())]).boxed(),
            };
            let events = run::<P>(&*self.model, rows, stop).boxed();
            let storing =
                StoringPass::<P> { reflection: self, mode, clock, changes: Vec::new(), pass: PhantomData };
            store_at_end(storing, events)
        };
        pass.into_stream().flatten().boxed()
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
                Ok(nodes_and_facts) => nodes_and_facts,
                Err(error) => return stream::iter([ConsolidationEvent::Failed(error)]).boxed(),
            };
            let events = consolidate_all(&*self.model, nodes, stop).boxed();
            let storing = StoringConsolidation { reflection: self, mode, clock, facts, merges: Vec::new() };
            store_at_end(storing, events)
        };
        consolidation.into_stream().flatten().boxed()
    }

    async fn rows(&self) -> Result<Vec<DiaryRow>, MemoryError> {
        Ok(self.memory.entries(DiaryFilter::default()).await?.into_iter().map(row).collect())
    }

    async fn nodes_with_facts(
        &self,
        now_micros: i64,
    ) -> Result<(Vec<NodeFacts>, HashMap<NodeId, Vec<Fact>>), MemoryError> {
        let mut nodes = Vec::new();
        let mut facts = HashMap::new();
        for (_, node) in self.memory.tree(now_micros).await? {
            let of_node = self.memory.facts(node.id).await?;
            let lines = of_node.iter().map(|fact| fact.text.clone()).collect();
            nodes.push(NodeFacts { id: node.id, name: Private(node.name), lines: Private(lines) });
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

/// Collects the changes in a stream of events, and stores them at its end.
trait ChangeStorage: Send {
    type Event: Send;

    /// Handles an event. Returns the events for the caller in its place: at the end, storing adds one.
    fn replace_event(&mut self, event: Self::Event) -> impl Future<Output = Vec<Self::Event>> + Send;
}

fn store_at_end<'s, S>(storage: S, events: BoxStream<'s, S::Event>) -> BoxStream<'s, S::Event>
where
    S: ChangeStorage + 's,
    S::Event: 's,
{
    let steps = stream::unfold((storage, events), async |(mut storage, mut events)| {
        let event = events.next().await?;
        let replaced = storage.replace_event(event).await;
        Some((stream::iter(replaced), (storage, events)))
    });
    steps.flatten().boxed()
}

/// Stores the changes of a batch pass.
struct StoringPass<'s, P: BatchPass> {
    reflection: &'s Reflection,
    mode: Mode,
    clock: &'s dyn Clock,
    changes: Vec<RowChange>,
    pass: PhantomData<P>,
}

impl<P: BatchPass> ChangeStorage for StoringPass<'_, P> {
    type Event = BatchPassEvent<P::Outcome>;

    async fn replace_event(&mut self, event: Self::Event) -> Vec<Self::Event> {
        match &event {
            BatchPassEvent::Row { row, outcome, .. } => self.changes.extend(P::change(row, outcome)),
            BatchPassEvent::Finished { .. } | BatchPassEvent::Aborted { .. } => match self.store().await {
                Ok(Some((undo, changed))) => return vec![BatchPassEvent::Stored { undo, changed }, event],
                Ok(None) => {}
                Err(error) => return vec![BatchPassEvent::Failed(error.into())],
            },
            BatchPassEvent::Started { .. } | BatchPassEvent::Stored { .. } | BatchPassEvent::Failed(_) => {}
        }
        vec![event]
    }
}

impl<P: BatchPass> StoringPass<'_, P> {
    async fn store(&mut self) -> Result<Option<(UndoId, usize)>, MemoryError> {
        if self.mode == Mode::Preview || self.changes.is_empty() {
            return Ok(None);
        }
        let memory = &self.reflection.memory;
        let current: HashMap<i64, DiaryRow> =
            self.reflection.rows().await?.into_iter().map(|row| (row.id, row)).collect();
        // A row that changed meanwhile is newer than the change of the pass.
        let is_unchanged = |change: &RowChange| current.get(&change.row.id) == Some(&change.row);
        let changes: Vec<RowChange> = self.changes.drain(..).filter(is_unchanged).collect();
        if changes.is_empty() {
            return Ok(None);
        }
        let count = changes.len();
        let rewritten = changes.into_iter().map(|change| {
            let summary = redaction::scrub(&change.summary);
            (EntryId(change.row.id), summary, redacted_topics(&change.topics))
        });
        let undo =
            memory.rewrite_entries(P::NAME, rewritten.collect(), self.clock.now().as_microsecond()).await?;
        Ok(Some((undo, count)))
    }
}

/// Stores the changes of a consolidation.
struct StoringConsolidation<'s> {
    reflection: &'s Reflection,
    mode: Mode,
    clock: &'s dyn Clock,
    facts: HashMap<NodeId, Vec<Fact>>,
    merges: Vec<Merge>,
}

impl ChangeStorage for StoringConsolidation<'_> {
    type Event = ConsolidationEvent;

    async fn replace_event(&mut self, event: ConsolidationEvent) -> Vec<ConsolidationEvent> {
        match &event {
            ConsolidationEvent::Node { node, outcome: ConsolidationOutcome::Merged(merged), .. } => {
                self.add_merge(node.id, merged);
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
}

impl StoringConsolidation<'_> {
    fn add_merge(&mut self, node: NodeId, merged: &MergedFacts) {
        let facts = self.facts.get(&node).map_or(&[][..], Vec::as_slice);
        let lines = merged.lines.iter().enumerate();
        let lines = lines.map(|(index, line)| to_memory_line(line, index, merged, facts, &[])).collect();
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
