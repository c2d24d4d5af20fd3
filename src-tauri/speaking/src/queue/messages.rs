//! What goes into the speech queue and what comes out of it.

use std::sync::{Arc, Mutex, PoisonError};

use audio::Loudspeaker;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use vocabulary::{ReplyId, SpeechEvent, Trouble};

/// What the speech queue reports.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeechNews {
    /// Something happened to our voice.
    Speech(SpeechEvent),
    /// Loudspeaker or voice do not work; the text is on the screen all the same.
    Trouble(Trouble),
    /// They work again.
    Recovered(Trouble),
}

/// What the speech queue is asked to do.
pub(super) enum Order {
    Say { reply: ReplyId, sentence: String, epoch: CancellationToken },
    Finish { reply: ReplyId },
    TellWhenSilent(oneshot::Sender<()>),
    UseSpeaker(Arc<dyn Loudspeaker>),
}

/// Sentences of one epoch end together: falling silent ends the epoch and begins another.
///
/// A token rather than an order, so that it overtakes the sentences that wait and reaches the voice at work.
#[derive(Clone, Default)]
pub(super) struct SpeechEpoch(Arc<Mutex<CancellationToken>>);

impl SpeechEpoch {
    /// The token of the present epoch.
    pub fn current(&self) -> CancellationToken {
        self.lock().clone()
    }

    /// Ends the present epoch.
    pub fn end(&self) {
        let ended = std::mem::take(&mut *self.lock());
        ended.cancel();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CancellationToken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
