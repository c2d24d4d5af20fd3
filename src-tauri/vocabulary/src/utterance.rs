//! What was said, as `hearing` hands it to `listening`.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::{Language, Stage, Trouble};

/// Numbers the utterances of one run, in the order they began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtteranceId(pub u64);

/// One unbroken stretch of speech, in words.
#[derive(Clone, PartialEq)]
pub struct Utterance {
    /// Its number in this run.
    pub id: UtteranceId,
    /// The words, as recognised: trimmed, never empty.
    pub text: String,
    /// What language the recogniser took it for.
    pub language: Option<Language>,
    /// When its first voiced frame began, back-dated by the pre-roll.
    pub started_at: Instant,
    /// When its last voiced frame ended.
    pub ended_at: Instant,
    /// Root mean square of its last 200 ms, 0.0 to 1.0.
    pub energy_rms: f32,
    /// How sure the recogniser is, 0.0 to 1.0.
    pub confidence: f32,
}

impl std::fmt::Debug for Utterance {
    /// Hides the words: what people said never reaches a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Utterance")
            .field("id", &self.id)
            .field("chars", &self.text.chars().count())
            .field("confidence", &self.confidence)
            .finish_non_exhaustive()
    }
}

/// What `hearing` reports while it listens to the room.
#[derive(Debug, Clone, PartialEq)]
pub enum HearingEvent {
    /// Somebody began to speak.
    SpeechStarted {
        /// The utterance that began.
        utterance: UtteranceId,
        /// When, back-dated by the pre-roll.
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
    /// An utterance ended without words: noise, a cough, or words not trusted.
    Nothing {
        /// The utterance that came to nothing.
        utterance: UtteranceId,
        /// When it ended.
        at: Instant,
    },
    /// Recognition went wrong; the sound is kept and tried again.
    Trouble(Trouble),
    /// What went wrong at this stage is right again.
    Recovered(Stage),
    /// How loud the room is, about ten times a second: decibels relative to full scale.
    Level {
        /// `0.0` is the loudest possible.
        dbfs: f32,
    },
}
