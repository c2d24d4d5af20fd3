//! A cache per conversation for results of the steps before a reply, so that no model is asked twice.
//!
//! Source: docs/behaviour/replying.md#conversation.

use std::num::NonZeroUsize;

use lru::LruCache;
use serde_json::Value;

/// Capacity; when it is full, the least recently used entry goes. Source: docs/behaviour/replying.md#conversation.
const MOST: NonZeroUsize = NonZeroUsize::new(128).expect("128 is not 0");

/// The cache of one conversation.
pub struct ConversationCache {
    entries: LruCache<String, Value>,
}

impl Default for ConversationCache {
    fn default() -> Self {
        Self { entries: LruCache::new(MOST) }
    }
}

impl ConversationCache {
    /// Stores `value` under `key`.
    pub fn put(&mut self, key: impl Into<String>, value: Value) {
        self.entries.put(key.into(), value);
    }

    /// The value under `key`. Counts as a use.
    pub fn get(&mut self, key: &str) -> Option<&Value> {
        self.entries.get(key)
    }

    /// Removes the value under `key`, because its source has changed.
    pub fn remove(&mut self, key: &str) {
        self.entries.pop(key);
    }

    /// Drops all of it: another conversation begins, or the user said stop.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_not_needed_for_longest_goes_first() {
        let mut cache = ConversationCache::default();
        for at in 0..MOST.get() {
            cache.put(at.to_string(), json!(at));
        }
        assert_eq!(cache.get("0"), Some(&json!(0)));

        cache.put("another", json!(null));

        assert_eq!(cache.get("0"), Some(&json!(0)));
        assert_eq!(cache.get("1"), None);
        cache.remove("0");
        assert_eq!(cache.get("0"), None);
        cache.clear();
        assert_eq!(cache.get("another"), None);
    }
}
