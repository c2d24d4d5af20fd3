//! The thread that decodes, one pass at a time.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::speech_to_text::{DecodeEffort, DecodeRequest, SpeechToText, TranscribeError, Transcription};

/// Passes waiting: one running, one about to be called off, one final per utterance that is closing. More can
/// only queue up when decoding is slower than speech; the hearer starts none while it waits.
const PASSES: usize = 8;

/// Numbers the passes of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PassId(u64);

/// A pass that ended.
pub(crate) struct PassDone {
    pub id: PassId,
    pub effort: DecodeEffort,
    pub outcome: Result<Transcription, TranscribeError>,
}

struct Pass {
    id: PassId,
    engine: Arc<dyn SpeechToText>,
    samples: Vec<f32>,
    request: DecodeRequest,
    stop: CancellationToken,
}

/// Hands passes to the decoding thread.
pub(crate) struct Recogniser {
    passes: mpsc::Sender<Pass>,
    next: u64,
    thread: JoinHandle<()>,
}

impl Recogniser {
    /// Starts the thread; its results come out of the receiver.
    pub fn start() -> (Self, mpsc::Receiver<PassDone>) {
        let (passes, mut waiting) = mpsc::channel::<Pass>(PASSES);
        let (done, results) = mpsc::channel(PASSES);
        let thread = tokio::task::spawn_blocking(move || {
            while let Some(pass) = waiting.blocking_recv() {
                let outcome = if pass.stop.is_cancelled() {
                    Err(TranscribeError::Stopped)
                } else {
                    pass.engine.transcribe(&pass.samples, &pass.request, &pass.stop)
                };
                if done.blocking_send(PassDone { id: pass.id, effort: pass.request.effort, outcome }).is_err()
                {
                    return;
                }
            }
        });
        (Self { passes, next: 0, thread }, results)
    }

    /// Queues a pass; `None` when so many wait that this one would come too late to matter.
    pub fn begin(
        &mut self,
        engine: Arc<dyn SpeechToText>,
        samples: Vec<f32>,
        request: DecodeRequest,
    ) -> Option<RunningPass> {
        let stop = CancellationToken::new();
        let id = PassId(self.next);
        self.next += 1;
        let pass = Pass { id, engine, samples, request, stop: stop.clone() };
        self.passes.try_send(pass).ok()?;
        Some(RunningPass { id, stop })
    }

    /// Waits for the thread to end. Call off the running passes first.
    pub async fn finish(self) {
        drop(self.passes);
        if let Err(panic) = self.thread.await {
            tracing::error!(%panic, "the decoding thread did not end cleanly");
        }
    }
}

/// A pass that was queued. Dropping it calls it off.
pub(crate) struct RunningPass {
    pub id: PassId,
    stop: CancellationToken,
}

impl Drop for RunningPass {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
