//! Utterances that recognition failed on, kept for another try.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use vocabulary::UtteranceId;

use crate::decoder::{PassId, RunningPass};
use crate::segmenter::UtteranceAudio;

/// The most utterances kept while recognition fails: about half a minute of speech.
const MAX_QUEUED_UTTERANCES: usize = 3;
/// An older utterance is dropped: the user no longer expects an answer.
const MAX_AGE: Duration = Duration::from_secs(120);
/// The time between two tries.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// An utterance without words.
pub(crate) struct UndecodedUtterance {
    pub id: UtteranceId,
    pub audio: UtteranceAudio,
}

/// The utterances that wait until recognition works again, oldest first.
pub(crate) struct RetryQueue {
    waiting: VecDeque<UndecodedUtterance>,
    /// The utterance that is being decoded again.
    running: Option<(UtteranceId, RunningPass)>,
    next_retry: tokio::time::Instant,
}

impl RetryQueue {
    pub fn new() -> Self {
        Self { waiting: VecDeque::new(), running: None, next_retry: tokio::time::Instant::now() }
    }

    /// Adds an utterance. When the queue is full, the oldest is dropped.
    pub fn push(&mut self, utterance: UndecodedUtterance) {
        self.next_retry = tokio::time::Instant::now() + RETRY_INTERVAL;
        self.waiting.push_back(utterance);
        while self.waiting.len() > MAX_QUEUED_UTTERANCES {
            self.waiting.pop_front();
        }
    }

    /// The time of the next try; `None` when the queue is empty or a try is running.
    pub fn next_retry(&self) -> Option<tokio::time::Instant> {
        (!self.waiting.is_empty() && self.running.is_none()).then_some(self.next_retry)
    }

    /// The utterance to try now; `None` while a try is running. Drops utterances that are too old.
    pub fn next_due(&mut self) -> Option<&UndecodedUtterance> {
        self.next_retry = tokio::time::Instant::now() + RETRY_INTERVAL;
        let now = Instant::now();
        self.waiting.retain(|utterance| now.saturating_duration_since(utterance.audio.ended_at) < MAX_AGE);
        if self.running.is_some() { None } else { self.waiting.front() }
    }

    /// Notes that this pass decodes the utterance again.
    pub fn set_running(&mut self, id: UtteranceId, pass: RunningPass) {
        self.running = Some((id, pass));
    }

    /// Cancels the running try.
    pub fn cancel(&mut self) {
        self.running = None;
    }

    /// Ends the running try if it was this pass, and returns its utterance.
    pub fn end_running(&mut self, pass: PassId) -> Option<UtteranceId> {
        self.running.take_if(|(_, running)| running.id == pass).map(|(id, _)| id)
    }

    pub fn remove(&mut self, id: UtteranceId) -> Option<UndecodedUtterance> {
        let index = self.waiting.iter().position(|utterance| utterance.id == id)?;
        self.waiting.remove(index)
    }
}
