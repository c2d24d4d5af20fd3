//! The thread that runs speech-to-text, one pass at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::keyword_spotter::NameCheck;
use crate::speech_to_text::{DecodeEffort, DecodeRequest, SpeechToText, TranscribeError, Transcription};

/// The most passes that wait: one running, one about to be cancelled, one final pass per closing utterance. The queue
/// fills only when decoding is slower than speech; then no new pass starts.
const MAX_QUEUED_PASSES: usize = 8;

/// Numbers the passes of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PassId(u64);

/// The result of a pass.
pub(crate) struct FinishedPass {
    pub id: PassId,
    /// The time it took, without the wait for the passes before it.
    pub duration: Duration,
    pub outcome: PassOutcome,
}

/// The outcome of a pass.
pub(crate) enum PassOutcome {
    /// The words of the sound.
    Words {
        words: Result<Transcription, TranscribeError>,
        effort: DecodeEffort,
        /// The recogniser read the name before the sound.
        is_prompted: bool,
    },
    /// `true` if the name was found in the sound.
    Name(Result<bool, TranscribeError>),
}

/// The work of a pass.
pub(crate) enum PassWork {
    Decode { engine: Arc<dyn SpeechToText>, samples: Vec<f32>, request: DecodeRequest },
    FindName(NameCheck),
}

struct QueuedPass {
    id: PassId,
    work: PassWork,
    stop: CancellationToken,
}

/// Sends passes to the decoding thread.
pub(crate) struct DecoderThread {
    passes: mpsc::Sender<QueuedPass>,
    next_id: u64,
    thread: JoinHandle<()>,
}

impl DecoderThread {
    /// Starts the thread. The receiver gets the results.
    pub fn start() -> (Self, mpsc::Receiver<FinishedPass>) {
        let (passes, mut queue) = mpsc::channel::<QueuedPass>(MAX_QUEUED_PASSES);
        let (finished, results) = mpsc::channel(MAX_QUEUED_PASSES);
        let thread = tokio::task::spawn_blocking(move || {
            while let Some(pass) = queue.blocking_recv() {
                let began = Instant::now();
                let outcome = pass.run();
                let result = FinishedPass { id: pass.id, duration: began.elapsed(), outcome };
                if finished.blocking_send(result).is_err() {
                    return;
                }
            }
        });
        (Self { passes, next_id: 0, thread }, results)
    }

    /// Queues a pass; `None` when the queue is full.
    pub fn begin(&mut self, work: PassWork) -> Option<RunningPass> {
        let stop = CancellationToken::new();
        let id = PassId(self.next_id);
        self.next_id += 1;
        let pass = QueuedPass { id, work, stop: stop.clone() };
        self.passes.try_send(pass).ok()?;
        Some(RunningPass { id, stop })
    }

    /// Waits until the thread ends. Drop the running passes first.
    pub async fn finish(self) {
        drop(self.passes);
        if let Err(panic) = self.thread.await {
            tracing::error!(%panic, "the decoding thread panicked");
        }
    }
}

impl QueuedPass {
    fn run(&self) -> PassOutcome {
        let is_cancelled = self.stop.is_cancelled();
        match &self.work {
            PassWork::Decode { engine, samples, request } => PassOutcome::Words {
                words: if is_cancelled {
                    Err(TranscribeError::Stopped)
                } else {
                    engine.transcribe(samples, request, &self.stop)
                },
                effort: request.effort,
                is_prompted: request.name.is_some(),
            },
            PassWork::FindName(_) if is_cancelled => PassOutcome::Name(Err(TranscribeError::Stopped)),
            PassWork::FindName(NameCheck { spotter, samples, names }) => {
                PassOutcome::Name(spotter.spot(samples, names))
            }
        }
    }
}

/// A queued or running pass. Dropping it cancels the pass.
pub(crate) struct RunningPass {
    pub id: PassId,
    stop: CancellationToken,
}

impl Drop for RunningPass {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
