//! A recogniser that is as slow as its sound allows.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use hearing::{DecodeRequest, SpeechToText, TranscribeError, Transcription};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// A real recogniser whose results are held back, as on a busy machine.
pub struct LateRecogniser {
    engine: Arc<dyn SpeechToText>,
    releases: Mutex<Receiver<()>>,
}

/// Lets results of a [`LateRecogniser`] go. Once it is dropped, none is held back any more.
pub struct HeldResults(SyncSender<()>);

impl HeldResults {
    /// Lets the result go that is held back now, if there is one.
    pub fn release(&self) {
        // A full channel means that nobody waits, and a closed one that the recogniser is gone.
        let _ = self.0.try_send(());
    }
}

impl LateRecogniser {
    /// A recogniser with the results of `engine`, and the way to let them go.
    pub fn new(engine: Arc<dyn SpeechToText>) -> (Self, HeldResults) {
        let (held, releases) = sync_channel(0);
        (Self { engine, releases: Mutex::new(releases) }, HeldResults(held))
    }
}

impl SpeechToText for LateRecogniser {
    fn warm_up(&self) -> Result<(), TranscribeError> {
        self.engine.warm_up()
    }

    fn transcribe(
        &self,
        samples: &[f32],
        request: &DecodeRequest,
        stop: &CancellationToken,
    ) -> Result<Transcription, TranscribeError> {
        let words = self.engine.transcribe(samples, request, stop);
        // An error means that results are not held back any more.
        let _ = self.releases.lock().recv();
        words
    }
}
