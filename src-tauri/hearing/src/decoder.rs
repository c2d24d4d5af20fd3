//! The thread that runs speech-to-text, one pass at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

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
    pub effort: DecodeEffort,
    /// The recogniser read the name before the sound.
    pub is_prompted: bool,
    /// The time it took, without the wait for the passes before it.
    pub duration: Duration,
    pub outcome: Result<Transcription, TranscribeError>,
}

struct QueuedPass {
    id: PassId,
    engine: Arc<dyn SpeechToText>,
    samples: Vec<f32>,
    request: DecodeRequest,
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
                let outcome = if pass.stop.is_cancelled() {
                    Err(TranscribeError::Stopped)
                } else {
                    pass.engine.transcribe(&pass.samples, &pass.request, &pass.stop)
                };
                let (effort, is_prompted) = (pass.request.effort, pass.request.name.is_some());
                let result =
                    FinishedPass { id: pass.id, effort, is_prompted, duration: began.elapsed(), outcome };
                if finished.blocking_send(result).is_err() {
                    return;
                }
            }
        });
        (Self { passes, next_id: 0, thread }, results)
    }

    /// Queues a pass; `None` when the queue is full.
    pub fn begin(
        &mut self,
        engine: Arc<dyn SpeechToText>,
        samples: Vec<f32>,
        request: DecodeRequest,
    ) -> Option<RunningPass> {
        let stop = CancellationToken::new();
        let id = PassId(self.next_id);
        self.next_id += 1;
        let pass = QueuedPass { id, engine, samples, request, stop: stop.clone() };
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
