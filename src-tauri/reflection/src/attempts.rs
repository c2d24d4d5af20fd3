//! How often the model was asked in vain: what it fails at must not hold up the rest.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

/// Asked in vain so often about the same, a model is not asked about it again.
const MOST_ATTEMPTS: u32 = 3;

/// So many messages given up in a row are no fault of theirs: the model fails at everything.
const MOST_GIVEN_UP: usize = 3;

/// How often the model was asked in vain, for as long as the process runs.
#[derive(Default)]
pub(crate) struct Attempts {
    diary: HashMap<Date, Trying>,
    /// Messages that the diary goes on without, and that wait for the next start: with others the model fared better.
    set_aside: HashSet<i64>,
    /// By the oldest of the messages that were searched for facts.
    facts: HashMap<i64, u32>,
}

/// What was tried in vain since something was last written of a day.
#[derive(Default)]
struct Trying {
    /// How often, with `oldest` as the first of the messages.
    attempts: u32,
    oldest: i64,
    /// Messages that were given up.
    given_up: Vec<i64>,
    /// All that waited when there was no sense in going on.
    stopped_at: Option<Vec<i64>>,
}

/// Messages of a day that are to be written of together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MessageBatch {
    pub(crate) messages: Vec<i64>,
    /// It is one message that the model failed at: its beginning must do.
    pub(crate) is_cut: bool,
}

impl Attempts {
    /// Those of a day's messages that it makes sense to write of.
    pub(crate) fn hopeful(&mut self, day: Date, pending: &[i64]) -> Vec<i64> {
        let mut hopeful = self.without_set_aside(pending);
        let trying = self.diary.entry(day).or_default();
        match &trying.stopped_at {
            Some(all) if *all == hopeful => return Vec::new(),
            // New words beside it: the model may do better.
            Some(_) => *trying = Trying::default(),
            None => hopeful.retain(|message| !trying.given_up.contains(message)),
        }
        hopeful
    }

    /// Which of a day's messages are written of next: fewer each time it was in vain. `None` when there is no sense in it.
    pub(crate) fn next_to_write(&mut self, day: Date, pending: &[i64]) -> Option<MessageBatch> {
        let mut messages = self.hopeful(day, pending);
        let oldest = *messages.first()?;
        let attempts = self.diary.get(&day).filter(|trying| trying.oldest == oldest);
        let attempts = attempts.map_or(0, |trying| trying.attempts);
        messages.truncate(fewer(messages.len(), attempts));
        let is_cut = attempts > 0 && messages.len() == 1;
        Some(MessageBatch { messages, is_cut })
    }

    /// The model was asked about `tried` in vain, `pending` being all that waits of the day. Says whether one message was
    /// given up.
    pub(crate) fn wrote_in_vain(&mut self, day: Date, tried: &[i64], pending: &[i64]) -> bool {
        let Some(&oldest) = tried.first() else { return false };
        let pending = self.without_set_aside(pending);
        let trying = self.diary.entry(day).or_default();
        trying.attempts = if trying.oldest == oldest { trying.attempts + 1 } else { 1 };
        trying.oldest = oldest;
        if tried.len() > 1 || trying.attempts < MOST_ATTEMPTS {
            return false;
        }
        trying.given_up.push(oldest);
        let is_all = pending.iter().all(|message| trying.given_up.contains(message));
        if is_all || trying.given_up.len() >= MOST_GIVEN_UP {
            trying.stopped_at = Some(pending);
        }
        true
    }

    /// Something was written of the day: what was given up before was at fault, and not the model.
    pub(crate) fn wrote(&mut self, day: Date) {
        self.set_aside.extend(self.diary.remove(&day).map_or(Vec::new(), |trying| trying.given_up));
    }

    fn without_set_aside(&self, pending: &[i64]) -> Vec<i64> {
        pending.iter().copied().filter(|message| !self.set_aside.contains(message)).collect()
    }

    /// How many of so many messages are searched next, `first` the oldest: fewer each time it was in vain. `None` when it
    /// was in vain too often, in the end with this one alone.
    pub(crate) fn portion(&self, first: i64, messages: usize) -> Option<usize> {
        let attempts = self.facts.get(&first).copied().unwrap_or_default();
        let was_alone = || fewer(messages, attempts - 1) == 1;
        (attempts < MOST_ATTEMPTS || !was_alone()).then(|| fewer(messages, attempts))
    }

    pub(crate) fn searched_in_vain(&mut self, first: i64) {
        *self.facts.entry(first).or_default() += 1;
    }

    pub(crate) fn searched(&mut self, first: i64) {
        self.facts.remove(&first);
    }
}

/// A quarter of them each time, and at least one.
fn fewer(messages: usize, attempts: u32) -> usize {
    messages.checked_shr(2 * attempts).unwrap_or_default().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = Date::constant(2025, 11, 22);

    fn portion(messages: impl IntoIterator<Item = i64>, is_cut: bool) -> Option<MessageBatch> {
        Some(MessageBatch { messages: messages.into_iter().collect(), is_cut })
    }

    /// What is tried next, and then is in vain.
    fn fail(attempts: &mut Attempts, pending: &[i64]) -> Option<MessageBatch> {
        let next = attempts.next_to_write(DAY, pending);
        if let Some(tried) = &next {
            attempts.wrote_in_vain(DAY, &tried.messages, pending);
        }
        next
    }

    #[test]
    fn fewer_are_tried_each_time_and_then_the_day_goes_on_without_the_oldest() {
        let mut attempts = Attempts::default();
        let pending: Vec<i64> = (1..=20).collect();

        assert_eq!(fail(&mut attempts, &pending), portion(1..=20, false));
        assert_eq!(fail(&mut attempts, &pending), portion(1..=5, false));
        assert_eq!(fail(&mut attempts, &pending), portion([1], true));
        assert_eq!(attempts.next_to_write(DAY, &pending), portion(2..=20, false));
    }

    #[test]
    fn a_model_that_fails_at_everything_is_asked_again_once_something_new_was_said() {
        let mut attempts = Attempts::default();
        let pending = [1, 2, 3, 4, 5];
        while fail(&mut attempts, &pending).is_some() {}

        assert!(attempts.hopeful(DAY, &pending).is_empty());
        assert_eq!(attempts.next_to_write(DAY, &[1, 2, 3, 4, 5, 6]), portion(1..=6, false));
    }

    #[test]
    fn what_others_fared_better_than_is_set_aside() {
        let mut attempts = Attempts::default();
        while fail(&mut attempts, &[1]).is_some() {}
        while attempts.hopeful(DAY, &[1, 2]) != [2] {
            fail(&mut attempts, &[1, 2]);
        }
        attempts.wrote(DAY);

        assert_eq!(attempts.next_to_write(DAY, &[1]), None);
        assert_eq!(attempts.next_to_write(DAY, &[1, 3]), portion([3], false));
    }
}
