//! The commands and reports of the speech queue.

use std::sync::Arc;

use audio::Loudspeaker;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use vocabulary::{Language, ReplyId, SpeechEvent, Trouble};

use crate::{Earcon, Speech};

/// The reports of the speech queue.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeechReport {
    /// An event of our voice.
    Speech(SpeechEvent),
    /// Nothing of this reply is about to be heard: it has no words, no voice makes a sound of them, or they wait for a
    /// loudspeaker that does not open. Reported if no event of our voice tells it.
    NothingToHear {
        /// The reply that stays silent, at least for now.
        reply: ReplyId,
    },
    /// No installed voice speaks this language, so the voice of the system does. Reported once per language.
    VoiceMissing {
        /// The language of the words.
        language: Language,
    },
    /// The loudspeaker or the voice does not work. The text is still on the screen.
    Trouble(Trouble),
    /// This trouble is over.
    Recovered(Trouble),
}

/// The reason why nothing of a reply is heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unheard {
    /// The loudspeaker does not open, or not yet.
    NoLoudspeaker,
    /// No voice makes a sound.
    NoVoice,
    /// The service that speaks takes no more texts, and no voice behind it makes a sound.
    QuotaExceeded,
}

/// A command to the speech queue.
pub(super) enum SpeechCommand {
    Say { reply: ReplyId, sentence: String, language: Option<Language>, epoch: CancellationToken },
    Play { reply: ReplyId, sound: Speech, epoch: CancellationToken },
    Signal { earcon: Earcon, at: tokio::time::Instant },
    Pause { reply: ReplyId },
    Finish { reply: ReplyId },
    TellUnheard { reply: ReplyId, answer: oneshot::Sender<Option<Unheard>> },
    NotifyWhenSilent(oneshot::Sender<()>),
    UseSpeaker(Arc<dyn Loudspeaker>),
}

/// A stop ends the current epoch with all its sentences and begins the next one.
///
/// This is a token, not a command, so that a stop overtakes queued sentences and also ends the current synthesis.
#[derive(Clone, Default)]
pub(super) struct SpeechEpoch(Arc<Mutex<CancellationToken>>);

impl SpeechEpoch {
    /// The token of the current epoch; it is cancelled when the epoch ends.
    pub fn current(&self) -> CancellationToken {
        self.lock().clone()
    }

    /// Ends the current epoch.
    pub fn end(&self) {
        let ended = std::mem::take(&mut *self.lock());
        ended.cancel();
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, CancellationToken> {
        self.0.lock()
    }
}
