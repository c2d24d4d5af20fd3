//! Consolidates the facts of nodes: a merge without new facts.
//!
//! Source: docs/behaviour/memory.md#learning-facts.

use futures::{Stream, StreamExt, stream};
use llm::{CancellationToken, ChatModel};
use memory::{MemoryError, NodeId, UndoId};
use vocabulary::Private;

use crate::ReflectionError;
use crate::merging::{MergeRejection, MergedFacts, ask_for_merge};

/// A node with its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeFacts {
    /// Id in the graph.
    pub id: NodeId,
    /// Name of the node.
    pub name: Private<String>,
    /// The facts.
    pub lines: Private<Vec<String>>,
}

/// The outcome for a node.
#[derive(Debug)]
pub enum ConsolidationOutcome {
    /// The new list replaces the facts of the node.
    Merged(MergedFacts),
    /// The model changed nothing.
    Unchanged,
    /// The answer was rejected: the node stays as it is.
    Rejected(MergeRejection),
}

/// Progress of the consolidation of all nodes.
#[derive(Debug)]
pub enum ConsolidationEvent {
    /// The first event.
    Started {
        /// Number of nodes with facts.
        total: usize,
    },
    /// A node is done.
    Node {
        /// The node before the change.
        node: NodeFacts,
        /// The outcome, with the new lines.
        outcome: ConsolidationOutcome,
        /// Number of nodes done, including this one.
        done: usize,
    },
    /// All are done.
    Finished,
    /// Stopped by the user; the nodes reported so far are done.
    Aborted,
    /// The changes are stored. [`Finished`](Self::Finished) or [`Aborted`](Self::Aborted) follows.
    Stored {
        /// For undoing the changes.
        undo: UndoId,
        /// Number of changed nodes. A node whose facts changed meanwhile stays as it is.
        nodes: usize,
    },
    /// The database failed: nothing is stored. The last event.
    Failed(MemoryError),
}

/// Consolidates the facts of one node.
pub async fn consolidate(
    model: &dyn ChatModel,
    lines: &[String],
    stop: &CancellationToken,
) -> ConsolidationOutcome {
    /// A single fact needs no consolidation.
    const MIN_LINES: usize = 2;
    if lines.len() < MIN_LINES {
        return ConsolidationOutcome::Unchanged;
    }
    match ask_for_merge(model, lines, &[], stop).await {
        Ok(merged) if merged.lines.iter().map(|line| &*line.text).eq(lines) => {
            ConsolidationOutcome::Unchanged
        }
        Ok(merged) => ConsolidationOutcome::Merged(merged),
        Err(why) => ConsolidationOutcome::Rejected(why),
    }
}

/// Consolidates the nodes one after the other, without those that have no facts. The model is asked only while the stream
/// is polled, and nothing is stored.
pub(crate) fn consolidate_all<'m>(
    model: &'m dyn ChatModel,
    nodes: Vec<NodeFacts>,
    stop: &'m CancellationToken,
) -> impl Stream<Item = ConsolidationEvent> + Send + 'm {
    let nodes: Vec<NodeFacts> = nodes.into_iter().filter(|node| !node.lines.is_empty()).collect();
    let started = ConsolidationEvent::Started { total: nodes.len() };
    let steps = stream::unfold(Some((nodes.into_iter(), 0)), async move |state| {
        let (mut nodes, done) = state?;
        let Some(node) = nodes.next() else { return Some((ConsolidationEvent::Finished, None)) };
        let outcome = consolidate(model, &node.lines, stop).await;
        if let ConsolidationOutcome::Rejected(MergeRejection::Failed(ReflectionError::Stopped)) = outcome {
            return Some((ConsolidationEvent::Aborted, None));
        }
        let done = done + 1;
        Some((ConsolidationEvent::Node { node, outcome, done }, Some((nodes, done))))
    });
    stream::iter([started]).chain(steps)
}

#[cfg(test)]
mod tests {
    use testkit::{ScriptedModel, Turn};

    use super::*;

    fn node(name: &str, lines: &[&str]) -> NodeFacts {
        let lines = lines.iter().map(|&line| line.to_owned()).collect();
        NodeFacts { id: NodeId(0), name: Private(name.into()), lines: Private(lines) }
    }

    fn describe(event: &ConsolidationEvent) -> String {
        match event {
            ConsolidationEvent::Started { total } => format!("started {total}"),
            ConsolidationEvent::Node { node, outcome, done } => match outcome {
                ConsolidationOutcome::Merged(merged) => {
                    format!("{done} {} {} -> {}", node.name.0, node.lines.len(), merged.lines.len())
                }
                ConsolidationOutcome::Unchanged => format!("{done} {} unchanged", node.name.0),
                ConsolidationOutcome::Rejected(why) => format!("{done} {} {}", node.name.0, why.code()),
            },
            ConsolidationEvent::Finished => "finished".into(),
            ConsolidationEvent::Aborted => "aborted".into(),
            ConsolidationEvent::Stored { .. } | ConsolidationEvent::Failed(_) => "stores nothing".into(),
        }
    }

    #[tokio::test]
    async fn every_node_with_facts_is_consolidated_or_left_unchanged() {
        let model = ScriptedModel::new([
            Turn::says(r#"{"facts":["Likes tea."]}"#),
            Turn::says("banana"),
            Turn::says(r#"{"facts":["Runs.","Swims."]}"#),
        ]);
        let nodes = vec![
            node("food", &["Likes tea.", "likes tea"]),
            node("work", &["Works at a mill.", "Bakes."]),
            node("empty", &[]),
            node("sport", &["Runs.", "Swims."]),
            node("single", &["Sings."]),
        ];

        let stop = CancellationToken::new();
        let events: Vec<String> =
            consolidate_all(&model, nodes, &stop).map(|event| describe(&event)).collect().await;

        assert_eq!(
            events,
            [
                "started 4",
                "1 food 2 -> 1",
                "2 work unreadable",
                "3 sport unchanged",
                "4 single unchanged",
                "finished"
            ]
        );
    }

    #[tokio::test]
    async fn stopping_ends_the_stream_after_the_current_node() {
        let model = ScriptedModel::new([Turn::says(r#"{"facts":["Runs.","Swims."]}"#)]);
        let nodes = vec![node("sport", &["Runs.", "Swims."]), node("work", &["Bakes.", "Mills."])];
        let stop = CancellationToken::new();
        let mut events = Box::pin(consolidate_all(&model, nodes, &stop));

        let mut seen = Vec::new();
        while let Some(event) = events.next().await {
            seen.push(describe(&event));
            if seen.len() == 2 {
                stop.cancel();
            }
        }

        assert_eq!(seen, ["started 2", "1 sport unchanged", "aborted"]);
    }
}
