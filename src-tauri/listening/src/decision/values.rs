//! The values of a decision.

use crate::echo::{EchoConfig, OwnSpeech};
use crate::judge::IntentVerdict;
use crate::wake::WakeWord;

/// An utterance, and the state in which it was heard. All times are seconds on one timeline.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'s> {
    /// The words as they were recognised.
    pub text: &'s str,
    /// When the utterance started.
    pub started_secs: f64,
    /// When it ended.
    pub ended_secs: f64,
    /// Its loudness, root mean square.
    pub energy_rms: f64,
    /// It was said in the hot window. See [`crate::HotWindow::contains`].
    pub in_hot_window: bool,
    /// The query that is still being collected, and that more words belong to.
    pub pending_query: Option<&'s str>,
    /// Our last speech; `None` before our first words.
    pub own_speech: Option<&'s OwnSpeech>,
    /// We are speaking now.
    pub is_speaking: bool,
    /// The sign, beside its words, that it is our own voice, misheard.
    pub echo_sign: EchoSign,
}

/// The sign, beside its words, that an utterance is our own voice, misheard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EchoSign {
    /// There is none.
    None,
    /// It began while we spoke, and most of it was said before our echo had ended.
    Time,
    /// Nearly all of its sound was taken out as our own.
    Sound,
}

/// The settings of a decision.
#[derive(Debug, Clone, Copy)]
pub struct DecisionRules<'r> {
    /// The wake word and its aliases.
    pub wake_word: &'r WakeWord,
    /// Words that end a reply, in lower case.
    pub stop_words: &'r [String],
    /// Stop words that count only if nothing else is said, in lower case.
    pub lone_stop_words: &'r [String],
    /// The least similarity of a misheard stop word, 0.0 to 1.0.
    pub stop_fuzzy_ratio: f64,
    /// The time that the hot window is open, in seconds.
    pub hot_window_secs: f64,
    /// The settings of echo detection.
    pub echo: EchoConfig,
}

/// The outcome of the rules before the intent judge.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// The words of the user: without our own, if the utterance contained both.
    pub text: String,
    /// The text was changed.
    pub is_salvaged: bool,
    /// The utterance contained the wake word while we were silent.
    pub has_wake_word: bool,
    /// The thinking tune starts now: the utterance is probably meant for us.
    pub starts_tune: bool,
    /// The reason to ignore it, if nothing else makes it a query.
    pub ignored_as: IgnoreReason,
    /// The next step.
    pub next: NextStep,
}

/// The step after [`assess`](super::assess).
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    /// The rules have decided.
    Decided(Decision),
    /// The intent judge may be asked, then [`conclude`](super::conclude) decides.
    Judge,
    /// [`conclude`](super::conclude) decides without the intent judge.
    Rules,
}

/// The answer of the intent judge, if there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Judgement<'v> {
    /// It was not asked.
    NotAsked,
    /// It gave no verdict: an error, no answer in time, or an answer that cannot be read.
    NoVerdict,
    /// The judge answered in time.
    Verdict(&'v IntentVerdict),
}

/// Whom an utterance was meant for, and what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// A query; it may be empty.
    Accept(String),
    /// More of the pending query. Holds the whole query.
    Append(String),
    /// Our speech ends.
    Interrupt,
    /// Nothing follows.
    Ignore(IgnoreReason),
}

/// The reason why nothing follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoreReason {
    /// Nothing was said.
    Silence,
    /// It was our own voice.
    Echo,
    /// It was not meant for us.
    Overheard,
}
