//! What the hearer runs on: checked once, so nothing downstream checks again.

use std::time::Duration;

use settings::{HearingSettings, ListeningSettings};
use vocabulary::{FRAME_DURATION, Language};

/// The checked settings of hearing.
#[derive(Debug, Clone, PartialEq)]
pub struct HearingConfig {
    /// The language spoken; `None` finds it out for each utterance.
    pub language: Option<Language>,
    /// Silence after which the final pass of recognition starts, hoping that the user is done.
    pub hint: Duration,
    /// Silence that ends an utterance whose words sound complete.
    pub early_endpoint: Duration,
    /// Silence that always ends an utterance.
    pub endpoint: Duration,
    /// The longest utterance.
    pub max_utterance: Duration,
    /// The longest utterance while our own voice is out.
    pub max_utterance_while_speaking: Duration,
    /// Sound kept from before speech was noticed.
    pub pre_roll: Duration,
    /// Less voiced sound than this is noise.
    pub min_utterance: Duration,
    /// Segments with less confidence are dropped.
    pub min_confidence: f32,
    /// Segments at least so likely to be no speech are dropped.
    pub no_speech_threshold: f32,
    /// Segments that hold one of these, in lower case, are believed at half the confidence: users lose calls otherwise.
    pub names: Vec<String>,
    /// Segments that are nothing but one of these, in lower case, are believed at any confidence: one short word gives
    /// a recogniser little to be sure of, and a stop that is lost is worse than one too many.
    pub commands: Vec<String>,
}

/// Silence after which the final pass starts. Pauses between syllables stay below this mostly; a pass
/// started in vain is thrown away.
const HINT: Duration = Duration::from_millis(60);

/// A setting of hearing that cannot work.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("hearing.{key} is {value}: use {remedy}")]
pub struct HearingConfigError {
    key: &'static str,
    value: String,
    remedy: &'static str,
}

impl HearingConfig {
    /// Checks the settings against each other.
    ///
    /// # Errors
    ///
    /// Names the key that cannot work and what would.
    pub fn new(hearing: &HearingSettings, listening: &ListeningSettings) -> Result<Self, HearingConfigError> {
        let language = match hearing.language.as_str() {
            "auto" | "" => None,
            code => Some(Language::new(code).ok_or_else(|| HearingConfigError {
                key: "language",
                value: code.to_owned(),
                remedy: "auto or a code of two letters such as en",
            })?),
        };
        if hearing.endpoint_silence_ms < hearing.early_endpoint_ms {
            return Err(HearingConfigError {
                key: "endpoint_silence_ms",
                value: hearing.endpoint_silence_ms.to_string(),
                remedy: "at least hearing.early_endpoint_ms",
            });
        }
        let names = std::iter::once(&listening.wake_word)
            .chain(&listening.wake_aliases)
            .map(|name| name.trim().to_lowercase())
            .filter(|name| !name.is_empty())
            .collect();
        let commands = listening.stop_words.iter().map(|word| word.trim().to_lowercase()).collect();
        Ok(Self {
            language,
            hint: HINT.min(Duration::from_millis(hearing.early_endpoint_ms)),
            early_endpoint: Duration::from_millis(hearing.early_endpoint_ms),
            endpoint: Duration::from_millis(hearing.endpoint_silence_ms),
            max_utterance: Duration::from_millis(hearing.max_utterance_ms),
            max_utterance_while_speaking: Duration::from_millis(hearing.max_utterance_while_speaking_ms),
            pre_roll: Duration::from_millis(hearing.pre_roll_ms),
            min_utterance: Duration::from_millis(hearing.min_utterance_ms),
            min_confidence: hearing.min_confidence as f32,
            no_speech_threshold: hearing.no_speech_threshold as f32,
            names,
            commands,
        })
    }
}

/// How many whole frames last so long, rounded up.
pub(crate) fn frames(duration: Duration) -> usize {
    duration.as_nanos().div_ceil(FRAME_DURATION.as_nanos()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_that_is_none_names_its_key_and_the_remedy() {
        let hearing = HearingSettings { language: "english".into(), ..Default::default() };

        let error = HearingConfig::new(&hearing, &ListeningSettings::default()).unwrap_err();

        assert_eq!(
            error.to_string(),
            "hearing.language is english: use auto or a code of two letters such as en"
        );
    }

    #[test]
    fn an_endpoint_before_the_early_one_is_refused() {
        let hearing = HearingSettings { endpoint_silence_ms: 100, ..Default::default() };

        assert!(HearingConfig::new(&hearing, &ListeningSettings::default()).is_err());
    }
}
