//! Requests about the memory, and the records as doors show them.

use std::path::PathBuf;

use jiff::civil::{Date, DateTime};
use memory::{FactStatus, ItemId, Kind, Participant};
use serde::{Deserialize, Serialize};
use vocabulary::{ConversationId, Private};

/// What a caller asks about the memory. Paths are absolute: the owner may run in another folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum MemoryRequest {
    /// Find what was said, written and learned.
    Search {
        /// What to look for; empty lists the newest.
        words: Private<String>,
        /// Only these kinds; empty means all.
        kinds: Vec<Kind>,
        /// Only these days.
        days: DayRange,
        /// How many hits at most.
        limit: usize,
    },
    /// Everything in short.
    Overview,
    /// One record with all that is known about it.
    Show {
        /// The record.
        #[serde(with = "item_id")]
        id: ItemId,
    },
    /// Replace the text of a fact; the old one becomes its history.
    CorrectFact {
        /// Row of the fact.
        fact: i64,
        /// The new text.
        text: Private<String>,
    },
    /// Rewrite a day of the diary.
    RewriteEntry {
        /// Row of the entry.
        entry: i64,
        /// The new summary, if it changes.
        summary: Option<Private<String>>,
        /// The new topics with commas between them, if they change.
        topics: Option<Private<String>>,
    },
    /// Change a node of the knowledge graph.
    EditNode {
        /// Row of the node.
        node: i64,
        /// The new name, if it changes.
        name: Option<Private<String>>,
        /// The new description, if it changes.
        description: Option<Private<String>>,
        /// The node to move it below, if it moves.
        parent: Option<i64>,
    },
    /// Keep a fact that the user states now.
    AddFact {
        /// Row of the node it belongs in.
        node: i64,
        /// The fact, in one sentence.
        text: Private<String>,
    },
    /// Mark a fact as no longer true.
    RetractFact {
        /// Row of the fact.
        fact: i64,
    },
    /// What a [`MemoryRequest::Forget`] of the same scope would forget. Changes nothing.
    PreviewForget {
        /// What to forget.
        scope: ForgetScope,
    },
    /// Forget records and everything derived from them, in the backups too.
    Forget {
        /// What to forget.
        scope: ForgetScope,
        /// It cannot be undone.
        is_for_good: bool,
    },
    /// Undo the last forgetting or edit of the last ten minutes.
    Undo,
    /// Write everything to readable files.
    Export {
        /// A new folder or file.
        path: PathBuf,
        /// One compressed file instead of a folder.
        as_archive: bool,
    },
    /// Take in an export or a database of the reference program.
    Import {
        /// The folder or file.
        path: PathBuf,
    },
    /// Make a backup.
    BackUp,
    /// The backups there are, the newest first.
    ListBackups,
    /// Replace the memory by a backup. Refused while a Jarvis uses it.
    Restore {
        /// The backup.
        path: PathBuf,
    },
    /// Encrypt the memory and its copies. Refused while a Jarvis uses it.
    Encrypt,
    /// Decrypt the memory and its copies. Refused while a Jarvis uses it.
    Decrypt,
    /// Examine the memory, repair it, drop expired undo data, and make a backup.
    Maintain {
        /// Only examine.
        is_check_only: bool,
    },
    /// Examine the memory; the findings of `jarvis doctor memory`.
    Examine {
        /// Repair what is not in order.
        repairs: bool,
    },
    /// Count the messages, to tell that the memory is sound; the finding of `jarvis doctor`.
    Check,
    /// Have the language model go through the memory.
    RunPass {
        /// Which pass.
        kind: PassKind,
        /// Change nothing.
        is_preview: bool,
    },
}

/// Days in the user's time zone, both included; without a bound there is none on that side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayRange {
    /// The first day.
    pub from: Option<DayBound>,
    /// The last day.
    pub to: Option<DayBound>,
}

/// A day, named by its date or counted from today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayBound {
    /// This date.
    On(Date),
    /// This many days before today.
    DaysAgo(i32),
}

/// What to forget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForgetScope {
    /// These records.
    Items(#[serde(with = "item_ids")] Vec<ItemId>),
    /// Everything that contains these words as a phrase, or all of them where nothing contains the phrase.
    Words(Private<String>),
    /// The user's last message and the answer.
    LastThing,
    /// Everything of these days.
    Days(DayRange),
    /// Everything said in this conversation.
    Conversation(String),
}

/// A batch pass of the language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassKind {
    /// Removes what the diary says about failures of the assistant.
    Deflections,
    /// Joins topics that differ in spelling only.
    Topics,
    /// Merges facts that say the same.
    Facts,
    /// Extracts facts from imported diary entries.
    Imported,
}

/// What is answered about the memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", content = "of", rename_all = "snake_case")]
pub enum MemoryAnswer {
    /// One search hit; the best first.
    Hit(SearchHitView),
    /// Everything in short.
    Overview(MemoryOverview),
    /// A record that stands on a list.
    Item(ItemView),
    /// A message with its surroundings.
    Message(MessageDetails),
    /// A diary entry with its sources.
    Entry(EntryDetails),
    /// A fact with its evidence and history.
    Fact(FactDetails),
    /// A node with its facts and children.
    Node(NodeDetails),
    /// A fact was kept under this row.
    FactAdded {
        /// Its row.
        fact: i64,
        /// `false` when a fact with this text was there before.
        is_new: bool,
    },
    /// What would be forgotten.
    ForgetPreview(ForgetPreview),
    /// What was forgotten.
    Forgotten(ForgottenView),
    /// The records that are as before.
    Undone(Vec<ItemView>),
    /// What an import added.
    Imported(ImportedView),
    /// A backup was made at this path.
    BackedUp(PathBuf),
    /// The backups there are.
    Backups {
        /// The folder they are in.
        folder: PathBuf,
        /// The newest first.
        backups: Vec<BackupView>,
    },
    /// A backup took the place of the memory, which is kept at this path, if there was one.
    Restored(Option<PathBuf>),
    /// The memory and its copies were encrypted or decrypted.
    Migrated(MigratedView),
    /// What was not in order was repaired.
    Repaired,
    /// A step of a batch pass.
    Pass(PassAnswer),
}

/// A step of a batch pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum PassAnswer {
    /// The pass begins.
    Started {
        /// How many things it goes through.
        total: usize,
    },
    /// A day of the diary is done.
    Day {
        /// The day.
        day: Date,
        /// Its new text, or why it stays.
        outcome: DayOutcome,
        /// How many are done.
        done: usize,
    },
    /// A node is done.
    Node {
        /// Its name.
        name: Private<String>,
        /// How many facts it had.
        facts_before: usize,
        /// What became of them.
        outcome: NodeOutcome,
        /// How many nodes are done.
        done: usize,
    },
    /// An imported entry is done.
    Learned {
        /// Its day.
        day: Date,
        /// How many facts are new.
        facts: usize,
        /// Why it was not searched completely.
        error: Option<String>,
        /// How many are done.
        done: usize,
    },
    /// Changes were stored; they can be undone for ten minutes.
    Stored {
        /// How many days or nodes changed.
        changed: usize,
    },
    /// The pass went through everything.
    Finished {
        /// How many days changed, or would change.
        changed: usize,
    },
    /// The pass was stopped; what it stored stays.
    Stopped {
        /// How many days had changed, or would have.
        changed: usize,
    },
}

/// What a pass made of a day of the diary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DayOutcome {
    /// It stays.
    Unchanged,
    /// Nothing would be left of it, so it stays.
    WouldBeEmpty,
    /// The model changed too much, so it stays.
    Refused,
    /// The model failed, so it stays.
    Failed(String),
    /// Its new text or topics.
    Changed(Private<String>),
}

/// What a pass made of the facts of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeOutcome {
    /// They stay.
    Unchanged,
    /// They become this many.
    Merged(usize),
    /// They stay, for this reason.
    Kept(String),
}

/// One record, whatever its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemView {
    /// Its name.
    #[serde(with = "item_id")]
    pub id: ItemId,
    /// What it says.
    pub text: Private<String>,
    /// When it was said, learned, written or is due: microseconds since 1970 UTC.
    pub at_micros: i64,
    /// Who said it, its day and topics, its path in the graph, or its list.
    pub context: Private<String>,
}

/// A search hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHitView {
    /// What was found.
    pub item: ItemView,
    /// How well it fits; higher is better.
    pub score: f64,
    /// Similarity in meaning, where both have vectors.
    pub likeness: Option<f32>,
    /// Whether it shares words with the query.
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
    /// How it came in: voice, typed, loopback, import; empty where unknown.
    pub channel: String,
    /// Who said it.
    pub speaker: Participant,
    /// When: microseconds since 1970 UTC.
    pub at_micros: i64,
    /// What was said.
    pub text: Private<String>,
}

/// A message with what was said around it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageDetails {
    /// The message.
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
    /// Its day.
    pub day: Date,
    /// What it was written from: `conversation` or an import.
    pub source: String,
    /// What happened.
    pub summary: String,
    /// What it was about.
    pub topics: Vec<String>,
    /// When it was written: microseconds since 1970 UTC.
    pub written_at: i64,
}

/// An entry with the messages it was written from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryDetails {
    /// The entry.
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
    /// What it says.
    pub text: String,
    /// Whether it holds.
    pub status: FactStatus,
    /// Since when it holds: microseconds since 1970 UTC.
    pub valid_from: i64,
    /// Until when it held.
    pub valid_to: Option<i64>,
    /// Row of the fact that replaced it.
    pub replaced_by: Option<i64>,
}

/// Where a fact comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceView {
    /// The user's words.
    pub quote: String,
    /// When they were said: microseconds since 1970 UTC; 0 where only the day is known.
    pub observed_at: i64,
    /// Their day.
    pub day: Option<Date>,
    /// The conversation they belong to.
    pub conversation: String,
    /// Who said them.
    pub speaker: Option<Participant>,
    /// How they came in.
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
    /// The fact.
    pub fact: FactView,
    /// Where it comes from.
    pub evidence: Vec<EvidenceView>,
}

/// A fact with where it comes from and what it replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactDetails {
    /// The fact.
    pub fact: FactView,
    /// The path of its node.
    pub path: String,
    /// Where it comes from.
    pub evidence: Vec<EvidenceView>,
    /// What it replaced, the nearest first.
    pub history: Vec<PastFact>,
}

/// A node of the knowledge graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeView {
    /// Its row.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// What belongs in it.
    pub description: String,
    /// Row of the node above it.
    pub parent: Option<i64>,
    /// How often it was used for a reply.
    pub access_count: i64,
    /// When it was last used: microseconds since 1970 UTC.
    pub last_accessed: i64,
    /// When it was made.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
    /// Estimated size of its facts in tokens.
    pub tokens: i64,
    /// Whether nodes stand below it.
    pub has_children: bool,
}

/// A node with its facts and the nodes below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeDetails {
    /// The node.
    pub node: NodeView,
    /// Its path.
    pub path: String,
    /// Its facts.
    pub facts: Vec<FactView>,
    /// The nodes below it.
    pub children: Vec<NodeView>,
}

/// A conversation in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationView {
    /// Its name.
    pub id: ConversationId,
    /// How many messages it has.
    pub messages: i64,
    /// When it began: microseconds since 1970 UTC.
    pub first_at: i64,
    /// When its last message was said.
    pub last_at: i64,
}

/// A node in the tree, with its facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreeNode {
    /// How many nodes stand above it, the root left out.
    pub depth: usize,
    /// The node.
    pub node: NodeView,
    /// Its facts.
    pub facts: Vec<FactView>,
}

/// Everything in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryOverview {
    /// All conversations.
    pub conversations: Vec<ConversationView>,
    /// How many entries the diary has.
    pub entries: usize,
    /// The knowledge graph, parents before children.
    pub tree: Vec<TreeNode>,
    /// The newest entries of the diary.
    pub newest_entries: Vec<EntryView>,
}

/// What would be forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForgetPreview {
    /// The records.
    pub items: Vec<ItemView>,
    /// Quarantined files that cannot be searched and would be deleted.
    pub unreadable_copies: Vec<PathBuf>,
    /// Whether there are backups or quarantined files.
    pub has_copies: bool,
}

/// What was forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForgottenView {
    /// The records.
    pub items: Vec<ItemView>,
    /// Records that were reworded, since they are known from other words too.
    pub reworded: Vec<ItemView>,
    /// What became of backups and quarantined files.
    pub copies: Vec<CopyView>,
    /// `false` when the copies wait for maintenance.
    pub are_copies_done: bool,
    /// Whether it can be undone.
    pub can_be_undone: bool,
}

/// What forgetting did to a backup or a quarantined file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CopyView {
    /// The file.
    pub path: PathBuf,
    /// What happened.
    pub outcome: CopyOutcomeView,
}

/// What forgetting did to a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyOutcomeView {
    /// This many records were removed from it.
    Forgot(usize),
    /// It could not be searched, so it was deleted.
    Deleted,
    /// It is encrypted and its key is not available.
    LacksKey,
    /// It is in use or cannot be written.
    Unwritable,
}

/// How many records of each kind an import added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedView {
    /// Messages.
    pub messages: usize,
    /// Diary entries.
    pub entries: usize,
    /// Nodes.
    pub nodes: usize,
    /// Facts.
    pub facts: usize,
    /// Meals, appointments and to-dos.
    pub others: usize,
}

/// A backup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BackupView {
    /// The file.
    pub path: PathBuf,
    /// When it was made, UTC.
    pub made_at: DateTime,
    /// Its size.
    pub bytes: u64,
}

/// What encrypting or decrypting did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MigratedView {
    /// `false` when the memory was as wanted before.
    pub is_changed: bool,
    /// How many copies were changed.
    pub copies: usize,
    /// Damaged backups that were deleted.
    pub removed: Vec<PathBuf>,
    /// Copies that stay as they were.
    pub left: Vec<PathBuf>,
    /// Names of the keys that the keychain keeps.
    pub kept_keys: Vec<String>,
}

/// An id as people write it: `fact-7`.
mod item_id {
    use memory::ItemId;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(id: &ItemId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(id)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<ItemId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

mod item_ids {
    use memory::ItemId;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(ids: &[ItemId], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(ids.iter().map(ItemId::to_string))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Vec<ItemId>, D::Error> {
        let ids = Vec::<String>::deserialize(deserializer)?;
        ids.iter().map(|id| id.parse().map_err(de::Error::custom)).collect()
    }
}
