//! The vote of the sound in a pause, one at a time, each on a thread of its own.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{JoinError, JoinHandle};

use crate::config::{HearingConfig, frames};
use crate::current_utterance::{CurrentUtterance, PauseVote, VoteId};
use crate::endpoint_model::EndpointModel;
use crate::pass_timing::{PassClock, PassTiming};
use crate::segmenter::Segmenter;
use crate::speech_to_text::TranscribeError;

/// The silence before a vote. A shorter one is mostly a gap between syllables, and the model was trained with a little
/// silence at the end.
const VOTE_SILENCE: Duration = Duration::from_millis(120);

/// The time that a vote counts as, over a recording. Source: Smart Turn takes 0.05 s on a free core, and 0.1 s beside
/// the recogniser.
const VOTE_IN_SOUND: Duration = Duration::from_millis(100);

/// Asks the model, if there is one.
pub(crate) struct EndpointVotes {
    model: watch::Receiver<Option<Arc<dyn EndpointModel>>>,
    clock: PassClock,
    running: Option<RunningVote>,
    next_id: u64,
    /// The last vote failed, and the log says so.
    is_failing: bool,
}

struct RunningVote {
    id: VoteId,
    thread: JoinHandle<Result<f32, TranscribeError>>,
}

impl EndpointVotes {
    pub fn new(model: watch::Receiver<Option<Arc<dyn EndpointModel>>>, timing: PassTiming) -> Self {
        let timing = match timing {
            PassTiming::Live => PassTiming::Live,
            PassTiming::InSound(_) => PassTiming::InSound(VOTE_IN_SOUND),
        };
        Self { model, clock: PassClock::new(timing), running: None, next_id: 0, is_failing: false }
    }

    pub fn count_frame(&mut self) {
        self.clock.count_frame();
    }

    /// Returns `true` if the next frame may be taken.
    pub fn takes_frames(&self) -> bool {
        self.clock.takes_frames()
    }

    /// Asks once in each pause of the utterance, if the vote could change the wait.
    pub fn ask_in_pause(
        &mut self,
        current: &mut CurrentUtterance,
        segmenter: &Segmenter,
        config: &HearingConfig,
    ) {
        let silent_frames = segmenter.silent_frames().unwrap_or_default();
        if silent_frames == 0 {
            current.vote = PauseVote::NotAsked;
        } else if silent_frames >= frames(VOTE_SILENCE)
            && current.can_use_vote(config)
            && let Some(id) = self.ask(segmenter.samples())
        {
            current.vote = PauseVote::Asked(id);
        }
    }

    /// Returns `None` without a model, and while it is busy with an earlier pause.
    fn ask(&mut self, samples: &[f32]) -> Option<VoteId> {
        let model = self.model.borrow().clone()?;
        if self.running.is_some() {
            return None;
        }
        let id = VoteId(self.next_id);
        self.next_id += 1;
        let samples = samples.to_vec();
        let thread = tokio::task::spawn_blocking(move || model.probability_of_end(&samples));
        self.running = Some(RunningVote { id, thread });
        self.clock.queue_pass();
        Some(id)
    }

    /// Waits for the vote under way: the probability that the user has finished, `None` if it failed. Waits forever without
    /// one. Cancel-safe.
    pub async fn next(&mut self) -> (VoteId, Option<f32>) {
        let Some(running) = self.running.as_mut().filter(|_| self.clock.takes_results()) else {
            return std::future::pending().await;
        };
        let outcome = (&mut running.thread).await;
        let id = running.id;
        self.running = None;
        self.clock.end_pass(Duration::ZERO);
        (id, self.probability(outcome))
    }

    /// The probability, or a line in the log for the first of several failures.
    fn probability(&mut self, outcome: Result<Result<f32, TranscribeError>, JoinError>) -> Option<f32> {
        let has_failed_before = std::mem::replace(&mut self.is_failing, !matches!(outcome, Ok(Ok(_))));
        match outcome {
            Ok(Ok(probability)) => return Some(probability),
            Ok(Err(error)) if !has_failed_before => {
                tracing::warn!(%error, "the end of utterances is decided without the model for it");
            }
            Ok(Err(_)) => {}
            Err(panic) => tracing::error!(%panic, "the thread of the endpoint model panicked"),
        }
        None
    }

    /// Waits until the thread of the last vote has ended.
    pub async fn finish(self) {
        if let Some(running) = self.running {
            // Its vote is of no use any more.
            let _ = running.thread.await;
        }
    }
}
