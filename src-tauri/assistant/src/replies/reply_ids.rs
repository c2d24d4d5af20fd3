//! The names of replies.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vocabulary::ReplyId;

/// Names replies, and what sounds like them, from 1 on. Clones share the count.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplyIds(Arc<AtomicU64>);

impl ReplyIds {
    /// A name that was not used before.
    pub fn next(&self) -> ReplyId {
        ReplyId(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
