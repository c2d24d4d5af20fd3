//! The values that the rules of echo compare.

/// Our own words, with their time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OwnSpeech {
    /// The words, in any case.
    pub text: String,
    /// When the first word sounded, in seconds.
    pub started_secs: f64,
    /// When the last word ended, in seconds; `None` while we speak.
    pub finished_secs: Option<f64>,
    /// The exact duration of the speech in seconds, when it is known.
    pub duration_secs: Option<f64>,
    /// The sentences of `text` with their times, if they are known. Without them the words are spread evenly over the
    /// duration.
    pub sentences: Vec<SentenceTime>,
    /// The loudness of the room without speech, root mean square.
    pub background_rms: f64,
}

/// The time of one sentence of our speech. A voice that is synthesised too slowly is silent between two of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SentenceTime {
    /// The number of its words.
    pub words: usize,
    /// When it started to sound, in seconds.
    pub started_secs: f64,
    /// When it ended, in seconds.
    pub ended_secs: f64,
}

/// An utterance that may be an echo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeardSpeech<'t> {
    /// The words.
    pub text: &'t str,
    /// When it started, in seconds.
    pub started_secs: f64,
    /// Its loudness, root mean square.
    pub energy_rms: f64,
    /// We were speaking when it started.
    pub during_own_speech: bool,
    /// The hot window is open.
    pub in_hot_window: bool,
}

/// The settings of echo detection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EchoConfig {
    /// The longest delay of an echo, in seconds.
    pub tolerance_secs: f64,
    /// The loudest echo, as a factor of [`OwnSpeech::background_rms`].
    pub energy_threshold: f64,
    /// Our speaking rate when the duration is not known.
    pub words_per_second: f64,
}
