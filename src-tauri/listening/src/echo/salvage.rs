//! The words of the user, when one utterance contains our own words and then theirs.

use super::similar::{is_similar, normalise};
use super::speech::{EchoConfig, OwnSpeech};
use super::timed_words::TimedWords;
use crate::similarity::ratio;

/// The least similarity of a part to our own words, 0 to 100.
const MIN_ECHO: f64 = 85.0;

/// Words of the user are less similar to our own than this, 0 to 100.
const MAX_USER: f64 = 70.0;

/// The words after the last words that we said, when an utterance starts with those. A word may be recognised a little
/// differently.
pub fn after_leading_echo(heard: &str, spoken: &str) -> Option<String> {
    /// Two words with this similarity are the same word.
    const MIN_WORD_SIMILARITY: f64 = 70.0;
    let is_same = |a: &str, b: &str| a == b || ratio(a, b) >= MIN_WORD_SIMILARITY;
    let heard = HeardWords::new(heard);
    let spoken = bare_words(&normalise(spoken));
    heard.after(overlap(&spoken, &heard.bare, 2, is_same)?)
}

/// The words of the user in an utterance that we spoke over, in three phases: equal words at the expected time, equal
/// words at the end of our speech, similar words in the second half of our speech.
pub fn user_words_while_speaking(
    heard: &str,
    started_secs: f64,
    own: &OwnSpeech,
    config: &EchoConfig,
) -> Option<String> {
    let heard_words = HeardWords::new(heard);
    let spoken_text = normalise(&own.text);
    let spoken = TimedWords::new(&spoken_text, own, config);
    let is_same = |a: &str, b: &str| a == b;
    let timed = spoken.during(started_secs, heard_words.bare.len()).iter().map(|word| bare(word));
    let timed: Vec<String> = timed.collect();
    let all: Vec<String> = spoken.words.iter().map(|word| bare(word)).collect();
    overlap(&timed, &heard_words.bare, 2, is_same)
        .or_else(|| overlap(&all, &heard_words.bare, 3, is_same))
        .and_then(|words| heard_words.after(words))
        .or_else(|| after_similar_prefix(heard, &spoken.words))
}

/// The words after the longest prefix that is similar to the second half of our speech.
fn after_similar_prefix(heard: &str, spoken: &[&str]) -> Option<String> {
    const MIN_PREFIX_WORDS: usize = 3;
    const MIN_SUFFIX_WORDS: usize = 2;
    const MAX_PREFIX_SHARE: f64 = 0.85;
    let heard: Vec<&str> = heard.split_whitespace().collect();
    let second_half = spoken[spoken.len() / 2..].join(" ");
    let longest = heard.len().checked_sub(MIN_SUFFIX_WORDS)?;
    let longest = longest.min((heard.len() as f64 * MAX_PREFIX_SHARE) as usize);
    (MIN_PREFIX_WORDS..=longest)
        .rev()
        .map(|length| (heard[..length].join(" "), heard[length..].join(" ")))
        .find(|(prefix, suffix)| {
            is_similar(prefix, &second_half, MIN_ECHO) && !is_similar(suffix, &second_half, MAX_USER)
        })
        .map(|(_, suffix)| suffix)
}

/// The words after the last window of five words that is similar to the end of our speech.
pub fn after_rightmost_echo(heard: &str, spoken: &str) -> Option<String> {
    const WINDOW_WORDS: usize = 5;
    const TAIL_WORDS: usize = 20;
    const MIN_USER_WORDS: usize = 3;
    let heard: Vec<&str> = heard.split_whitespace().collect();
    let spoken: Vec<&str> = spoken.split_whitespace().collect();
    let tail = spoken[spoken.len().saturating_sub(TAIL_WORDS)..].join(" ");
    let last = heard.len().checked_sub(MIN_USER_WORDS)?;
    (WINDOW_WORDS..=last)
        .rev()
        .map(|boundary| (heard[boundary - WINDOW_WORDS..boundary].join(" "), heard[boundary..].join(" ")))
        .find(|(window, rest)| is_similar(window, &tail, MIN_ECHO) && !is_similar(rest, &tail, MAX_USER))
        .map(|(_, rest)| rest)
}

/// The words of the user in an utterance that started before our echo had ended: the longer result of both searches.
pub fn after_merged_echo(
    heard: &str,
    started_secs: f64,
    own: &OwnSpeech,
    config: &EchoConfig,
) -> Option<String> {
    let finished_secs = own.finished_secs?;
    if started_secs >= finished_secs + config.tolerance_secs {
        return None;
    }
    let while_speaking = user_words_while_speaking(heard, started_secs, own, config);
    let rightmost = after_rightmost_echo(heard, &own.text);
    let longer = [while_speaking, rightmost].into_iter().flatten().rev().max_by_key(|words| words.len());
    longer.filter(|words| has_enough_words(words))
}

/// The words after the longest run of our own words, when an utterance starts with a run from the middle of our speech:
/// the user spoke over us and we went on.
pub fn after_own_words(
    heard: &str,
    started_secs: f64,
    own: &OwnSpeech,
    config: &EchoConfig,
) -> Option<String> {
    const MIN_RUN_WORDS: usize = 2;
    let heard = HeardWords::new(heard);
    let spoken_text = normalise(&own.text);
    let spoken = TimedWords::new(&spoken_text, own, config);
    let timed = spoken.during(started_secs, heard.bare.len()).iter().map(|word| bare(word));
    let timed: Vec<String> = timed.collect();
    let run_at = |from: usize| timed[from..].iter().zip(&heard.bare).take_while(|(a, b)| a == b).count();
    let longest = (0..timed.len()).map(run_at).max()?;
    if longest < MIN_RUN_WORDS { None } else { heard.after(longest).filter(|words| has_enough_words(words)) }
}

/// Returns `true` if these are enough words to count as words of the user.
pub(crate) fn has_enough_words(words: &str) -> bool {
    const MIN_USER_WORDS: usize = 3;
    words.split_whitespace().count() >= MIN_USER_WORDS
}

/// The words of an utterance, as they were recognised and without punctuation.
struct HeardWords {
    written: Vec<String>,
    bare: Vec<String>,
}

impl HeardWords {
    fn new(heard: &str) -> Self {
        let normalised = normalise(heard);
        let bare = bare_words(&normalised);
        let mut written: Vec<String> = heard.split_whitespace().map(str::to_owned).collect();
        // "18°C" is one written word and three normalised ones.
        if written.len() != bare.len() {
            written = normalised.split_whitespace().map(str::to_owned).collect();
        }
        Self { written, bare }
    }

    /// The words after the first `count`; `None` when there are none.
    fn after(&self, count: usize) -> Option<String> {
        self.written.get(count..).filter(|rest| !rest.is_empty()).map(|rest| rest.join(" "))
    }
}

/// The length of the longest end of `spoken` that is the start, and not the whole, of `heard`.
fn overlap(
    spoken: &[String],
    heard: &[String],
    min_words: usize,
    is_same: impl Fn(&str, &str) -> bool,
) -> Option<usize> {
    let max_words = spoken.len().min(heard.len().saturating_sub(1));
    (min_words..=max_words)
        .rev()
        .find(|k| spoken[spoken.len() - k..].iter().zip(&heard[..*k]).all(|(a, b)| is_same(a, b)))
}

fn bare_words(normalised: &str) -> Vec<String> {
    normalised.split_whitespace().map(bare).collect()
}

/// The letters, digits and apostrophes of a word.
pub(super) fn bare(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric() || *c == '\'').collect()
}

#[cfg(test)]
mod tests;
