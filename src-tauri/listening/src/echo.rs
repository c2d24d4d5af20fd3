//! Our own voice coming back through the microphone, told from the user's by its words.
//!
//! Source: behaviour reference, section 1.7.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use regex::Regex;

use crate::similarity::{partial_ratio, ratio, token_set_ratio};

/// Texts at least so alike, 0 to 100, are one and the same.
const ALIKE: f64 = 85.0;
/// The pass mark in the hot window, where a follow-up may well repeat words of the reply.
const ALIKE_IN_HOT_WINDOW: f64 = 92.0;
/// The pass mark when compared with a stretch of speech longer than what was heard.
const ALIKE_TO_MORE: f64 = 90.0;
/// The pass mark for long texts against all that was spoken, and for pure echo.
const ROUGHLY_ALIKE: f64 = 70.0;
/// Words around the expected place that are looked at too, besides those of the tolerance.
const EXTRA_WORDS: usize = 5;
/// The stretch compared at [`ALIKE_TO_MORE`].
const STRETCH: Duration = Duration::from_secs(8);
/// Texts of up to so many words are not compared with all that was spoken: "stop" must not be lost.
const SHORT_WORDS: usize = 4;
/// Later than this after we fell silent nothing is echo.
const ECHO_LASTS: Duration = Duration::from_millis(1500);

/// What we spoke and when: everything the echo test needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnSpeech {
    /// The words, any case.
    pub text: String,
    /// When the first of them sounded.
    pub started_at: Instant,
    /// When the last of them ended; `None` while speaking.
    pub finished_at: Option<Instant>,
    /// How long they sound, exactly, where that is known.
    pub lasts: Option<Duration>,
    /// How loud the room is when nobody speaks, root mean square.
    pub quiet_rms: f32,
}

/// What was heard, to be compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heard<'t> {
    /// The words.
    pub text: &'t str,
    /// When they began.
    pub started_at: Instant,
    /// How loud they were, root mean square.
    pub energy_rms: f32,
    /// Were we speaking?
    pub during_speech: bool,
    /// Is a follow-up welcome now?
    pub in_hot_window: bool,
}

/// What the echo test runs on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EchoConfig {
    /// How long sound takes to come back.
    pub tolerance: Duration,
    /// How much louder than a quiet room an echo can be, as a factor.
    pub energy_threshold: f32,
    /// How fast we speak where the duration is not known, in words a second.
    pub words_a_second: f64,
}

/// Is this our own voice?
pub fn is_echo(heard: &Heard<'_>, own: &OwnSpeech, config: &EchoConfig) -> bool {
    if own.text.trim().is_empty() || heard.text.trim().is_empty() {
        return false;
    }
    if heard.during_speech {
        return is_echo_while_speaking(heard, own, config);
    }
    let Some(finished_at) = own.finished_at else { return false };
    let since = heard.started_at.saturating_duration_since(finished_at);
    let pass_mark = if heard.in_hot_window { ALIKE_IN_HOT_WINDOW } else { ALIKE };
    if since < config.tolerance {
        is_alike(heard.text, &own.text, pass_mark)
            && heard.energy_rms < own.quiet_rms * config.energy_threshold
    } else {
        since < ECHO_LASTS && is_alike(heard.text, &own.text, pass_mark)
    }
}

fn is_echo_while_speaking(heard: &Heard<'_>, own: &OwnSpeech, config: &EchoConfig) -> bool {
    let spoken_text = normalise(&own.text);
    let spoken = SpokenWords::new(&spoken_text, own, config);
    let heard_words = heard.text.split_whitespace().count();
    if is_alike(heard.text, &spoken.near(heard).join(" "), ALIKE)
        || is_alike(heard.text, &spoken.stretch(heard).join(" "), ALIKE_TO_MORE)
    {
        return true;
    }
    heard_words > SHORT_WORDS
        && is_alike(heard.text, &own.text, ROUGHLY_ALIKE)
        && without_leading_echo(heard.text, &own.text).is_none()
}

/// Could so few words come from our own voice? Only if we spoke these very words, when they were heard. Letters alone
/// tell nothing about a short text: "stop" is in "a story of" but for one letter, "yes" is in "yesterday".
pub fn may_be_own_words(heard: &Heard<'_>, own: &OwnSpeech, config: &EchoConfig) -> bool {
    let heard_text = normalise(heard.text);
    let heard_words: Vec<String> = heard_text.split_whitespace().map(bare).collect();
    if heard_words.len() > SHORT_WORDS {
        return true;
    }
    let spoken_text = normalise(&own.text);
    let spoken = SpokenWords::new(&spoken_text, own, config);
    let candidates = if heard.during_speech { spoken.near(heard) } else { &spoken.words };
    let candidates: Vec<String> = candidates.iter().map(|word| bare(word)).collect();
    let heard_text = heard_words.join(" ");
    // A recogniser joins and splits words: one more or one less may be the same.
    let shortest = heard_words.len().saturating_sub(1).max(1);
    (shortest..=heard_words.len() + 1)
        .flat_map(|count| candidates.windows(count))
        .any(|words| ratio(&heard_text, &words.join(" ")) >= ALIKE_TO_MORE)
}

/// What we spoke, word by word, and how fast.
struct SpokenWords<'t> {
    words: Vec<&'t str>,
    started_at: Instant,
    words_a_second: f64,
    tolerance: Duration,
}

impl<'t> SpokenWords<'t> {
    fn new(normalised: &'t str, own: &OwnSpeech, config: &EchoConfig) -> Self {
        let words: Vec<&str> = normalised.split_whitespace().collect();
        let words_a_second = match own.lasts {
            Some(lasts) if !lasts.is_zero() => words.len() as f64 / lasts.as_secs_f64(),
            _ => config.words_a_second,
        };
        Self { words, started_at: own.started_at, words_a_second, tolerance: config.tolerance }
    }

    /// The word that sounded when this began.
    fn expected(&self, heard: &Heard<'_>) -> usize {
        let into = heard.started_at.saturating_duration_since(self.started_at).saturating_sub(self.tolerance);
        (into.as_secs_f64() * self.words_a_second) as usize
    }

    fn around(&self) -> usize {
        (self.tolerance.as_secs_f64() * self.words_a_second).round() as usize + EXTRA_WORDS
    }

    fn from(&self, heard: &Heard<'_>) -> usize {
        self.expected(heard).saturating_sub(self.around()).min(self.words.len())
    }

    /// The words that sounded meanwhile.
    fn near(&self, heard: &Heard<'_>) -> &[&'t str] {
        let until = self.expected(heard) + heard.text.split_whitespace().count() + self.around();
        &self.words[self.from(heard)..until.min(self.words.len())]
    }

    /// The words of some seconds.
    fn stretch(&self, heard: &Heard<'_>) -> &[&'t str] {
        let from = self.from(heard);
        let count = (STRETCH.as_secs_f64() * self.words_a_second) as usize;
        &self.words[from..(from + count).min(self.words.len())]
    }
}

/// A word without the signs around it.
fn bare(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric() || *c == '\'').collect()
}

/// Are these texts alike enough, 0 to 100, whatever their case, and with signs read as words?
pub fn is_alike(heard: &str, spoken: &str, pass_mark: f64) -> bool {
    let (heard, spoken) = (normalise(heard), normalise(spoken));
    if heard.is_empty() || spoken.is_empty() {
        return false;
    }
    partial_ratio(&heard, &spoken).max(token_set_ratio(&heard, &spoken)) >= pass_mark
}

/// Is this nothing but what we spoke? Longer texts hold something of the user's.
pub fn is_pure_echo(heard: &str, spoken: &str) -> bool {
    let (heard, spoken) = (heard.to_lowercase(), spoken.to_lowercase());
    let (heard, spoken) = (heard.trim(), spoken.trim());
    if heard.is_empty() || spoken.is_empty() {
        return false;
    }
    let (heard_words, spoken_words) = (heard.split_whitespace().count(), spoken.split_whitespace().count());
    let longest = (1.3 * spoken_words as f64).max(spoken_words as f64 + 3.0);
    partial_ratio(heard, spoken) >= ROUGHLY_ALIKE && heard_words as f64 <= longest
}

/// The user's words behind the end of our own, where what was heard begins with the last words we spoke.
pub fn without_leading_echo(heard: &str, spoken: &str) -> Option<String> {
    /// Words this alike are the same word, heard differently.
    const SAME_WORD: f64 = 70.0;
    let heard_text = normalise(heard);
    let heard: Vec<&str> = heard_text.split_whitespace().collect();
    let spoken_text = normalise(spoken);
    let spoken: Vec<&str> = spoken_text.split_whitespace().collect();
    let is_same = |(a, b): (&&str, &&str)| {
        let (a, b) = (bare(a), bare(b));
        a == b || ratio(&a, &b) >= SAME_WORD
    };
    let longest = spoken.len().min(heard.len().saturating_sub(1));
    let overlap =
        (2..=longest).rev().find(|k| spoken[spoken.len() - k..].iter().zip(&heard[..*k]).all(is_same))?;
    Some(heard[overlap..].join(" "))
}

/// Lower case, degrees in words, and no parentheses: as recognisers write what voices say.
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
        EchoConfig { tolerance: Duration::from_millis(300), energy_threshold: 2.0, words_a_second: 3.0 }
    }

    #[rstest]
    #[case::our_own_words("rain in leeds this afternoon", 0.5, true)]
    #[case::misheard_slightly("will rein in leeds this after noon", 0.5, true)]
    #[case::the_user("what about tomorrow in york", 1.0, false)]
    #[case::a_stop_word("stop", 1.0, false)]
    fn tells_our_voice_while_speaking(#[case] text: &str, #[case] secs_in: f64, #[case] expected: bool) {
        let started_at = Instant::now();
        let lasts = Some(Duration::from_secs_f64(4.5));
        let own = OwnSpeech { text: REPLY.into(), started_at, finished_at: None, lasts, quiet_rms: 0.0045 };
        let heard = Heard {
            text,
            started_at: started_at + Duration::from_secs_f64(secs_in),
            energy_rms: 0.05,
            during_speech: true,
            in_hot_window: false,
        };

        assert_eq!(is_echo(&heard, &own, &config()), expected);
    }

    #[rstest]
    #[case::part_of_a_word("stop", "This is a long story of a boat.", false)]
    #[case::the_start_of_a_word("Yes.", "The shop closed yesterday.", false)]
    #[case::the_very_word("Stop!", "The next stop is Leeds.", true)]
    #[case::two_words_heard_as_one("notime", "There is no time left.", true)]
    #[case::others("be quiet", "The next stop is Leeds.", false)]
    #[case::too_long_to_tell("some five words or more", "The next stop is Leeds.", true)]
    fn few_words_are_ours_only_word_by_word(
        #[case] text: &str,
        #[case] spoken: &str,
        #[case] expected: bool,
    ) {
        let started_at = Instant::now();
        let lasts = Some(Duration::from_secs(3));
        let own = OwnSpeech { text: spoken.into(), started_at, finished_at: None, lasts, quiet_rms: 0.0045 };
        let heard = Heard {
            text,
            started_at: started_at + Duration::from_secs(1),
            energy_rms: 0.05,
            during_speech: true,
            in_hot_window: false,
        };

        assert_eq!(may_be_own_words(&heard, &own, &config()), expected);
    }

    #[rstest]
    #[case::quiet_and_at_once(0.1, 0.005, true)]
    #[case::too_loud_for_an_echo(0.1, 0.05, false)]
    #[case::a_little_later(1.0, 0.05, true)]
    #[case::too_late(1.6, 0.005, false)]
    fn tells_our_voice_after_speaking(
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
            lasts: Some(Duration::from_secs(5)),
            quiet_rms: 0.0045,
        };
        let heard = Heard {
            text: "take an umbrella with you",
            started_at: finished + Duration::from_secs_f64(secs_after),
            energy_rms,
            during_speech: false,
            in_hot_window: true,
        };

        assert_eq!(is_echo(&heard, &own, &config()), expected);
    }

    #[test]
    fn what_follows_the_end_of_our_speech_is_the_users() {
        assert_eq!(
            without_leading_echo("umbrella with you and what about tomorrow", REPLY).as_deref(),
            Some("and what about tomorrow")
        );
        assert_eq!(without_leading_echo("umbrella with you", REPLY), None);
    }

    #[test]
    fn signs_are_compared_as_words() {
        assert_eq!(
            normalise(" 18°C (feels like 16 °C), 20° "),
            "18 degrees celsius feels like 16 degrees celsius, 20 degrees"
        );
    }

    #[test]
    fn a_longer_text_than_ours_is_not_pure_echo() {
        assert!(is_pure_echo("take an umbrella", REPLY));
        assert!(!is_pure_echo("yes", "Fine."));
        assert!(!is_pure_echo("fine and now tell me what else there is", "Fine."));
    }
}
