//! One record with all that is known about it, or everything in short.

use memory::{DiaryFilter, EntryId, FactId, ItemId, Memory, NodeId, RecordKind, Refusal};

use super::failure::Failure;
use super::parts::DataService;
use super::responder::Responder;
use super::views::all;
use crate::data_access::requests::{
    EntryDetails, FactDetails, MemoryAnswer, MemoryOverview, MessageDetails, NodeDetails, PastFact, TreeNode,
};

/// Entries of the diary in the overview.
const NEWEST_ENTRIES: usize = 5;
/// Messages shown before and after one.
const MESSAGES_AROUND: usize = 3;
/// Messages shown of those that an entry was written from.
const SOURCES: usize = 200;
/// Replaced facts shown of one fact.
const HISTORY: usize = 50;

impl DataService {
    pub(super) async fn show(
        &self,
        memory: &Memory,
        id: ItemId,
        responder: &Responder,
    ) -> Result<(), Failure> {
        let answer = match id.kind {
            RecordKind::Message => message(memory, id).await?,
            RecordKind::Diary => entry(memory, id).await?,
            RecordKind::Fact => fact(memory, id).await?,
            RecordKind::Node => self.node(memory, id).await?,
            RecordKind::Meal | RecordKind::Appointment | RecordKind::Todo => {
                MemoryAnswer::Item(memory.item(id).await?.ok_or_else(|| no_such(id))?.into())
            }
        };
        responder.memory(answer).await
    }

    async fn node(&self, memory: &Memory, id: ItemId) -> Result<MemoryAnswer, Failure> {
        let node = memory.node(NodeId(id.row)).await?.ok_or_else(|| no_such(id))?;
        let path = memory.path_of(node.id).await?;
        let facts = all(memory.facts(node.id).await?);
        let children = all(memory.children(node.id, self.now_micros()).await?);
        Ok(MemoryAnswer::Node(NodeDetails { node: node.into(), path, facts, children }))
    }

    pub(super) async fn overview(&self, memory: &Memory, responder: &Responder) -> Result<(), Failure> {
        let mut tree = Vec::new();
        for (depth, node) in memory.tree(self.now_micros()).await? {
            if node.id != NodeId::ROOT {
                let facts = all(memory.facts(node.id).await?);
                tree.push(TreeNode { depth: depth - 1, node: node.into(), facts });
            }
        }
        let mut newest = memory.entries(DiaryFilter::default()).await?;
        let entries = newest.len();
        newest.truncate(NEWEST_ENTRIES);
        let conversations = all(memory.conversations().await?);
        let overview = MemoryOverview { conversations, entries, tree, newest_entries: all(newest) };
        responder.memory(MemoryAnswer::Overview(overview)).await
    }
}

async fn message(memory: &Memory, id: ItemId) -> Result<MemoryAnswer, Failure> {
    let mut before = memory.messages_around(id.row, MESSAGES_AROUND).await?;
    let at = before.iter().position(|message| message.id == id).ok_or_else(|| no_such(id))?;
    let after = before.split_off(at + 1);
    let message = before.pop().ok_or_else(|| no_such(id))?;
    Ok(MemoryAnswer::Message(MessageDetails {
        message: message.into(),
        before: all(before),
        after: all(after),
    }))
}

async fn entry(memory: &Memory, id: ItemId) -> Result<MemoryAnswer, Failure> {
    let entry = memory.entry(EntryId(id.row)).await?.ok_or_else(|| no_such(id))?;
    let sources = all(memory.sources_of(entry.id, SOURCES).await?);
    Ok(MemoryAnswer::Entry(EntryDetails { entry: entry.into(), sources }))
}

async fn fact(memory: &Memory, id: ItemId) -> Result<MemoryAnswer, Failure> {
    let fact = memory.fact(FactId(id.row)).await?.ok_or_else(|| no_such(id))?;
    let path = memory.path_of(fact.node).await?;
    let evidence = all(memory.evidence(fact.id).await?);
    let history = history(memory, fact.id).await?;
    Ok(MemoryAnswer::Fact(FactDetails { fact: fact.into(), path, evidence, history }))
}

/// Everything that a fact replaced, the nearest first.
async fn history(memory: &Memory, id: FactId) -> Result<Vec<PastFact>, Failure> {
    let mut past = Vec::new();
    let mut waiting = vec![id];
    while let Some(id) = waiting.pop() {
        for older in memory.history_of(id).await? {
            if past.len() == HISTORY {
                return Ok(past);
            }
            waiting.insert(0, older.id);
            let evidence = all(memory.evidence(older.id).await?);
            past.push(PastFact { fact: older.into(), evidence });
        }
    }
    Ok(past)
}

/// There is no record of this name.
pub(super) fn no_such(id: ItemId) -> Failure {
    Failure::refused(Refusal::NoSuchItem(id).to_string())
}
