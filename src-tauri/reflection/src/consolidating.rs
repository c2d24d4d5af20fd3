//! Tidies the facts of nodes: the merge with nothing new.
//!
//! Source: behaviour reference, section 3.5, "Consolidate all".

use futures::{Stream, StreamExt, stream};
use llm::{CancellationToken, ChatModel};
use memory::{MemoryError, NodeId, UndoId};
use vocabulary::Private;

use crate::ReflectionError;
use crate::merging::{MergeRejection, Merged, rewrite};

/// A node and its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeLines {
    /// Its id in the graph.
    pub id: NodeId,
    /// Its name.
    pub name: Private<String>,
    /// Its facts.
    pub lines: Private<Vec<String>>,
}

/// What came of tidying a node.
#[derive(Debug)]
pub enum Consolidated {
    /// This list takes the place of the node's.
    Merged(Merged),
    /// The list is as good as it was.
    Unchanged,
    /// The node stays as it is.
    LeftAsItWas(MergeRejection),
}

/// What happens while all nodes are tidied.
#[derive(Debug)]
pub enum ConsolidationEvent {
    /// It begins.
    Started {
        /// How many nodes hold facts.
        total: usize,
    },
    /// A node is done.
    Node {
        /// The node as it was: what to go back to.
        node: NodeLines,
        /// What came of it; its lines afterwards are in there.
        outcome: Consolidated,
        /// How many nodes are done, this one counted.
        done: usize,
    },
    /// All are done.
    Finished,
    /// It was stopped; the nodes told of are done.
    Aborted,
    /// What was done is stored; the end follows.
    Stored {
        /// To undo it.
        undo: UndoId,
        /// How many nodes changed: those whose facts others changed meanwhile stay as they are.
        nodes: usize,
    },
    /// The memory failed: nothing is stored, and this is the end.
    Failed(MemoryError),
}

/// Tidies the facts of one node.
pub async fn consolidate(model: &dyn ChatModel, lines: &[String], stop: &CancellationToken) -> Consolidated {
    /// A single fact cannot be tidied.
    const LEAST_LINES: usize = 2;
    if lines.len() < LEAST_LINES {
        return Consolidated::Unchanged;
    }
    match rewrite(model, lines, &[], stop).await {
        Ok(merged) if merged.lines.iter().map(|line| &*line.text).eq(lines) => Consolidated::Unchanged,
        Ok(merged) => Consolidated::Merged(merged),
        Err(why) => Consolidated::LeftAsItWas(why),
    }
}

/// Tidies node after node; those without facts are passed over. Nothing happens but while the stream is read: a
/// reader who stores nothing has seen a preview.
pub fn consolidate_all<'m>(
    model: &'m dyn ChatModel,
    nodes: Vec<NodeLines>,
    stop: &'m CancellationToken,
) -> impl Stream<Item = ConsolidationEvent> + Send + 'm {
    let nodes: Vec<NodeLines> = nodes.into_iter().filter(|node| !node.lines.is_empty()).collect();
    let started = ConsolidationEvent::Started { total: nodes.len() };
    let steps = stream::unfold(Some((nodes.into_iter(), 0)), async move |state| {
        let (mut nodes, done) = state?;
        let Some(node) = nodes.next() else { return Some((ConsolidationEvent::Finished, None)) };
        let outcome = consolidate(model, &node.lines, stop).await;
        if let Consolidated::LeftAsItWas(MergeRejection::Failed(ReflectionError::Stopped)) = outcome {
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

    fn node(name: &str, lines: &[&str]) -> NodeLines {
        let lines = lines.iter().map(|&line| line.to_owned()).collect();
        NodeLines { id: NodeId(0), name: Private(name.into()), lines: Private(lines) }
    }

    fn told(event: &ConsolidationEvent) -> String {
        match event {
            ConsolidationEvent::Started { total } => format!("started {total}"),
            ConsolidationEvent::Node { node, outcome, done } => match outcome {
                Consolidated::Merged(merged) => {
                    format!("{done} {} {} -> {}", node.name.0, node.lines.len(), merged.lines.len())
                }
                Consolidated::Unchanged => format!("{done} {} unchanged", node.name.0),
                Consolidated::LeftAsItWas(why) => format!("{done} {} {}", node.name.0, why.code()),
            },
            ConsolidationEvent::Finished => "finished".into(),
            ConsolidationEvent::Aborted => "aborted".into(),
            ConsolidationEvent::Stored { .. } | ConsolidationEvent::Failed(_) => "stores nothing".into(),
        }
    }

    #[tokio::test]
    async fn every_node_with_facts_is_tidied_and_failures_leave_it_as_it_was() {
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
            consolidate_all(&model, nodes, &stop).map(|event| told(&event)).collect().await;

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
    async fn stopping_ends_it_between_two_nodes() {
        let model = ScriptedModel::new([Turn::says(r#"{"facts":["Runs.","Swims."]}"#)]);
        let nodes = vec![node("sport", &["Runs.", "Swims."]), node("work", &["Bakes.", "Mills."])];
        let stop = CancellationToken::new();
        let mut events = Box::pin(consolidate_all(&model, nodes, &stop));

        let mut seen = Vec::new();
        while let Some(event) = events.next().await {
            seen.push(told(&event));
            if seen.len() == 2 {
                stop.cancel();
            }
        }

        assert_eq!(seen, ["started 2", "1 sport unchanged", "aborted"]);
    }
}
