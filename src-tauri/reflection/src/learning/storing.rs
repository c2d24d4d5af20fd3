//! Stores facts in the graph: each once, in the node where it belongs, merged with the facts of that node.

use std::collections::{BTreeMap, HashSet};

use llm::CancellationToken;
use memory::{Branch, Evidence, Fact, LearnOutcome, Memory, MemoryError, Merge, NodeEdit, NodeId, Refusal};
use vocabulary::Private;

use super::evidence::SupportedFact;
use super::outcome::{LearnedFact, LearningOutcome, PAGE};
use crate::facts::MAX_FACT_CHARS;
use crate::grounding::{SAME_MEANING, similarity};
use crate::merging::{FactSource, MergeOutcome, MergeRejection, MergedFacts, MergedLine, merge};
use crate::placing::{NodeTree, choose_node};
use crate::splitting::{SPLIT_ABOVE_TOKENS, Split, SplitRejection, split};
use crate::{Reflection, ReflectionError};

impl Reflection {
    /// Stores facts. A fact that is anywhere in the graph only gets further evidence. The others are merged into their nodes,
    /// with one merge for each node.
    ///
    /// Falls open: every fact is stored, even when the model fails.
    pub(crate) async fn store_facts(
        &self,
        facts: Vec<SupportedFact>,
        now_micros: i64,
        stop: &CancellationToken,
        learning: &mut LearningOutcome,
    ) -> Result<(), ReflectionError> {
        let new = self.unknown_facts(facts, learning).await?;
        if new.is_empty() {
            return Ok(());
        }
        let mut by_node: BTreeMap<NodeId, Vec<SupportedFact>> = BTreeMap::new();
        let tree = BranchTrees::read(&self.memory, now_micros).await?;
        for fact in new {
            let node = match tree.branch(fact.branch) {
                Some(branch) => choose_node(&*self.helper, &fact.text, branch, stop).await?.id,
                None => fact.branch.node(),
            };
            by_node.entry(node).or_default().push(fact);
        }
        for (node, facts) in by_node {
            self.store_in_node(node, facts, now_micros, stop, learning).await?;
        }
        Ok(())
    }

    /// The facts that are not in the graph yet. Adds evidence to the others.
    async fn unknown_facts(
        &self,
        facts: Vec<SupportedFact>,
        learning: &mut LearningOutcome,
    ) -> Result<Vec<SupportedFact>, ReflectionError> {
        let mut unknown = Vec::new();
        for fact in self.without_forgotten(facts).await? {
            if self.memory.recognise(fact.new_fact()).await?.is_none() {
                unknown.push(fact);
                continue;
            }
            learning.already_known += 1;
            self.add_further_evidence(&fact).await?;
        }
        Ok(unknown)
    }

    /// Adds all evidence except the first, which is stored with the fact.
    async fn add_further_evidence(&self, fact: &SupportedFact) -> Result<(), ReflectionError> {
        for evidence in fact.evidence.iter().skip(1) {
            let fact = memory::NewFact { text: fact.text.0.clone(), evidence: evidence.clone() };
            self.memory.recognise(fact).await?;
        }
        Ok(())
    }

    /// The facts without evidence that was forgotten while the model worked.
    async fn without_forgotten(
        &self,
        facts: Vec<SupportedFact>,
    ) -> Result<Vec<SupportedFact>, ReflectionError> {
        let messages = self.memory.unsearched_messages(2 * PAGE).await?;
        // SQLite may have reused the row for another message: compare the time too.
        let pending: HashSet<(i64, i64)> =
            messages.iter().map(|message| (message.message, message.content.at_micros)).collect();
        let is_pending = |evidence: &Evidence| {
            evidence.message.is_none_or(|message| pending.contains(&(message, evidence.observed_at)))
        };
        let supported = facts.into_iter().filter_map(|mut fact| {
            fact.evidence.retain(is_pending);
            (!fact.evidence.is_empty()).then_some(fact)
        });
        Ok(supported.collect())
    }

    async fn store_in_node(
        &self,
        node: NodeId,
        new: Vec<SupportedFact>,
        now_micros: i64,
        stop: &CancellationToken,
        learning: &mut LearningOutcome,
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
                tracing::debug!(why = why.code(), "facts are appended instead of merged");
                None
            }
        };
        let new = self.without_forgotten(new).await?;
        let is_complete = new.len() == added.len();
        match merged {
            // Otherwise a line may contain what was forgotten meanwhile.
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
        new: &[SupportedFact],
        merged: &MergedFacts,
        now_micros: i64,
        learning: &mut LearningOutcome,
    ) -> Result<(), ReflectionError> {
        let lines = merged.lines.iter().enumerate();
        let lines = lines.map(|(index, line)| to_memory_line(line, index, merged, existing, new)).collect();
        let from = existing.iter().map(|fact| fact.id).collect();
        match self.memory.merge_facts(Merge { node, from, lines }, now_micros).await {
            Ok(_) => {
                let has_new =
                    |line: &&MergedLine| line.sources.iter().any(|it| matches!(it, FactSource::New(_)));
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
        new: &[SupportedFact],
        now_micros: i64,
        learning: &mut LearningOutcome,
    ) -> Result<(), ReflectionError> {
        for fact in new {
            match self.memory.learn(node, fact.new_fact(), now_micros).await? {
                LearnOutcome::New(_) => learning.learned.push(LearnedFact { text: fact.text.clone(), node }),
                LearnOutcome::Known(_) => learning.already_known += 1,
            }
            self.add_further_evidence(fact).await?;
        }
        Ok(())
    }

    /// Splits a long node. The fixed branches keep their descriptions.
    async fn split_if_long(
        &self,
        node: NodeId,
        now_micros: i64,
        stop: &CancellationToken,
        learning: &mut LearningOutcome,
    ) -> Result<(), ReflectionError> {
        let Some(stored) = self.memory.node(node).await? else { return Ok(()) };
        if usize::try_from(stored.tokens).unwrap_or_default() <= SPLIT_ABOVE_TOKENS {
            return Ok(());
        }
        let facts = self.memory.facts(node).await?;
        let lines: Vec<String> = facts.iter().map(|fact| fact.text.clone()).collect();
        match split(&*self.model, &stored.name, &lines, stop).await {
            Ok(split) => {
                self.store_split(node, &facts, &split, now_micros).await?;
                learning.split_nodes.push(node);
            }
            Err(SplitRejection::Failed(ReflectionError::Stopped)) => return Err(ReflectionError::Stopped),
            Err(why) => tracing::warn!(%why, "a long node is not split"),
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
                    let (name, description) =
                        (redaction::scrub(&category.name), redaction::scrub(&category.description));
                    self.memory.create_node(node, &name, &description, now_micros).await?
                }
            };
            let moved = category.lines.iter().map(|&line| facts[line].id).collect();
            self.memory.move_facts(moved, child, now_micros).await?;
        }
        if !node.is_fixed() {
            let edit =
                NodeEdit { description: Some(redaction::scrub(&split.summary)), ..NodeEdit::default() };
            self.memory.edit_node(node, edit, now_micros).await?;
        }
        Ok(())
    }
}

/// A line in the form the memory stores: with the facts that it expresses, the facts that it replaces, and its evidence.
pub(crate) fn to_memory_line(
    line: &MergedLine,
    index: usize,
    merged: &MergedFacts,
    existing: &[Fact],
    new: &[SupportedFact],
) -> memory::MergedLine {
    let mut stored = memory::MergedLine {
        text: redaction::redact(&line.text, MAX_FACT_CHARS.max(line.text.len())),
        stands_for: Vec::new(),
        replaces: Vec::new(),
        evidence: Vec::new(),
    };
    for source in &line.sources {
        match *source {
            FactSource::Existing(index) => stored.stands_for.push(existing[index].id),
            FactSource::New(index) => stored.evidence.extend(new[index].evidence_with_wording()),
        }
    }
    for source in dropped_for(index, merged) {
        let says_the_same = |fact: &str| similarity(fact, &line.text) >= SAME_MEANING;
        match source {
            FactSource::Existing(index) if says_the_same(&existing[index].text) => {
                stored.stands_for.push(existing[index].id);
            }
            FactSource::Existing(index) => stored.replaces.push(existing[index].id),
            FactSource::New(index) if says_the_same(&new[index].text) => {
                stored.evidence.extend(new[index].evidence_with_wording());
            }
            FactSource::New(_) => {}
        }
    }
    stored
}

/// The facts that a line replaced.
fn dropped_for(line: usize, merged: &MergedFacts) -> impl Iterator<Item = FactSource> + '_ {
    merged.dropped.iter().filter(move |dropped| dropped.by == Some(line)).map(|dropped| dropped.source)
}

/// The three branches with their descendants.
struct BranchTrees(Vec<NodeTree>);

impl BranchTrees {
    async fn read(memory: &Memory, now_micros: i64) -> Result<Self, MemoryError> {
        let nodes = memory.tree(now_micros).await?;
        // Each node follows its parent: in reverse order, the children of a node are complete before the node itself.
        let mut by_depth: Vec<Vec<NodeTree>> = Vec::new();
        for (depth, node) in nodes.into_iter().rev() {
            by_depth.resize_with(by_depth.len().max(depth + 2), Vec::new);
            let mut children = std::mem::take(&mut by_depth[depth + 1]);
            children.reverse();
            by_depth[depth].push(NodeTree {
                id: node.id,
                name: Private(node.name),
                description: Private(node.description),
                children,
            });
        }
        let root = by_depth.into_iter().next().and_then(|mut roots| roots.pop());
        Ok(Self(root.map_or(Vec::new(), |root| root.children)))
    }

    fn branch(&self, branch: Branch) -> Option<&NodeTree> {
        self.0.iter().find(|node| node.id == branch.node())
    }
}
