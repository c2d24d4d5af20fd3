//! The conversations between requests.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::conversation::Conversation;
use crate::ids::NodeConversationId;

/// A conversation is forgotten this long after it was last used.
///
/// Source: the Command Center protocol, which counts from its start.
const TIME_TO_LIVE: Duration = Duration::from_secs(600);

/// Most conversations of one client. A node begins one for each utterance, so that ten minutes have fewer.
const MAX_CONVERSATIONS: usize = 256;

/// The client and the id of a conversation: two clients may choose the same id.
type Key = (String, NodeConversationId);

/// The conversations of all clients.
#[derive(Default)]
pub(super) struct Store {
    slots: Mutex<HashMap<Key, Slot>>,
    begun: AtomicU64,
}

struct Slot {
    /// Unlike that of every other conversation, also of one with the same id before it.
    generation: u64,
    last_used: Instant,
    /// `None` while a request has it.
    conversation: Option<Conversation>,
}

/// The reason why a conversation cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoLease {
    /// It was never started by this client, or is forgotten.
    Unknown,
    /// Another request has it.
    Busy,
}

impl Store {
    /// Begins a conversation; one with the same id is replaced.
    pub(super) fn insert(
        &self,
        client: &str,
        id: &NodeConversationId,
        conversation: Conversation,
        now: Instant,
    ) -> Result<(), NoLease> {
        let mut slots = self.slots.lock();
        forget_old(&mut slots, now);
        let key = (client.to_owned(), id.clone());
        if slots.get(&key).is_some_and(|slot| slot.conversation.is_none()) {
            return Err(NoLease::Busy);
        }
        let generation = self.begun.fetch_add(1, Ordering::Relaxed);
        slots.insert(key.clone(), Slot { generation, last_used: now, conversation: Some(conversation) });
        let own = || {
            let others = slots.iter().filter(|(known, _)| known.0 == client && **known != key);
            others.filter(|(_, slot)| slot.conversation.is_some())
        };
        if own().count() >= MAX_CONVERSATIONS
            && let Some(oldest) = own().min_by_key(|(_, slot)| slot.last_used).map(|(known, _)| known.clone())
        {
            slots.remove(&oldest);
        }
        Ok(())
    }

    /// Lends a conversation to a request.
    pub(super) fn lease(
        &self,
        client: &str,
        id: &NodeConversationId,
        now: Instant,
    ) -> Result<Lease<'_>, NoLease> {
        let mut slots = self.slots.lock();
        forget_old(&mut slots, now);
        let key = (client.to_owned(), id.clone());
        let slot = slots.get_mut(&key).ok_or(NoLease::Unknown)?;
        let conversation = slot.conversation.take().ok_or(NoLease::Busy)?;
        slot.last_used = now;
        Ok(Lease { store: self, key, generation: slot.generation, conversation: Some(conversation) })
    }

    /// Forgets a conversation. A request that has it still ends, and does not bring it back.
    pub(super) fn remove(&self, client: &str, id: &NodeConversationId) {
        let mut slots = self.slots.lock();
        slots.remove(&(client.to_owned(), id.clone()));
        give_back_space(&mut slots);
    }

    /// Forgets conversations that were not used for ten minutes.
    pub(super) fn forget_expired(&self, now: Instant) {
        let mut slots = self.slots.lock();
        forget_old(&mut slots, now);
        give_back_space(&mut slots);
    }
}

#[cfg(test)]
impl Store {
    pub(super) fn len(&self) -> usize {
        self.slots.lock().len()
    }

    pub(super) fn capacity(&self) -> usize {
        self.slots.lock().capacity()
    }
}

/// A map keeps the space of its largest size otherwise.
fn give_back_space(slots: &mut HashMap<Key, Slot>) {
    if slots.len() * 4 <= slots.capacity() {
        slots.shrink_to_fit();
    }
}

fn forget_old(slots: &mut HashMap<Key, Slot>, now: Instant) {
    slots.retain(|_, slot| {
        slot.conversation.is_none() || now.saturating_duration_since(slot.last_used) < TIME_TO_LIVE
    });
}

/// A conversation in the hands of one request. It goes back when the request ends, also when it is abandoned.
pub(super) struct Lease<'s> {
    store: &'s Store,
    key: Key,
    generation: u64,
    /// `None` only while it goes back.
    conversation: Option<Conversation>,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // Ended and begun again meanwhile, the id belongs to another conversation.
        if let Some(slot) = self.store.slots.lock().get_mut(&self.key)
            && slot.generation == self.generation
        {
            slot.conversation = self.conversation.take();
        }
    }
}

impl Deref for Lease<'_> {
    type Target = Conversation;

    fn deref(&self) -> &Conversation {
        self.conversation.as_ref().expect("a lease has its conversation until it is dropped")
    }
}

impl DerefMut for Lease<'_> {
    fn deref_mut(&mut self) -> &mut Conversation {
        self.conversation.as_mut().expect("a lease has its conversation until it is dropped")
    }
}
