//! Turns records of the memory into what doors show.

use memory::{
    Backup, Conversation, CopyOutcome, EncryptionReport, Entry, Evidence, Fact, ForgetOutcome, ImportCounts,
    MemoryItem, Message, Node, SearchHit,
};

use crate::data_access::requests::{
    BackupView, ConversationView, CopyOutcomeView, CopyView, EntryView, EvidenceView, FactView,
    ForgottenView, ImportedView, ItemView, MessageView, MigratedView, NodeView, SearchHitView,
};
use crate::memory_upkeep::memory_files::key_name;

/// Views of all of them.
pub(super) fn all<T, V: From<T>>(records: impl IntoIterator<Item = T>) -> Vec<V> {
    records.into_iter().map(V::from).collect()
}

impl From<MemoryItem> for ItemView {
    fn from(item: MemoryItem) -> Self {
        Self { id: item.id, text: item.text, at_micros: item.at_micros, context: item.context }
    }
}

impl From<SearchHit> for SearchHitView {
    fn from(hit: SearchHit) -> Self {
        Self {
            item: hit.item.into(),
            score: hit.score,
            similarity: hit.similarity,
            shares_words: hit.shares_words,
        }
    }
}

impl From<Message> for MessageView {
    fn from(message: Message) -> Self {
        Self {
            id: message.id,
            conversation: message.conversation,
            channel: message.channel,
            speaker: message.content.participant,
            at_micros: message.content.at_micros,
            text: message.content.text,
        }
    }
}

impl From<Entry> for EntryView {
    fn from(entry: Entry) -> Self {
        Self {
            id: entry.id.0,
            day: entry.day,
            source: entry.source,
            summary: entry.summary,
            topics: entry.topics,
            written_at: entry.written_at,
        }
    }
}

impl From<Fact> for FactView {
    fn from(fact: Fact) -> Self {
        Self {
            id: fact.id.0,
            node: fact.node.0,
            text: fact.text,
            status: fact.status,
            valid_from: fact.valid_from,
            valid_to: fact.valid_to,
            replaced_by: fact.replaced_by.map(|by| by.0),
        }
    }
}

impl From<Evidence> for EvidenceView {
    fn from(evidence: Evidence) -> Self {
        Self {
            quote: evidence.quote,
            observed_at: evidence.observed_at,
            day: evidence.day,
            conversation: evidence.conversation,
            speaker: evidence.participant,
            channel: evidence.channel,
            message: evidence.message,
            entry: evidence.entry,
            wording: evidence.wording,
        }
    }
}

impl From<Node> for NodeView {
    fn from(node: Node) -> Self {
        Self {
            id: node.id.0,
            name: node.name,
            description: node.description,
            parent: node.parent.map(|parent| parent.0),
            access_count: node.access_count,
            last_accessed: node.last_accessed,
            created_at: node.created_at,
            updated_at: node.updated_at,
            tokens: node.tokens,
            has_children: node.has_children,
        }
    }
}

impl From<Conversation> for ConversationView {
    fn from(conversation: Conversation) -> Self {
        Self {
            id: conversation.id,
            messages: conversation.messages,
            first_at: conversation.first_at,
            last_at: conversation.last_at,
        }
    }
}

impl From<ForgetOutcome> for ForgottenView {
    fn from(forgotten: ForgetOutcome) -> Self {
        let copy = |copy: memory::CopyReport| CopyView { path: copy.path, outcome: copy.outcome.into() };
        Self {
            calls: forgotten.calls(),
            items: all(forgotten.items),
            reworded: all(forgotten.replacements),
            copies: forgotten.copies.into_iter().map(copy).collect(),
            are_copies_done: forgotten.are_copies_done,
            can_be_undone: forgotten.undo.is_some(),
        }
    }
}

impl From<CopyOutcome> for CopyOutcomeView {
    fn from(outcome: CopyOutcome) -> Self {
        match outcome {
            CopyOutcome::Forgot(records) => Self::Forgot(records),
            CopyOutcome::Deleted => Self::Deleted,
            CopyOutcome::OutOfReach { lacks_key: true } => Self::LacksKey,
            CopyOutcome::OutOfReach { lacks_key: false } => Self::Unwritable,
        }
    }
}

impl From<ImportCounts> for ImportedView {
    fn from(imported: ImportCounts) -> Self {
        Self {
            messages: imported.messages,
            entries: imported.entries,
            nodes: imported.nodes,
            facts: imported.facts,
            others: imported.others,
        }
    }
}

impl From<Backup> for BackupView {
    fn from(backup: Backup) -> Self {
        Self { path: backup.path, made_at: backup.made_at, bytes: backup.bytes }
    }
}

impl From<EncryptionReport> for MigratedView {
    fn from(migrated: EncryptionReport) -> Self {
        Self {
            is_changed: migrated.is_changed,
            copies: migrated.copies,
            removed: migrated.removed,
            left: migrated.left,
            kept_keys: migrated.remaining_keys.into_iter().map(key_name).collect(),
        }
    }
}
