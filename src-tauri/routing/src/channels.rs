//! The channels that replies can go to.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use vocabulary::{Origin, Query, ReplyId};

use crate::channel::Channel;
use crate::delivery::Delivery;

/// Names a channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ChannelId {
    /// The person at this machine: screen and loudspeaker.
    Person,
    /// The satellite in another room that asked for this reply.
    Satellite(ReplyId),
    /// The program that asked for this reply.
    Caller(ReplyId),
}

impl ChannelId {
    /// The channel that the answer to `query` goes back to.
    pub fn from_query(query: &Query) -> Self {
        match query.origin {
            Origin::Voice | Origin::Typed => Self::Person,
            Origin::Satellite => Self::Satellite(query.reply),
            Origin::Program => Self::Caller(query.reply),
        }
    }
}

/// The channel of a query is not registered, or not any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no channel {0:?} to answer through")]
pub struct NoSuchChannel(pub ChannelId);

type ById = Arc<RwLock<HashMap<ChannelId, Arc<dyn Channel>>>>;

/// The channels that replies can go to. Clones share them; channels may be registered at any time.
#[derive(Clone, Default)]
pub struct Channels {
    by_id: ById,
}

impl Channels {
    /// Registers a channel until the [`Registration`] is dropped. A channel of the same name is replaced.
    pub fn register(&self, id: ChannelId, channel: Arc<dyn Channel>) -> Registration {
        self.by_id.write().insert(id.clone(), channel);
        Registration { id, by_id: Arc::clone(&self.by_id) }
    }

    /// Opens a delivery of the reply to `query` to the channel its origin names.
    ///
    /// # Errors
    ///
    /// [`NoSuchChannel`] when it was not registered.
    pub fn open(&self, query: &Query) -> Result<Delivery, NoSuchChannel> {
        let id = ChannelId::from_query(query);
        let channel = self.by_id.read().get(&id).cloned();
        let channel = channel.ok_or(NoSuchChannel(id))?;
        Ok(Delivery::new(channel, query.reply, query.origin.is_spoken()))
    }
}

/// Keeps a channel registered as long as it lives.
#[must_use = "the channel is gone when this is dropped"]
pub struct Registration {
    id: ChannelId,
    by_id: ById,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.by_id.write().remove(&self.id);
    }
}
