//! Somebody speaks over our voice.

use tokio::sync::watch;
use vocabulary::UtteranceId;

/// Voiced frames in a row, 160 ms: what the canceller leaves of our own voice is shorter.
/// Source: the bench `over_our_voice`, six rooms, none longer after the echo was found.
const FRAMES: usize = 8;

/// Finds speech over our voice, in sound without the echo of it.
pub(crate) struct SpokenOver {
    is_voice_playing: watch::Receiver<bool>,
    is_echo_removed: watch::Receiver<bool>,
    voiced_frames: usize,
    /// The last utterance that was found.
    found: Option<UtteranceId>,
}

impl SpokenOver {
    pub fn new(is_voice_playing: watch::Receiver<bool>, is_echo_removed: watch::Receiver<bool>) -> Self {
        Self { is_voice_playing, is_echo_removed, voiced_frames: 0, found: None }
    }

    /// Returns `true` if this utterance was found to be spoken over our voice.
    pub fn has_found(&self, utterance: UtteranceId) -> bool {
        self.found == Some(utterance)
    }

    /// Takes the next frame, of this utterance. Returns the utterance when it turns out to be spoken over our voice.
    pub fn push(&mut self, is_voiced: bool, utterance: Option<UtteranceId>) -> Option<UtteranceId> {
        // Where our voice is not taken out, it may be what is heard.
        let may_be_found = *self.is_voice_playing.borrow() && *self.is_echo_removed.borrow();
        self.voiced_frames = if is_voiced && may_be_found { self.voiced_frames + 1 } else { 0 };
        let found = utterance.filter(|id| self.voiced_frames >= FRAMES && self.found != Some(*id))?;
        self.found = Some(found);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speech_over_our_voice_is_found_once_an_utterance() {
        let (_voice, is_voice_playing) = watch::channel(true);
        let (_echo, is_echo_removed) = watch::channel(true);
        let mut spoken_over = SpokenOver::new(is_voice_playing, is_echo_removed);
        let mut found = |utterance, frames: &str| {
            frames.bytes().filter_map(|frame| spoken_over.push(frame == b'v', utterance)).count()
        };

        assert_eq!(found(Some(UtteranceId(1)), "vvvvvvv.vvvvvvv."), 0, "what is left of an echo");
        assert_eq!(found(Some(UtteranceId(1)), &"v".repeat(30)), 1);
        assert_eq!(found(Some(UtteranceId(2)), "vvvvvvvv"), 1);
        assert_eq!(found(None, "vvvvvvvv"), 0);
    }

    #[test]
    fn voice_that_may_be_ours_is_not_found() {
        let (voice, is_voice_playing) = watch::channel(true);
        let (echo, is_echo_removed) = watch::channel(false);
        let mut spoken_over = SpokenOver::new(is_voice_playing, is_echo_removed);
        let mut is_found = || (0..20).any(|_| spoken_over.push(true, Some(UtteranceId(1))).is_some());

        assert!(!is_found());
        echo.send_replace(true);
        voice.send_replace(false);
        assert!(!is_found());
        voice.send_replace(true);
        assert!(is_found());
    }
}
