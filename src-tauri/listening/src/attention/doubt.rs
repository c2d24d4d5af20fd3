//! An utterance that the rules are unsure of.

use vocabulary::Utterance;

use crate::config::ListeningConfig;
use crate::decision::{Assessment, EchoSign, Situation};
use crate::echo::OwnSpeech;
use crate::judge::JudgePrompt;
use crate::overlap::Span;

/// An utterance that waits for the intent judge, with the state in which it was heard.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// The utterance that the judge is asked about.
    pub utterance: Utterance,
    /// The question to the judge.
    pub prompt: JudgePrompt,
    pub(super) assessment: Assessment,
    pub(super) moment: Moment,
}

/// The state in which an utterance was heard.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moment {
    /// The words to decide on.
    pub text: String,
    pub in_hot_window: bool,
    pub is_speaking: bool,
    /// The sign that it is our own voice, if none of our words could be cut off.
    pub echo_sign: EchoSign,
    /// The part of our own speech that may sound in it; its time is on the timeline of that.
    pub own_speech: Option<OwnSpeech>,
    pub heard_secs: Span,
    pub energy_rms: f64,
    pub pending_query: Option<String>,
    /// The pending query waits for the intent judge itself: nothing is known of it at the doors.
    pub goes_on_with_doubt: bool,
}

impl Doubt {
    /// Returns `true` if these words take the place of a doubt before, with which they go on.
    pub(crate) fn replaces_doubt(&self) -> bool {
        self.moment.goes_on_with_doubt
    }

    /// The words that were said so far, with those of a doubt before that they go on with; without the wake word.
    pub(super) fn words(&self, config: &ListeningConfig) -> String {
        let words = config.wake_word.query_in(&self.assessment.text);
        match &self.moment.pending_query {
            Some(pending) if self.moment.goes_on_with_doubt => format!("{pending} {words}"),
            _ => words,
        }
    }
}

impl Moment {
    pub fn situation(&self) -> Situation<'_> {
        Situation {
            text: &self.text,
            started_secs: self.heard_secs.started_secs,
            ended_secs: self.heard_secs.ended_secs,
            energy_rms: self.energy_rms,
            in_hot_window: self.in_hot_window,
            pending_query: self.pending_query.as_deref(),
            own_speech: self.own_speech.as_ref(),
            is_speaking: self.is_speaking,
            echo_sign: self.echo_sign,
        }
    }
}
