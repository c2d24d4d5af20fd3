//! Speech that could not be recognised, kept until it can be.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use vocabulary::UtteranceId;

use crate::recogniser::{PassId, RunningPass};
use crate::segmenter::SpokenSound;

/// Utterances kept while recognition does not work: about half a minute of speech.
const KEPT_UTTERANCES: usize = 3;
/// What was said longer ago is no longer answered.
const KEPT_FOR: Duration = Duration::from_secs(120);
/// Kept utterances are tried again so often.
const RETRY_EVERY: Duration = Duration::from_secs(5);

/// An utterance without words.
pub(crate) struct Kept {
    pub id: UtteranceId,
    pub sound: SpokenSound,
}

/// The utterances that wait for a recogniser that works, oldest first.
pub(crate) struct KeptSpeech {
    waiting: VecDeque<Kept>,
    /// The one that is being tried.
    retry: Option<(UtteranceId, RunningPass)>,
    next_retry: tokio::time::Instant,
}

impl KeptSpeech {
    pub fn new() -> Self {
        Self { waiting: VecDeque::new(), retry: None, next_retry: tokio::time::Instant::now() }
    }

    pub fn keep(&mut self, kept: Kept) {
        self.next_retry = tokio::time::Instant::now() + RETRY_EVERY;
        self.waiting.push_back(kept);
        while self.waiting.len() > KEPT_UTTERANCES {
            self.waiting.pop_front();
        }
    }

    /// When the oldest is due again; `None` while nothing waits or it is being tried.
    pub fn next_retry(&self) -> Option<tokio::time::Instant> {
        (!self.waiting.is_empty() && self.retry.is_none()).then_some(self.next_retry)
    }

    /// The utterance to try now, unless one is being tried. Forgets what is too old to be answered.
    pub fn due(&mut self) -> Option<&Kept> {
        self.next_retry = tokio::time::Instant::now() + RETRY_EVERY;
        let now = Instant::now();
        self.waiting.retain(|kept| now.saturating_duration_since(kept.sound.ended_at) < KEPT_FOR);
        if self.retry.is_some() { None } else { self.waiting.front() }
    }

    /// This utterance is being tried.
    pub fn tries(&mut self, id: UtteranceId, pass: RunningPass) {
        self.retry = Some((id, pass));
    }

    /// Calls off what is being tried.
    pub fn call_off(&mut self) {
        self.retry = None;
    }

    /// The utterance this pass tried, if it was a retry; it is over now.
    pub fn tried_by(&mut self, pass: PassId) -> Option<UtteranceId> {
        self.retry.take_if(|(_, retry)| retry.id == pass).map(|(id, _)| id)
    }

    /// Lets go of an utterance that now has its words.
    pub fn take(&mut self, id: UtteranceId) -> Option<Kept> {
        let at = self.waiting.iter().position(|kept| kept.id == id)?;
        self.waiting.remove(at)
    }
}
