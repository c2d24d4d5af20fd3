//! Echo: our own voice coming back through the microphone. Its words distinguish it from the voice of the user.
//!
//! Source: behaviour reference, section 1.7.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use regex::Regex;

use crate::similarity::{partial_ratio, ratio, token_set_ratio};

/// The least similarity of an echo, 0 to 100.
const MIN_SIMILARITY: f64 = 85.0;
/// The least similarity in the hot window, where a follow-up may repeat words of the reply.
const MIN_SIMILARITY_IN_HOT_WINDOW: f64 = 92.0;
/// The least similarity to a part of our speech that is longer than the utterance.
const MIN_SIMILARITY_TO_LONGER: f64 = 90.0;
/// The least similarity of a long text to the whole speech, and of pure echo.
const MIN_ROUGH_SIMILARITY: f64 = 70.0;
/// The words to compare before and after the expected place, in addition to those of the tolerance.
const MARGIN_WORDS: usize = 5;
/// The part of our speech that is compared with [`MIN_SIMILARITY_TO_LONGER`].
const LONG_RANGE: Duration = Duration::from_secs(8);
/// The longest text, in words, that is not compared with the whole speech: "stop" must not be lost.
const MAX_SHORT_WORDS: usize = 4;
/// An utterance that starts later than this after our speech is no echo.
const MAX_ECHO_DELAY: Duration = Duration::from_millis(1500);

/// What we said, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnSpeech {
    /// The words, in any case.
    pub text: String,
    /// When the first word was heard.
    pub started_at: Instant,
    /// When the last word ended; `None` while we speak.
    pub finished_at: Option<Instant>,
    /// The exact duration of the speech, when it is known.
    pub duration: Option<Duration>,
    /// The loudness of the room without speech, root mean square.
    pub background_rms: f32,
}

/// An utterance that may be an echo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeardSpeech<'t> {
    /// The words.
    pub text: &'t str,
    /// When it started.
    pub started_at: Instant,
    /// Its loudness, root mean square.
    pub energy_rms: f32,
    /// We were speaking when it started.
    pub during_own_speech: bool,
    /// The hot window is open.
    pub in_hot_window: bool,
}

/// The settings of echo detection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EchoConfig {
    /// The longest delay of an echo.
    pub tolerance: Duration,
    /// The loudest echo, as a factor of [`OwnSpeech::background_rms`].
    pub energy_threshold: f32,
    /// Our speaking rate when the duration is not known.
    pub words_per_second: f64,
}

/// Whether this utterance is our own voice.
pub fn is_echo(heard: &HeardSpeech<'_>, own: &OwnSpeech, config: &EchoConfig) -> bool {
    if own.text.trim().is_empty() || heard.text.trim().is_empty() {
        return false;
    }
    if heard.during_own_speech {
        return is_echo_while_speaking(heard, own, config);
    }
    let Some(finished_at) = own.finished_at else { return false };
    let delay = heard.started_at.saturating_duration_since(finished_at);
    let min_similarity = if heard.in_hot_window { MIN_SIMILARITY_IN_HOT_WINDOW } else { MIN_SIMILARITY };
    if delay < config.tolerance {
        is_similar(heard.text, &own.text, min_similarity)
            && heard.energy_rms < own.background_rms * config.energy_threshold
    } else {
        delay < MAX_ECHO_DELAY && is_similar(heard.text, &own.text, min_similarity)
    }
}

fn is_echo_while_speaking(heard: &HeardSpeech<'_>, own: &OwnSpeech, config: &EchoConfig) -> bool {
    let spoken_text = normalise(&own.text);
    let spoken = SpokenWords::new(&spoken_text, own, config);
    let heard_words = heard.text.split_whitespace().count();
    if is_similar(heard.text, &spoken.words_at(heard).join(" "), MIN_SIMILARITY)
        || is_similar(heard.text, &spoken.words_from(heard).join(" "), MIN_SIMILARITY_TO_LONGER)
    {
        return true;
    }
    heard_words > MAX_SHORT_WORDS
        && is_similar(heard.text, &own.text, MIN_ROUGH_SIMILARITY)
        && without_leading_echo(heard.text, &own.text).is_none()
}

/// Whether a short text may come from our own voice: only when we said these words at that time. The letters of a short
/// text are not enough: "a story of" contains "stop" except for one letter, and "yesterday" contains "yes".
pub fn may_be_own_words(heard: &HeardSpeech<'_>, own: &OwnSpeech, config: &EchoConfig) -> bool {
    let heard_text = normalise(heard.text);
    let heard_words: Vec<String> = heard_text.split_whitespace().map(strip_punctuation).collect();
    if heard_words.len() > MAX_SHORT_WORDS {
        return true;
    }
    let spoken_text = normalise(&own.text);
    let spoken = SpokenWords::new(&spoken_text, own, config);
    let candidates = if heard.during_own_speech { spoken.words_at(heard) } else { &spoken.words };
    let candidates: Vec<String> = candidates.iter().map(|word| strip_punctuation(word)).collect();
    let heard_text = heard_words.join(" ");
    // A recogniser joins and splits words, so the number of words may differ by one.
    let shortest = heard_words.len().saturating_sub(1).max(1);
    (shortest..=heard_words.len() + 1)
        .flat_map(|count| candidates.windows(count))
        .any(|words| ratio(&heard_text, &words.join(" ")) >= MIN_SIMILARITY_TO_LONGER)
}

/// The words of our speech, and the speaking rate.
struct SpokenWords<'t> {
    words: Vec<&'t str>,
    started_at: Instant,
    words_per_second: f64,
    tolerance: Duration,
}

impl<'t> SpokenWords<'t> {
    fn new(normalised: &'t str, own: &OwnSpeech, config: &EchoConfig) -> Self {
        let words: Vec<&str> = normalised.split_whitespace().collect();
        let words_per_second = match own.duration {
            Some(duration) if !duration.is_zero() => words.len() as f64 / duration.as_secs_f64(),
            _ => config.words_per_second,
        };
        Self { words, started_at: own.started_at, words_per_second, tolerance: config.tolerance }
    }

    /// The index of the word that we said when the utterance started.
    fn expected_word(&self, heard: &HeardSpeech<'_>) -> usize {
        let elapsed =
            heard.started_at.saturating_duration_since(self.started_at).saturating_sub(self.tolerance);
        (elapsed.as_secs_f64() * self.words_per_second) as usize
    }

    fn margin_words(&self) -> usize {
        (self.tolerance.as_secs_f64() * self.words_per_second).round() as usize + MARGIN_WORDS
    }

    fn first_word(&self, heard: &HeardSpeech<'_>) -> usize {
        self.expected_word(heard).saturating_sub(self.margin_words()).min(self.words.len())
    }

    /// The words that we said during the utterance.
    fn words_at(&self, heard: &HeardSpeech<'_>) -> &[&'t str] {
        let until = self.expected_word(heard) + heard.text.split_whitespace().count() + self.margin_words();
        &self.words[self.first_word(heard)..until.min(self.words.len())]
    }

    /// The words that we said from the start of the utterance on, for [`LONG_RANGE`].
    fn words_from(&self, heard: &HeardSpeech<'_>) -> &[&'t str] {
        let first_word = self.first_word(heard);
        let count = (LONG_RANGE.as_secs_f64() * self.words_per_second) as usize;
        &self.words[first_word..(first_word + count).min(self.words.len())]
    }
}

/// The letters, digits and apostrophes of a word.
fn strip_punctuation(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric() || *c == '\'').collect()
}

/// Whether two texts have at least this similarity, 0 to 100, after [`normalise`].
pub fn is_similar(heard: &str, spoken: &str, min_similarity: f64) -> bool {
    let (heard, spoken) = (normalise(heard), normalise(spoken));
    if heard.is_empty() || spoken.is_empty() {
        return false;
    }
    partial_ratio(&heard, &spoken).max(token_set_ratio(&heard, &spoken)) >= min_similarity
}

/// Whether an utterance contains only our own words. A text that is much longer than our speech contains words of the
/// user.
pub fn is_pure_echo(heard: &str, spoken: &str) -> bool {
    let (heard, spoken) = (heard.to_lowercase(), spoken.to_lowercase());
    let (heard, spoken) = (heard.trim(), spoken.trim());
    if heard.is_empty() || spoken.is_empty() {
        return false;
    }
    let (heard_words, spoken_words) = (heard.split_whitespace().count(), spoken.split_whitespace().count());
    let max_words = (1.3 * spoken_words as f64).max(spoken_words as f64 + 3.0);
    partial_ratio(heard, spoken) >= MIN_ROUGH_SIMILARITY && heard_words as f64 <= max_words
}

/// The words of the user after our own, when an utterance starts with the last words that we said.
pub fn without_leading_echo(heard: &str, spoken: &str) -> Option<String> {
    /// Two words with this similarity are the same word, recognised differently.
    const MIN_WORD_SIMILARITY: f64 = 70.0;
    let heard_text = normalise(heard);
    let heard: Vec<&str> = heard_text.split_whitespace().collect();
    let spoken_text = normalise(spoken);
    let spoken: Vec<&str> = spoken_text.split_whitespace().collect();
    let is_same = |(a, b): (&&str, &&str)| {
        let (a, b) = (strip_punctuation(a), strip_punctuation(b));
        a == b || ratio(&a, &b) >= MIN_WORD_SIMILARITY
    };
    let max_words = spoken.len().min(heard.len().saturating_sub(1));
    let overlap =
        (2..=max_words).rev().find(|k| spoken[spoken.len() - k..].iter().zip(&heard[..*k]).all(is_same))?;
    Some(heard[overlap..].join(" "))
}

/// Writes text as recognisers write speech: lower case, degrees as words, no parentheses.
pub fn normalise(text: &str) -> String {
    static CELSIUS: LazyLock<Regex> = LazyLock::new(|| compile(r"(\d+)\s*°\s*c\b"));
    static FAHRENHEIT: LazyLock<Regex> = LazyLock::new(|| compile(r"(\d+)\s*°\s*f\b"));
    static DEGREES: LazyLock<Regex> = LazyLock::new(|| compile(r"\s*°"));
    let lower = text.trim().to_lowercase();
    let lower = CELSIUS.replace_all(&lower, "$1 degrees celsius");
    let lower = FAHRENHEIT.replace_all(&lower, "$1 degrees fahrenheit");
    let lower = DEGREES.replace_all(&lower, " degrees");
    lower.chars().filter(|c| !matches!(c, '(' | ')')).collect::<String>().trim().to_owned()
}

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const REPLY: &str = "It will rain in Leeds this afternoon, so take an umbrella with you.";

    fn config() -> EchoConfig {
        EchoConfig { tolerance: Duration::from_millis(300), energy_threshold: 2.0, words_per_second: 3.0 }
    }

    #[rstest]
    #[case::our_own_words("rain in leeds this afternoon", 0.5, true)]
    #[case::misheard_slightly("will rein in leeds this after noon", 0.5, true)]
    #[case::the_user("what about tomorrow in york", 1.0, false)]
    #[case::a_stop_word("stop", 1.0, false)]
    fn own_words_while_we_speak_are_an_echo(
        #[case] text: &str,
        #[case] secs_in: f64,
        #[case] expected: bool,
    ) {
        let started_at = Instant::now();
        let duration = Some(Duration::from_secs_f64(4.5));
        let own =
            OwnSpeech { text: REPLY.into(), started_at, finished_at: None, duration, background_rms: 0.0045 };
        let heard = HeardSpeech {
            text,
            started_at: started_at + Duration::from_secs_f64(secs_in),
            energy_rms: 0.05,
            during_own_speech: true,
            in_hot_window: false,
        };

        assert_eq!(is_echo(&heard, &own, &config()), expected);
    }

    #[rstest]
    #[case::part_of_a_word("stop", "This is a long story of a boat.", false)]
    #[case::the_start_of_a_word("Yes.", "The shop closed yesterday.", false)]
    #[case::a_word_that_we_said("Stop!", "The next stop is Leeds.", true)]
    #[case::two_words_heard_as_one("notime", "There is no time left.", true)]
    #[case::other_words("be quiet", "The next stop is Leeds.", false)]
    #[case::too_long_for_this_rule("some five words or more", "The next stop is Leeds.", true)]
    fn short_text_is_an_echo_only_when_we_said_its_words(
        #[case] text: &str,
        #[case] spoken: &str,
        #[case] expected: bool,
    ) {
        let started_at = Instant::now();
        let duration = Some(Duration::from_secs(3));
        let own = OwnSpeech {
            text: spoken.into(),
            started_at,
            finished_at: None,
            duration,
            background_rms: 0.0045,
        };
        let heard = HeardSpeech {
            text,
            started_at: started_at + Duration::from_secs(1),
            energy_rms: 0.05,
            during_own_speech: true,
            in_hot_window: false,
        };

        assert_eq!(may_be_own_words(&heard, &own, &config()), expected);
    }

    #[rstest]
    #[case::quiet_and_at_once(0.1, 0.005, true)]
    #[case::too_loud_for_an_echo(0.1, 0.05, false)]
    #[case::a_little_later(1.0, 0.05, true)]
    #[case::too_late(1.6, 0.005, false)]
    fn own_words_shortly_after_our_speech_are_an_echo(
        #[case] secs_after: f64,
        #[case] energy_rms: f32,
        #[case] expected: bool,
    ) {
        let started_at = Instant::now();
        let finished = started_at + Duration::from_secs(5);
        let own = OwnSpeech {
            text: REPLY.into(),
            started_at,
            finished_at: Some(finished),
            duration: Some(Duration::from_secs(5)),
            background_rms: 0.0045,
        };
        let heard = HeardSpeech {
            text: "take an umbrella with you",
            started_at: finished + Duration::from_secs_f64(secs_after),
            energy_rms,
            during_own_speech: false,
            in_hot_window: true,
        };

        assert_eq!(is_echo(&heard, &own, &config()), expected);
    }

    #[test]
    fn words_after_the_end_of_our_speech_are_the_users() {
        assert_eq!(
            without_leading_echo("umbrella with you and what about tomorrow", REPLY).as_deref(),
            Some("and what about tomorrow")
        );
        assert_eq!(without_leading_echo("umbrella with you", REPLY), None);
    }

    #[test]
    fn degree_signs_are_normalised_to_words() {
        assert_eq!(
            normalise(" 18°C (feels like 16 °C), 20° "),
            "18 degrees celsius feels like 16 degrees celsius, 20 degrees"
        );
    }

    #[test]
    fn text_longer_than_our_speech_is_not_pure_echo() {
        assert!(is_pure_echo("take an umbrella", REPLY));
        assert!(!is_pure_echo("yes", "Fine."));
        assert!(!is_pure_echo("fine and now tell me what else there is", "Fine."));
    }
}
