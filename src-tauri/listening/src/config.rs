//! The checked settings of listening.

use std::time::Duration;

use settings::Settings;

use crate::decision::DecisionRules;
use crate::echo::EchoConfig;
use crate::wake::WakeWord;

/// Our speaking rate when the duration of the speech is not known: 200 words a minute.
const WORDS_PER_SECOND: f64 = 200.0 / 60.0;

/// The settings of listening, checked once, so that no other code checks them again.
#[derive(Debug, Clone, PartialEq)]
pub struct ListeningConfig {
    /// The wake word and its aliases.
    pub wake_word: WakeWord,
    /// The time that a follow-up needs no wake word; `None` turns the hot window off.
    pub hot_window: Option<Duration>,
    /// The longest delay of our own echo.
    pub echo_tolerance: Duration,
    /// The loudest echo, as a factor of the loudness of a quiet room.
    pub echo_energy_threshold: f32,
    /// Words that end a reply, also inside a sentence, in lower case. Empty if no word ends it.
    pub stop_words: Vec<String>,
    /// Stop words that count only if nothing else is said, in lower case: "quiet".
    pub lone_stop_words: Vec<String>,
    /// The least similarity of a misheard stop word, 0.0 to 1.0.
    pub stop_fuzzy_ratio: f64,
    /// The quiet at the start of each utterance, before its first voiced frame.
    pub pre_roll: Duration,
    /// The time that the transcript keeps what was said.
    pub transcript_length: Duration,
    /// The time that the intent judge may take; `None` means that it is not asked.
    pub judge_timeout: Option<Duration>,
}

impl ListeningConfig {
    /// The settings of echo detection.
    pub(crate) fn echo(&self) -> EchoConfig {
        EchoConfig {
            tolerance_secs: self.echo_tolerance.as_secs_f64(),
            energy_threshold: f64::from(self.echo_energy_threshold),
            words_per_second: WORDS_PER_SECOND,
        }
    }

    /// The settings of a decision.
    pub(crate) fn rules(&self) -> DecisionRules<'_> {
        DecisionRules {
            wake_word: &self.wake_word,
            stop_words: &self.stop_words,
            lone_stop_words: &self.lone_stop_words,
            stop_fuzzy_ratio: self.stop_fuzzy_ratio,
            hot_window_secs: self.hot_window.unwrap_or_default().as_secs_f64(),
            echo: self.echo(),
        }
    }
}

/// An invalid setting of listening.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListeningConfigError {
    /// The wake word is blank or has one letter.
    #[error("listening.wake_word is blank: use a name of at least two letters, such as jarvis")]
    NoWakeWord,
}

impl TryFrom<&Settings> for ListeningConfig {
    type Error = ListeningConfigError;

    fn try_from(settings: &Settings) -> Result<Self, Self::Error> {
        let pre_roll = Duration::from_millis(settings.hearing.pre_roll_ms);
        let settings = &settings.listening;
        if settings.wake_word.trim().chars().count() < 2 {
            return Err(ListeningConfigError::NoWakeWord);
        }
        let (inside, alone) = stop_words(&settings.stop_words);
        Ok(Self {
            wake_word: WakeWord::new(&settings.wake_word, &settings.wake_aliases, settings.wake_fuzzy_ratio),
            hot_window: (settings.hot_window_secs > 0.0)
                .then(|| Duration::from_secs_f64(settings.hot_window_secs)),
            echo_tolerance: Duration::from_secs_f64(settings.echo_tolerance_secs),
            echo_energy_threshold: settings.echo_energy_threshold as f32,
            stop_words: inside,
            lone_stop_words: alone,
            stop_fuzzy_ratio: settings.stop_fuzzy_ratio,
            pre_roll,
            transcript_length: Duration::from_secs_f64(settings.transcript_secs),
            judge_timeout: settings
                .intent_judge
                .then(|| Duration::from_secs_f64(settings.judge_timeout_secs)),
        })
    }
}

/// The stop words of the settings: those that count inside a sentence, and those that do not, "quiet" and its like. A list of
/// nothing else counts inside, since an empty one turns stop words off.
fn stop_words(words: &[String]) -> (Vec<String>, Vec<String>) {
    let words = words.iter().map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty());
    let (alone, inside): (Vec<String>, Vec<String>) =
        words.partition(|word| languages::is_lone_stop_word(word));
    if inside.is_empty() { (alone, Vec::new()) } else { (inside, alone) }
}
