//! Keeps facts in the graph: each once, in its place, merged with what is there.

use std::collections::{BTreeMap, HashSet};

use llm::CancellationToken;
use memory::{Branch, Evidence, Fact, Learned, Memory, MemoryError, Merge, NodeEdit, NodeId, Refusal};
use vocabulary::Private;

use super::learned::{LearnedFact, Learning, PAGE};
use super::tracing_back::Found;
use crate::facts::LONGEST_FACT;
use crate::grounding::likeness;
use crate::merging::{MergeOutcome, MergeRejection, Merged, MergedLine, Source, merge};
use crate::placing::{PlaceNode, place};
use crate::splitting::{SPLIT_ABOVE_TOKENS, Split, SplitRejection, split};
use crate::{Reflection, ReflectionError};

/// Facts at least so alike say the same, so that one is evidence for the other. The same as in a merge.
const NEARLY_THE_SAME: f64 = 0.8;

impl Reflection {
    /// Keeps facts. What the graph knows, wherever it stands there, gets a witness more; the rest is merged into the
    /// node where it belongs, once for each node.
    ///
    /// Falls open: whatever the model does, each fact is kept.
    pub(crate) async fn keep(
        &self,
        found: Vec<Found>,
        now_micros: i64,
        stop: &CancellationToken,
        learning: &mut Learning,
    ) -> Result<(), ReflectionError> {
        let new = self.unknown(found, learning).await?;
        if new.is_empty() {
            return Ok(());
        }
        let mut by_node: BTreeMap<NodeId, Vec<Found>> = BTreeMap::new();
        let tree = Tree::read(&self.memory, now_micros).await?;
        for fact in new {
            let node = match tree.branch(fact.branch) {
                Some(branch) => place(&*self.model, &fact.text, branch, stop).await?.id,
                None => fact.branch.node(),
            };
            by_node.entry(node).or_default().push(fact);
        }
        for (node, facts) in by_node {
            self.keep_in(node, facts, now_micros, stop, learning).await?;
        }
        Ok(())
    }

    /// Those that the graph does not know yet; the others get their witnesses.
    async fn unknown(
        &self,
        found: Vec<Found>,
        learning: &mut Learning,
    ) -> Result<Vec<Found>, ReflectionError> {
        let mut unknown = Vec::new();
        for fact in self.still_said(found).await? {
            if self.memory.recognise(fact.new_fact()).await?.is_none() {
                unknown.push(fact);
                continue;
            }
            learning.known += 1;
            self.add_witnesses(&fact).await?;
        }
        Ok(unknown)
    }

    /// Adds all but the first, which comes with the fact.
    async fn add_witnesses(&self, fact: &Found) -> Result<(), ReflectionError> {
        for evidence in fact.evidence.iter().skip(1) {
            let fact = memory::NewFact { text: fact.text.0.clone(), evidence: evidence.clone() };
            self.memory.recognise(fact).await?;
        }
        Ok(())
    }

    /// Leaves out what was forgotten while the model was at work.
    async fn still_said(&self, found: Vec<Found>) -> Result<Vec<Found>, ReflectionError> {
        let messages = self.memory.unsearched_messages(2 * PAGE).await?;
        // A row can be another message by now: its time tells.
        let said: HashSet<(i64, i64)> =
            messages.iter().map(|message| (message.message, message.content.at_micros)).collect();
        let is_said = |evidence: &Evidence| {
            evidence.message.is_none_or(|message| said.contains(&(message, evidence.observed_at)))
        };
        let with_witnesses = found.into_iter().filter_map(|mut fact| {
            fact.evidence.retain(is_said);
            (!fact.evidence.is_empty()).then_some(fact)
        });
        Ok(with_witnesses.collect())
    }

    async fn keep_in(
        &self,
        node: NodeId,
        new: Vec<Found>,
        now_micros: i64,
        stop: &CancellationToken,
        learning: &mut Learning,
    ) -> Result<(), ReflectionError> {
        let existing = self.memory.facts(node).await?;
        let lines: Vec<String> = existing.iter().map(|fact| fact.text.clone()).collect();
        let added: Vec<String> = new.iter().map(|fact| fact.text.0.clone()).collect();
        let merged = match merge(&*self.model, &lines, &added, stop).await {
            MergeOutcome::Merged(merged) => Some(merged),
            MergeOutcome::AppendEach(MergeRejection::Failed(ReflectionError::Stopped)) => {
                return Err(ReflectionError::Stopped);
            }
            MergeOutcome::AppendEach(MergeRejection::NothingToMerge) => None,
            MergeOutcome::AppendEach(why) => {
                tracing::debug!(why = why.code(), "facts are appended, not merged");
                None
            }
        };
        let new = self.still_said(new).await?;
        let is_complete = new.len() == added.len();
        match merged {
            // A line may say what was forgotten meanwhile.
            Some(merged) if is_complete => {
                self.store_merged(node, &existing, &new, &merged, now_micros, learning).await?;
            }
            _ => self.append(node, &new, now_micros, learning).await?,
        }
        self.memory.touch_node(node, now_micros).await?;
        self.split_if_long(node, now_micros, stop, learning).await
    }

    async fn store_merged(
        &self,
        node: NodeId,
        existing: &[Fact],
        new: &[Found],
        merged: &Merged,
        now_micros: i64,
        learning: &mut Learning,
    ) -> Result<(), ReflectionError> {
        let lines = merged.lines.iter().enumerate();
        let lines = lines.map(|(place, line)| memory_line(line, place, merged, existing, new)).collect();
        let from = existing.iter().map(|fact| fact.id).collect();
        match self.memory.merge_facts(Merge { node, from, lines }, now_micros).await {
            Ok(_) => {
                let has_new = |line: &&MergedLine| line.sources.iter().any(|it| matches!(it, Source::New(_)));
                let learned = merged.lines.iter().filter(has_new);
                learning.learned.extend(learned.map(|line| LearnedFact { text: line.text.clone(), node }));
                Ok(())
            }
            Err(MemoryError::Refused(Refusal::Outdated)) => {
                self.append(node, new, now_micros, learning).await
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn append(
        &self,
        node: NodeId,
        new: &[Found],
        now_micros: i64,
        learning: &mut Learning,
    ) -> Result<(), ReflectionError> {
        for fact in new {
            match self.memory.learn(node, fact.new_fact(), now_micros).await? {
                Learned::New(_) => learning.learned.push(LearnedFact { text: fact.text.clone(), node }),
                Learned::Known(_) => learning.known += 1,
            }
            self.add_witnesses(fact).await?;
        }
        Ok(())
    }

    /// Splits a node that has grown too long. The fixed branches keep their descriptions.
    async fn split_if_long(
        &self,
        node: NodeId,
        now_micros: i64,
        stop: &CancellationToken,
        learning: &mut Learning,
    ) -> Result<(), ReflectionError> {
        let Some(long) = self.memory.node(node).await? else { return Ok(()) };
        if usize::try_from(long.tokens).unwrap_or_default() <= SPLIT_ABOVE_TOKENS {
            return Ok(());
        }
        let facts = self.memory.facts(node).await?;
        let lines: Vec<String> = facts.iter().map(|fact| fact.text.clone()).collect();
        match split(&*self.model, &long.name, &lines, stop).await {
            Ok(split) => {
                self.store_split(node, &facts, &split, now_micros).await?;
                learning.split.push(node);
            }
            Err(SplitRejection::Failed(ReflectionError::Stopped)) => return Err(ReflectionError::Stopped),
            Err(why) => tracing::warn!(%why, "a long node stays whole"),
        }
        Ok(())
    }

    async fn store_split(
        &self,
        node: NodeId,
        facts: &[Fact],
        split: &Split,
        now_micros: i64,
    ) -> Result<(), ReflectionError> {
        for category in &split.categories {
            let child = match self.memory.node_named(&category.name, Some(node)).await? {
                Some(child) => child.id,
                None => {
                    let (name, description) = (scrubbed(&category.name), scrubbed(&category.description));
                    self.memory.create_node(node, &name, &description, now_micros).await?
                }
            };
            let moved = category.lines.iter().map(|&line| facts[line].id).collect();
            self.memory.move_facts(moved, child, now_micros).await?;
        }
        if !node.is_fixed() {
            let edit = NodeEdit { description: Some(scrubbed(&split.summary)), ..NodeEdit::default() };
            self.memory.edit_node(node, edit, now_micros).await?;
        }
        Ok(())
    }
}

fn scrubbed(text: &str) -> String {
    redaction::scrub(text)
}

/// A line as the memory stores it: which facts it says in other words, which it replaces, and who bears witness to it.
pub(crate) fn memory_line(
    line: &MergedLine,
    place: usize,
    merged: &Merged,
    existing: &[Fact],
    new: &[Found],
) -> memory::MergedLine {
    let mut stored = memory::MergedLine {
        text: redaction::redact(&line.text, LONGEST_FACT.max(line.text.len())),
        stands_for: Vec::new(),
        replaces: Vec::new(),
        evidence: Vec::new(),
    };
    for source in &line.sources {
        match *source {
            Source::Existing(place) => stored.stands_for.push(existing[place].id),
            Source::New(place) => stored.evidence.extend(new[place].worded_evidence()),
        }
    }
    for source in dropped_by(place, merged) {
        let says_the_same = |fact: &str| likeness(fact, &line.text) >= NEARLY_THE_SAME;
        match source {
            Source::Existing(place) if says_the_same(&existing[place].text) => {
                stored.stands_for.push(existing[place].id);
            }
            Source::Existing(place) => stored.replaces.push(existing[place].id),
            Source::New(place) if says_the_same(&new[place].text) => {
                stored.evidence.extend(new[place].worded_evidence());
            }
            Source::New(_) => {}
        }
    }
    stored
}

/// The facts that gave way to a line.
fn dropped_by(line: usize, merged: &Merged) -> impl Iterator<Item = Source> + '_ {
    merged.dropped.iter().filter(move |dropped| dropped.by == Some(line)).map(|dropped| dropped.source)
}

/// The three branches with all that is below them.
struct Tree(Vec<PlaceNode>);

impl Tree {
    async fn read(memory: &Memory, now_micros: i64) -> Result<Self, MemoryError> {
        let nodes = memory.tree(now_micros).await?;
        // Each node comes after its parent: read backwards, its children are complete when it comes.
        let mut above: Vec<Vec<PlaceNode>> = Vec::new();
        for (depth, node) in nodes.into_iter().rev() {
            above.resize_with(above.len().max(depth + 2), Vec::new);
            let mut children = std::mem::take(&mut above[depth + 1]);
            children.reverse();
            above[depth].push(PlaceNode {
                id: node.id,
                name: Private(node.name),
                description: Private(node.description),
                children,
            });
        }
        let root = above.into_iter().next().and_then(|mut roots| roots.pop());
        Ok(Self(root.map_or(Vec::new(), |root| root.children)))
    }

    fn branch(&self, branch: Branch) -> Option<&PlaceNode> {
        self.0.iter().find(|node| node.id == branch.node())
    }
}
