//! Counts how often the model failed at the same messages, so that they do not block the others.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

/// The number of times that the model is asked about the same messages.
const MAX_ATTEMPTS: u32 = 3;

/// After this many skipped messages in a row, the model fails at everything and the messages are not the cause.
const MAX_SKIPPED: usize = 3;

/// The failures of the model since the process started.
#[derive(Default)]
pub(crate) struct RetryTracker {
    diary: HashMap<Date, DayRetries>,
    /// Messages without which the model wrote the rest of the day. They wait for the next start of the program.
    deferred: HashSet<i64>,
    /// Failed searches for facts, by the oldest message of the search.
    facts: HashMap<i64, u32>,
}

/// The failures since the entry of a day was last written.
#[derive(Default)]
struct DayRetries {
    /// The number of times that the model failed while `oldest` was the first message.
    failures: u32,
    oldest: i64,
    /// Messages at which the model failed too often.
    skipped: Vec<i64>,
    /// All pending messages at the time when retrying was stopped.
    stopped_with: Option<Vec<i64>>,
}

/// Messages of one day to be written together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DiaryBatch {
    pub(crate) messages: Vec<i64>,
    /// The model failed at this single message before: only its beginning is used.
    pub(crate) is_cut: bool,
}

impl RetryTracker {
    /// The messages of a day, without those that the model failed at too often.
    pub(crate) fn worth_trying(&mut self, day: Date, pending: &[i64]) -> Vec<i64> {
        let mut messages = self.without_deferred(pending);
        let retries = self.diary.entry(day).or_default();
        match &retries.stopped_with {
            Some(all) if *all == messages => return Vec::new(),
            // The model may succeed with the new messages.
            Some(_) => *retries = DayRetries::default(),
            None => messages.retain(|message| !retries.skipped.contains(message)),
        }
        messages
    }

    /// The messages of a day to be written next: fewer after each failure. `None` when nothing is worth trying.
    pub(crate) fn next_diary_batch(&mut self, day: Date, pending: &[i64]) -> Option<DiaryBatch> {
        let mut messages = self.worth_trying(day, pending);
        let oldest = *messages.first()?;
        let retries = self.diary.get(&day).filter(|retries| retries.oldest == oldest);
        let failures = retries.map_or(0, |retries| retries.failures);
        messages.truncate(reduced_size(messages.len(), failures));
        let is_cut = failures > 0 && messages.len() == 1;
        Some(DiaryBatch { messages, is_cut })
    }

    /// Notes that the model failed at `tried`, while `pending` are all pending messages of the day. Returns whether a message
    /// is skipped from now on.
    pub(crate) fn diary_failed(&mut self, day: Date, tried: &[i64], pending: &[i64]) -> bool {
        let Some(&oldest) = tried.first() else { return false };
        let pending = self.without_deferred(pending);
        let retries = self.diary.entry(day).or_default();
        retries.failures = if retries.oldest == oldest { retries.failures + 1 } else { 1 };
        retries.oldest = oldest;
        if tried.len() > 1 || retries.failures < MAX_ATTEMPTS {
            return false;
        }
        retries.skipped.push(oldest);
        let is_all = pending.iter().all(|message| retries.skipped.contains(message));
        if is_all || retries.skipped.len() >= MAX_SKIPPED {
            retries.stopped_with = Some(pending);
        }
        true
    }

    /// Notes that an entry of the day was written: the skipped messages caused the failures, not the model.
    pub(crate) fn diary_succeeded(&mut self, day: Date) {
        self.deferred.extend(self.diary.remove(&day).map_or(Vec::new(), |retries| retries.skipped));
    }

    fn without_deferred(&self, pending: &[i64]) -> Vec<i64> {
        pending.iter().copied().filter(|message| !self.deferred.contains(message)).collect()
    }

    /// Returns the number of `available` messages to search for facts next, where `oldest` is the first of them:
    /// fewer after each failure. `None` when the model failed too often, in the end at this message alone.
    pub(crate) fn search_size(&self, oldest: i64, available: usize) -> Option<usize> {
        let failures = self.facts.get(&oldest).copied().unwrap_or_default();
        let was_alone = || reduced_size(available, failures - 1) == 1;
        (failures < MAX_ATTEMPTS || !was_alone()).then(|| reduced_size(available, failures))
    }

    pub(crate) fn search_failed(&mut self, oldest: i64) {
        *self.facts.entry(oldest).or_default() += 1;
    }

    pub(crate) fn search_succeeded(&mut self, oldest: i64) {
        self.facts.remove(&oldest);
    }
}

/// A quarter of the messages for each failure, at least one.
fn reduced_size(messages: usize, failures: u32) -> usize {
    messages.checked_shr(2 * failures).unwrap_or_default().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = Date::constant(2025, 11, 22);

    fn batch(messages: impl IntoIterator<Item = i64>, is_cut: bool) -> Option<DiaryBatch> {
        Some(DiaryBatch { messages: messages.into_iter().collect(), is_cut })
    }

    /// Takes the next batch and lets it fail.
    fn fail(retries: &mut RetryTracker, pending: &[i64]) -> Option<DiaryBatch> {
        let next = retries.next_diary_batch(DAY, pending);
        if let Some(tried) = &next {
            retries.diary_failed(DAY, &tried.messages, pending);
        }
        next
    }

    #[test]
    fn each_failure_shrinks_the_batch_until_one_message_is_skipped() {
        let mut retries = RetryTracker::default();
        let pending: Vec<i64> = (1..=20).collect();

        assert_eq!(fail(&mut retries, &pending), batch(1..=20, false));
        assert_eq!(fail(&mut retries, &pending), batch(1..=5, false));
        assert_eq!(fail(&mut retries, &pending), batch([1], true));
        assert_eq!(retries.next_diary_batch(DAY, &pending), batch(2..=20, false));
    }

    #[test]
    fn after_constant_failure_only_a_new_message_starts_a_retry() {
        let mut retries = RetryTracker::default();
        let pending = [1, 2, 3, 4, 5];
        while fail(&mut retries, &pending).is_some() {}

        assert!(retries.worth_trying(DAY, &pending).is_empty());
        assert_eq!(retries.next_diary_batch(DAY, &[1, 2, 3, 4, 5, 6]), batch(1..=6, false));
    }

    #[test]
    fn skipped_message_is_deferred_when_the_rest_succeeds() {
        let mut retries = RetryTracker::default();
        while fail(&mut retries, &[1]).is_some() {}
        while retries.worth_trying(DAY, &[1, 2]) != [2] {
            fail(&mut retries, &[1, 2]);
        }
        retries.diary_succeeded(DAY);

        assert_eq!(retries.next_diary_batch(DAY, &[1]), None);
        assert_eq!(retries.next_diary_batch(DAY, &[1, 3]), batch([3], false));
    }
}
