//! Things that rest between two requests of a program, until one of them needs them.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Resting things are given up after this time. Source: the life of a conversation in the protocol of Command Centers.
const PATIENCE: Duration = Duration::from_secs(600);

/// Most that rests for one program; the oldest goes first. Each is a reply under way.
const MAX_OF_PROGRAM: usize = 32;

/// Things that rest, by the program and an id of its own.
pub(crate) struct PendingItems<Id, T>(Mutex<HashMap<(String, Id), (Instant, T)>>);

impl<Id, T> Default for PendingItems<Id, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Id: Clone + Eq + Hash, T> PendingItems<Id, T> {
    /// Lets something rest. What rested under the same id is given up.
    pub fn put(&self, program: &str, id: &Id, thing: T) {
        let mut resting = self.0.lock();
        let of_program = || resting.iter().filter(|((known, _), _)| known == program);
        if of_program().count() >= MAX_OF_PROGRAM {
            let oldest = of_program().min_by_key(|(_, (since, _))| *since).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| resting.remove(&oldest));
        }
        resting.insert((program.to_owned(), id.clone()), (Instant::now(), thing));
    }

    /// Gives up what rests too long.
    pub fn forget_old(&self, now: Instant) {
        let mut resting = self.0.lock();
        resting.retain(|_, (since, _)| now.saturating_duration_since(*since) < PATIENCE);
        // A map keeps the space of its largest size otherwise.
        if resting.len() * 4 <= resting.capacity() {
            resting.shrink_to_fit();
        }
    }

    /// Takes what rests under an id of this program.
    pub fn take(&self, program: &str, id: &Id) -> Option<T> {
        let key = (program.to_owned(), id.clone());
        self.0.lock().remove(&key).map(|(_, thing)| thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_rest_for_their_program_and_the_oldest_goes_first() {
        let resting = PendingItems::default();
        for number in 0..=MAX_OF_PROGRAM {
            resting.put("bot", &number, number);
        }
        resting.put("node", &7, 700);

        assert_eq!(resting.take("bot", &0), None);
        assert_eq!((resting.take("bot", &7), resting.take("bot", &7)), (Some(7), None));
        assert_eq!(resting.take("node", &7), Some(700));
    }

    #[test]
    fn nothing_rests_longer_than_the_patience_lasts() {
        let resting = PendingItems::default();
        let begin = Instant::now();
        resting.put("bot", &1, ());

        resting.forget_old(begin + PATIENCE / 2);
        let before = resting.0.lock().len();
        resting.forget_old(Instant::now() + PATIENCE);
        let after = resting.0.lock();

        assert_eq!((before, after.len(), after.capacity()), (1, 0, 0));
    }
}
