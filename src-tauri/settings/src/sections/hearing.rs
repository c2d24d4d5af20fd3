//! Sound, hearing and listening.

use serde::{Deserialize, Serialize};

use crate::choices::Patience;

/// `audio` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AudioSettings {
    /// Part of the microphone's name; empty is the system's default.
    pub microphone: String,
    /// Part of the speaker's name; empty is the system's default.
    pub speaker: String,
    /// Loudness of the voice, 0.0 to 1.0.
    pub volume: f64,
    /// Other programs are quieter while the user speaks to us.
    pub quieten_others: bool,
}

impl Default for AudioSettings {
    fn default() -> Self {
        Self { microphone: String::new(), speaker: String::new(), volume: 1.0, quieten_others: false }
    }
}

/// `hearing` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HearingSettings {
    /// Id of the speech model in the catalogue; `auto` takes the best one for this machine.
    pub speech_model: String,
    /// The language spoken, as a two-letter code; `auto` detects it for each utterance.
    pub language: String,
    /// Factor of the two pauses.
    pub patience: Patience,
    /// Id of the model that hears when the user has finished; empty takes none, `auto` one that is installed.
    pub endpoint_model: String,
    /// Silence that always ends an utterance, in milliseconds. Source: docs/behaviour/listening.md#capture.
    pub endpoint_silence_ms: u64,
    /// Silence that ends an utterance whose words sound complete, in milliseconds. Source: our bench.
    pub early_endpoint_ms: u64,
    /// The longest utterance, in milliseconds.
    pub max_utterance_ms: u64,
    /// The longest utterance while we speak, in milliseconds.
    pub max_utterance_while_speaking_ms: u64,
    /// Sound kept from before speech was noticed, in milliseconds.
    pub pre_roll_ms: u64,
    /// Shorter utterances are noise, in milliseconds.
    pub min_utterance_ms: u64,
    /// Segments recognised with less confidence are dropped, 0.0 to 1.0.
    pub min_confidence: f64,
    /// Segments at least this likely not to be speech are dropped, 0.0 to 1.0.
    pub no_speech_threshold: f64,
    /// Take our own sound out of that of the microphone.
    pub echo_cancelling: bool,
    /// Look for the name in sound first, and recognise only speech that contains it, or may be meant for us without it.
    pub name_in_sound: bool,
    /// Threads of the recogniser; 0 chooses for this machine.
    pub threads: u64,
}

impl Default for HearingSettings {
    fn default() -> Self {
        Self {
            speech_model: "auto".into(),
            language: "auto".into(),
            patience: Patience::Normal,
            endpoint_model: String::new(),
            endpoint_silence_ms: 800,
            early_endpoint_ms: 300,
            max_utterance_ms: 12_000,
            max_utterance_while_speaking_ms: 3_000,
            pre_roll_ms: 240,
            min_utterance_ms: 150,
            min_confidence: 0.3,
            no_speech_threshold: 0.5,
            echo_cancelling: true,
            name_in_sound: false,
            threads: 0,
        }
    }
}

/// `listening` in the settings file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListeningSettings {
    /// Listen to the microphone at all.
    pub enabled: bool,
    /// The name that wakes the assistant; also what it calls itself.
    pub wake_word: String,
    /// The words that recognisers tend to write in place of the name.
    pub wake_aliases: Vec<String>,
    /// The least similarity of a word to the name, 0.5 to 1.0.
    pub wake_fuzzy_ratio: f64,
    /// The time in which a follow-up needs no wake word, in seconds after the reply ends; `0` turns it off.
    pub hot_window_secs: f64,
    /// The time in which the echo of our own speech may still arrive, in seconds.
    pub echo_tolerance_secs: f64,
    /// The loudness of our echo right after we spoke, as a factor of the measured room.
    pub echo_energy_threshold: f64,
    /// Words that end a reply at once.
    pub stop_words: Vec<String>,
    /// The least similarity of a word to a stop word, 0.5 to 1.0.
    pub stop_fuzzy_ratio: f64,
    /// Answer only people whose voice is enrolled.
    pub only_enrolled_voices: bool,
    /// Ask the language model about words that may be meant for others.
    pub intent_judge: bool,
    /// The time that this may take, in seconds.
    pub judge_timeout_secs: f64,
    /// The time for which words in the room are kept, in seconds, so that a question can refer to them.
    pub transcript_secs: f64,
}

impl Default for ListeningSettings {
    fn default() -> Self {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect();
        Self {
            enabled: true,
            wake_word: "jarvis".into(),
            wake_aliases: words(&[
                "joris", "charis", "chavis", "jar is", "jaivis", "jervis", "jarvus", "jarviz", "javis",
                "jairus", "jarryst", "chyrus",
            ]),
            wake_fuzzy_ratio: 0.78,
            hot_window_secs: 3.0,
            echo_tolerance_secs: 0.3,
            echo_energy_threshold: 2.0,
            stop_words: words(&["stop", "quiet", "shush", "silence", "enough", "shut up"]),
            stop_fuzzy_ratio: 0.8,
            only_enrolled_voices: false,
            intent_judge: true,
            judge_timeout_secs: 15.0,
            transcript_secs: 120.0,
        }
    }
}
