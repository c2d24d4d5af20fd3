//! The utterances that wait for the intent judge. Listening goes on meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::attention::Doubt;
use crate::judge::{IntentJudge, JudgeAvailability, JudgeError};

/// An utterance, and what the intent judge said about it.
pub(crate) struct JudgedDoubt {
    pub doubt: Box<Doubt>,
    /// The answer of the model; `None` when there is none.
    pub answer: Option<String>,
}

/// The utterances that wait.
pub(crate) struct Doubts {
    judge: Option<Arc<dyn IntentJudge>>,
    availability: JudgeAvailability,
    waiting: JoinSet<(Box<Doubt>, Result<String, JudgeError>)>,
    /// Utterances that started no later than this wait no more.
    forgotten_until: Option<Instant>,
    stop: CancellationToken,
}

impl Doubts {
    pub fn new(judge: Option<Arc<dyn IntentJudge>>, stop: CancellationToken) -> Self {
        Self {
            judge,
            availability: JudgeAvailability::default(),
            waiting: JoinSet::new(),
            forgotten_until: None,
            stop,
        }
    }

    /// Asks the judge. Without one, or while it cannot be reached, the answer is that there is none.
    pub fn add(&mut self, doubt: Box<Doubt>, timeout: Duration, now: Instant) {
        let judge = self.judge.clone().filter(|_| self.availability.is_available(now));
        let stop = self.stop.child_token();
        self.waiting.spawn(async move {
            // Ends the generation however this call ends.
            let _stopped = stop.clone().drop_guard();
            let answer = match judge {
                Some(judge) => tokio::time::timeout(timeout, judge.ask(doubt.prompt.clone(), stop))
                    .await
                    .unwrap_or(Err(JudgeError::TooSlow)),
                None => Err(JudgeError::Failed),
            };
            (doubt, answer)
        });
    }

    /// The next utterance that was judged. Waits for ever when none waits. Cancel-safe.
    pub async fn next(&mut self) -> JudgedDoubt {
        loop {
            match self.waiting.join_next().await {
                Some(Ok((doubt, _))) if Some(doubt.utterance.started_at) <= self.forgotten_until => {}
                Some(Ok((doubt, answer))) => {
                    if let Err(error) = answer {
                        tracing::info!(%error, "the rules decide whom an utterance was meant for");
                        self.availability.note_error(error, Instant::now());
                    }
                    return JudgedDoubt { doubt, answer: answer.ok() };
                }
                Some(Err(error)) => tracing::error!(%error, "the intent judge did not end cleanly"),
                None => std::future::pending().await,
            }
        }
    }

    /// Forgets the utterances that started no later than this: what came after them counts. Newer ones wait on.
    pub fn forget_until(&mut self, started_at: Instant) {
        self.forgotten_until = self.forgotten_until.max(Some(started_at));
    }
}
