//! Utterances and the other events that `hearing` sends to `listening`.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::{Language, Stage, TalkOrder, Trouble, VoiceMatch};

/// Numbers the utterances of one run in the order they began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtteranceId(pub u64);

/// One unbroken stretch of speech, in words.
#[derive(Clone, PartialEq)]
pub struct Utterance {
    /// Its number in this run.
    pub id: UtteranceId,
    /// The recognised words: trimmed, never empty.
    pub text: String,
    /// The language that the recogniser detected.
    pub language: Option<Language>,
    /// When its first voiced frame began, less the pre-roll.
    pub started_at: Instant,
    /// When its last voiced frame ended.
    pub ended_at: Instant,
    /// Root mean square of its last 200 ms, from 0.0 to 1.0.
    pub energy_rms: f32,
    /// The share of its voiced frames that were mostly our own voice before that was taken out, from 0.0 to 1.0.
    pub echo_share: f32,
    /// The confidence of the recogniser, from 0.0 to 1.0.
    pub confidence: f32,
    /// The speaker, if the settings ask for enrolled voices only.
    pub voice: VoiceMatch,
}

impl std::fmt::Debug for Utterance {
    /// Hides the words: they must not reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Utterance")
            .field("id", &self.id)
            .field("chars", &self.text.chars().count())
            .field("confidence", &self.confidence)
            .finish_non_exhaustive()
    }
}

/// The reports of `hearing`.
#[derive(Debug, Clone, PartialEq)]
pub enum HearingEvent {
    /// Speech began.
    SpeechStarted {
        /// The utterance that began.
        utterance: UtteranceId,
        /// When it began, less the pre-roll.
        at: Instant,
    },
    /// The words so far, for the screen: later ones may differ.
    Partial {
        /// The utterance they belong to.
        utterance: UtteranceId,
        /// All words recognised so far.
        text: String,
    },
    /// An utterance is complete.
    Heard(Utterance),
    /// Talk before a request, whose sound was left out until now. [`HearingEvent::Nothing`] was reported when it ended: it is
    /// context, and no request.
    EarlierTalk(Utterance),
    /// An utterance ended without words: noise, a cough, or words that the filters rejected.
    Nothing {
        /// The utterance that ended.
        utterance: UtteranceId,
        /// When it ended.
        at: Instant,
    },
    /// The talk key gave this order, and it is obeyed from here on.
    TalkKey(TalkOrder),
    /// Recognition failed; the sound is kept and tried again.
    Trouble(Trouble),
    /// This stage works again.
    Recovered(Stage),
    /// The level of the microphone, about ten times a second.
    Level {
        /// Decibels relative to full scale: `0.0` is the loudest possible.
        dbfs: f32,
    },
}
