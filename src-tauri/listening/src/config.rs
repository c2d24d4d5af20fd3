//! What the listener runs on: checked once, so nothing downstream checks again.

use std::time::Duration;

use settings::ListeningSettings;

use crate::wake::WakeWord;

/// The checked settings of listening.
#[derive(Debug, Clone, PartialEq)]
pub struct ListeningConfig {
    /// The name that calls us.
    pub wake_word: WakeWord,
    /// How long a follow-up needs no wake word; `None` turns the hot window off.
    pub hot_window: Option<Duration>,
    /// How long our own sound takes to come back.
    pub echo_tolerance: Duration,
    /// How much louder than a quiet room an echo can be, as a factor.
    pub echo_energy_threshold: f32,
    /// Words that end a reply, lower case.
    pub stop_words: Vec<String>,
    /// How alike a word must be to a stop word.
    pub stop_fuzzy_ratio: f64,
}

/// A setting of listening that cannot work.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListeningConfigError {
    /// Without a name nothing could call us.
    #[error("listening.wake_word is blank: use a name of at least two letters, such as jarvis")]
    NoWakeWord,
}

impl TryFrom<&ListeningSettings> for ListeningConfig {
    type Error = ListeningConfigError;

    fn try_from(settings: &ListeningSettings) -> Result<Self, Self::Error> {
        if settings.wake_word.trim().chars().count() < 2 {
            return Err(ListeningConfigError::NoWakeWord);
        }
        let stop_words = settings.stop_words.iter().map(|word| word.trim().to_lowercase());
        Ok(Self {
            wake_word: WakeWord::new(&settings.wake_word, &settings.wake_aliases, settings.wake_fuzzy_ratio),
            hot_window: (settings.hot_window_secs > 0.0)
                .then(|| Duration::from_secs_f64(settings.hot_window_secs)),
            echo_tolerance: Duration::from_secs_f64(settings.echo_tolerance_secs),
            echo_energy_threshold: settings.echo_energy_threshold as f32,
            stop_words: stop_words.filter(|word| !word.is_empty()).collect(),
            stop_fuzzy_ratio: settings.stop_fuzzy_ratio,
        })
    }
}
