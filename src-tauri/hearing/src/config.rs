//! The checked settings of hearing.

use std::time::Duration;

use languages::LanguageData;
use settings::{HearingSettings, ListeningSettings, Patience};
use vocabulary::{FRAME_DURATION, Language};

use crate::speech_to_text::{DecodeEffort, DecodeRequest};

/// The settings of hearing, checked once, so that no other code checks them again.
#[derive(Debug, Clone, PartialEq)]
pub struct HearingConfig {
    /// The language spoken; `None` detects it for each utterance.
    pub language: Option<Language>,
    /// Silence after which the final pass of recognition starts. If the user speaks again, its result is discarded.
    pub final_pass_silence: Duration,
    /// Silence that ends an utterance whose words sound complete.
    pub early_endpoint: Duration,
    /// Silence that always ends an utterance.
    pub endpoint: Duration,
    /// The longest utterance.
    pub max_utterance: Duration,
    /// The longest utterance while the assistant speaks.
    pub max_utterance_while_speaking: Duration,
    /// Sound kept from before the first voiced frame.
    pub pre_roll: Duration,
    /// An utterance with less voiced sound is noise.
    pub min_utterance: Duration,
    /// Segments with less confidence are dropped.
    pub min_confidence: f32,
    /// Segments with at least this probability of not being speech are dropped.
    pub no_speech_threshold: f32,
    /// The wake words, in lower case. Segments that contain one are accepted at half of `min_confidence`: otherwise calls
    /// of the user are lost.
    pub names: Vec<String>,
    /// The stop words, in lower case. A segment that consists of one is accepted at any confidence: recognisers give a
    /// single short word a low confidence, and a missed stop is worse than an unwanted one.
    pub commands: Vec<String>,
}

/// Most pauses between syllables are shorter. An unnecessary final pass is discarded.
const FINAL_PASS_SILENCE: Duration = Duration::from_millis(60);

/// An invalid setting of hearing.
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
    /// Names the invalid key and a valid value.
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
        let commands = commands(&listening.stop_words, language.as_ref());
        let early_endpoint = with_patience(hearing.early_endpoint_ms, hearing.patience);
        Ok(Self {
            language,
            final_pass_silence: FINAL_PASS_SILENCE.min(early_endpoint),
            early_endpoint,
            endpoint: with_patience(hearing.endpoint_silence_ms, hearing.patience),
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

    /// Returns the request to decode speech in this language.
    pub(crate) fn request(&self, language: Option<Language>, effort: DecodeEffort) -> DecodeRequest {
        DecodeRequest { language, name: self.names.first().cloned(), effort }
    }
}

/// A pause of the settings, in milliseconds, for a user of this patience.
fn with_patience(pause_ms: u64, patience: Patience) -> Duration {
    let pause = Duration::from_millis(pause_ms);
    match patience {
        Patience::Quick => pause * 2 / 3,
        Patience::Normal => pause,
        Patience::Patient => pause * 2,
    }
}

/// The stop words of the settings, and those of the language spoken, or of all languages while it is detected. None at all
/// when the settings have none.
fn commands(stop_words: &[String], language: Option<&Language>) -> Vec<String> {
    let words = stop_words.iter().map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty());
    let mut commands: Vec<String> = words.collect();
    if !commands.is_empty() {
        let is_spoken = |data: &&LanguageData| language.is_none_or(|language| language.code() == data.code);
        let spoken = languages::all().iter().filter(is_spoken);
        commands.extend(spoken.flat_map(|data| data.stop_words.iter()).map(str::to_owned));
    }
    commands
}

/// The number of frames in this duration, rounded up.
pub(crate) fn frames(duration: Duration) -> usize {
    duration.as_nanos().div_ceil(FRAME_DURATION.as_nanos()) as usize
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::quick(Patience::Quick, 200, 533)]
    #[case::normal(Patience::Normal, 300, 800)]
    #[case::patient(Patience::Patient, 600, 1600)]
    fn patience_stretches_both_pauses(
        #[case] patience: Patience,
        #[case] early_ms: u128,
        #[case] longest_ms: u128,
    ) {
        let hearing = HearingSettings { patience, ..Default::default() };

        let config = HearingConfig::new(&hearing, &ListeningSettings::default()).unwrap();

        assert_eq!((config.early_endpoint.as_millis(), config.endpoint.as_millis()), (early_ms, longest_ms));
    }

    #[test]
    fn invalid_language_error_names_the_key_and_the_remedy() {
        let hearing = HearingSettings { language: "english".into(), ..Default::default() };

        let error = HearingConfig::new(&hearing, &ListeningSettings::default()).unwrap_err();

        assert_eq!(
            error.to_string(),
            "hearing.language is english: use auto or a code of two letters such as en"
        );
    }

    #[test]
    fn endpoint_shorter_than_the_early_endpoint_is_rejected() {
        let hearing = HearingSettings { endpoint_silence_ms: 100, ..Default::default() };

        assert!(HearingConfig::new(&hearing, &ListeningSettings::default()).is_err());
    }
}
