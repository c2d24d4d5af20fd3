//! Items that wait between two requests of a program, until one of them needs them.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// A pending item is dropped after this time. Source: the life of a conversation in the protocol of Command Centers.
const PATIENCE: Duration = Duration::from_secs(600);

/// Most pending items of one program; the oldest is dropped first. Each is a reply under way.
const MAX_OF_PROGRAM: usize = 32;

/// The pending items, by the program and an id of its own.
pub(crate) struct PendingItems<Id, T>(Mutex<HashMap<(String, Id), (Instant, T)>>);

impl<Id, T> Default for PendingItems<Id, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Id: Clone + Eq + Hash, T> PendingItems<Id, T> {
    /// Keeps an item. A former one with the same id is dropped.
    pub fn put(&self, program: &str, id: &Id, item: T) {
        let mut items = self.0.lock();
        let of_program = || items.iter().filter(|((known, _), _)| known == program);
        if of_program().count() >= MAX_OF_PROGRAM {
            let oldest = of_program().min_by_key(|(_, (since, _))| *since).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| items.remove(&oldest));
        }
        items.insert((program.to_owned(), id.clone()), (Instant::now(), item));
    }

    /// Drops the items that have waited too long.
    pub fn forget_old(&self, now: Instant) {
        let mut items = self.0.lock();
        items.retain(|_, (since, _)| now.saturating_duration_since(*since) < PATIENCE);
        // A map keeps the space of its largest size otherwise.
        if items.len() * 4 <= items.capacity() {
            items.shrink_to_fit();
        }
    }

    /// Takes the item of this program with this id.
    pub fn take(&self, program: &str, id: &Id) -> Option<T> {
        let key = (program.to_owned(), id.clone());
        self.0.lock().remove(&key).map(|(_, item)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_kept_by_program_and_the_oldest_is_dropped_first() {
        let items = PendingItems::default();
        for number in 0..=MAX_OF_PROGRAM {
            items.put("bot", &number, number);
        }
        items.put("node", &7, 700);

        assert_eq!(items.take("bot", &0), None);
        assert_eq!((items.take("bot", &7), items.take("bot", &7)), (Some(7), None));
        assert_eq!(items.take("node", &7), Some(700));
    }

    #[test]
    fn item_is_dropped_when_the_patience_is_over() {
        let items = PendingItems::default();
        let begin = Instant::now();
        items.put("bot", &1, ());

        items.forget_old(begin + PATIENCE / 2);
        let before = items.0.lock().len();
        items.forget_old(Instant::now() + PATIENCE);
        let after = items.0.lock();

        assert_eq!((before, after.len(), after.capacity()), (1, 0, 0));
    }
}
