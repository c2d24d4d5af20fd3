//! Records of the memory as doors show them.

use jiff::civil::Date;
use memory::{FactStatus, ItemId, Participant};
use serde::{Deserialize, Serialize};
use vocabulary::{ConversationId, Private};

use super::item_id;

/// One record, whatever its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemView {
    /// Its name.
    #[serde(with = "item_id")]
    pub id: ItemId,
    /// The words, without secrets.
    pub text: Private<String>,
    /// When it was said, learned, written or is due: microseconds since 1970 UTC.
    pub at_micros: i64,
    /// The one who said it, its day and topics, its path in the graph, or its list.
    pub context: Private<String>,
}

/// A search hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHitView {
    /// The item that was found.
    pub item: ItemView,
    /// The score; higher is better.
    pub score: f64,
    /// Similarity in meaning, if both have vectors.
    pub similarity: Option<f32>,
    /// `true` if it shares words with the query.
    pub shares_words: bool,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageView {
    /// Its name.
    #[serde(with = "item_id")]
    pub id: ItemId,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// The way it came in: voice, typed, loopback, import; empty if unknown.
    pub channel: String,
    /// The one who said it.
    pub speaker: Participant,
    /// When: microseconds since 1970 UTC.
    pub at_micros: i64,
    /// The words.
    pub text: Private<String>,
}

/// A message with what was said around it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageDetails {
    /// The message that is shown.
    pub message: MessageView,
    /// Before it, the oldest first.
    pub before: Vec<MessageView>,
    /// After it.
    pub after: Vec<MessageView>,
}

/// An entry of the diary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryView {
    /// Its row.
    pub id: i64,
    /// The local day that it describes.
    pub day: Date,
    /// Its source: `conversation` or an import.
    pub source: String,
    /// The event.
    pub summary: String,
    /// The topics, most important first.
    pub topics: Vec<String>,
    /// When it was written: microseconds since 1970 UTC.
    pub written_at: i64,
}

/// An entry with the messages it was written from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryDetails {
    /// The entry that is shown.
    pub entry: EntryView,
    /// The messages, the oldest first.
    pub sources: Vec<MessageView>,
}

/// A fact of the knowledge graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactView {
    /// Its row.
    pub id: i64,
    /// Row of its node.
    pub node: i64,
    /// The words, without secrets.
    pub text: String,
    /// Current, replaced or retracted.
    pub status: FactStatus,
    /// Since when it holds: microseconds since 1970 UTC.
    pub valid_from: i64,
    /// Until when it held.
    pub valid_to: Option<i64>,
    /// Row of the fact that replaced it.
    pub replaced_by: Option<i64>,
}

/// The place where a fact comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceView {
    /// The user's words.
    pub quote: String,
    /// When they were said: microseconds since 1970 UTC; 0 if only the day is known.
    pub observed_at: i64,
    /// Their day.
    pub day: Option<Date>,
    /// The conversation they belong to.
    pub conversation: String,
    /// The one who said them.
    pub speaker: Option<Participant>,
    /// The way they came in.
    pub channel: String,
    /// Row of the message.
    pub message: Option<i64>,
    /// Row of the diary entry.
    pub entry: Option<i64>,
    /// The fact in the words of its extraction.
    pub wording: String,
}

/// A fact that another one replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PastFact {
    /// The fact that is shown.
    pub fact: FactView,
    /// The place where it comes from.
    pub evidence: Vec<EvidenceView>,
}

/// A fact with where it comes from and what it replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactDetails {
    /// The fact that is shown.
    pub fact: FactView,
    /// The path of its node.
    pub path: String,
    /// The place where it comes from.
    pub evidence: Vec<EvidenceView>,
    /// The facts that it replaced, the nearest first.
    pub history: Vec<PastFact>,
}

/// A node of the knowledge graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeView {
    /// Its row.
    pub id: i64,
    /// The name that a user sees.
    pub name: String,
    /// A description of the facts that belong in it.
    pub description: String,
    /// Row of the node above it.
    pub parent: Option<i64>,
    /// The number of times that it was used for a reply.
    pub access_count: i64,
    /// When it was last used: microseconds since 1970 UTC.
    pub last_accessed: i64,
    /// When it was made.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
    /// Estimated size of its facts in tokens.
    pub tokens: i64,
    /// `true` if nodes stand below it.
    pub has_children: bool,
}

/// A node with its facts and the nodes below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeDetails {
    /// The node that is shown.
    pub node: NodeView,
    /// The names of the nodes above it.
    pub path: String,
    /// The current facts in it.
    pub facts: Vec<FactView>,
    /// The nodes below it.
    pub children: Vec<NodeView>,
}

/// A conversation in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationView {
    /// Its name.
    pub id: ConversationId,
    /// The number of messages that it has.
    pub messages: i64,
    /// When it began: microseconds since 1970 UTC.
    pub first_at: i64,
    /// When its last message was said.
    pub last_at: i64,
}

/// A node in the tree, with its facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreeNode {
    /// The number of nodes above it, without the root.
    pub depth: usize,
    /// The node that is shown.
    pub node: NodeView,
    /// The current facts in it.
    pub facts: Vec<FactView>,
}

/// Everything in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryOverview {
    /// All conversations.
    pub conversations: Vec<ConversationView>,
    /// The number of entries that the diary has.
    pub entries: usize,
    /// The knowledge graph, parents before children.
    pub tree: Vec<TreeNode>,
    /// The newest entries of the diary.
    pub newest_entries: Vec<EntryView>,
}
