//! Tells our own voice from that of the user.

use super::salvage::{bare, user_words_while_speaking};
use super::similar::{is_pure_echo, is_similar, normalise};
use super::speech::{EchoConfig, HeardSpeech, OwnSpeech};
use super::timed_words::TimedWords;
use crate::similarity::ratio;
use crate::wake::WakeWord;

/// The least similarity of an echo, 0 to 100.
const MIN_SIMILARITY: f64 = 85.0;
/// The least similarity in the hot window, where a follow-up may repeat words of the reply.
const MIN_SIMILARITY_IN_HOT_WINDOW: f64 = 92.0;
/// The least similarity to a part of our speech that is longer than the utterance.
const MIN_SIMILARITY_TO_LONGER: f64 = 90.0;
/// The length of that part, in seconds.
const LONGER_PART_SECS: f64 = 8.0;
/// The least similarity of a long text to the whole speech.
const MIN_SIMILARITY_TO_WHOLE: f64 = 70.0;
/// The least similarity of the words beside our name, when we say it at that time. Of 14 echoes that were heard imperfectly
/// the least similar had 54; of 600 requests against the same replies one in ten is as similar.
const MIN_SIMILARITY_BESIDE_NAME: f64 = 53.0;
/// Fewer words beside our name tell nothing: "Jarvis, what time is it" may come back as "Jarvis, look".
const MIN_WORDS_BESIDE_NAME: usize = 3;
/// The longest text, in words, that is not compared with the whole speech: "stop" must not be lost.
pub(crate) const MAX_SHORT_WORDS: usize = 4;
/// An utterance that starts later than this after our speech is no echo, in seconds.
const MAX_ECHO_DELAY_SECS: f64 = 1.5;

/// Returns `true` if this utterance is our own voice.
pub fn is_echo(heard: &HeardSpeech<'_>, own: &OwnSpeech, config: &EchoConfig) -> bool {
    if own.text.trim().is_empty() || heard.text.trim().is_empty() {
        return false;
    }
    if heard.during_own_speech {
        return is_echo_while_speaking(heard, own, config);
    }
    let Some(finished_secs) = own.finished_secs else { return false };
    let delay_secs = heard.started_secs - finished_secs;
    let min_similarity = if heard.in_hot_window { MIN_SIMILARITY_IN_HOT_WINDOW } else { MIN_SIMILARITY };
    let is_quiet = || heard.energy_rms < own.background_rms * config.energy_threshold;
    let may_be_echo = if (0.0..config.tolerance_secs).contains(&delay_secs) {
        is_quiet()
    } else {
        (config.tolerance_secs..MAX_ECHO_DELAY_SECS).contains(&delay_secs)
    };
    may_be_echo && is_similar(heard.text, &own.text, min_similarity)
}

/// The words, without punctuation, that we said during an utterance of `heard_words` words that started at this time.
pub fn own_words_during(
    started_secs: f64,
    heard_words: usize,
    own: &OwnSpeech,
    config: &EchoConfig,
) -> Vec<String> {
    let spoken_text = normalise(&own.text);
    let spoken = TimedWords::new(&spoken_text, own, config);
    spoken.during(started_secs, heard_words).iter().map(|word| bare(word)).collect()
}

/// Returns `true` if a text has enough words that we did not say at that time.
pub(crate) fn has_words_of_user(
    heard: &str,
    started_secs: f64,
    own: &OwnSpeech,
    config: &EchoConfig,
) -> bool {
    /// As many as are left of an utterance when our own words are cut off.
    const MIN_OTHER_WORDS: usize = 3;
    /// Two words with this similarity are the same word.
    const MIN_WORD_SIMILARITY: f64 = 70.0;
    let heard: Vec<String> = normalise(heard).split_whitespace().map(bare).collect();
    let said = own_words_during(started_secs, heard.len(), own, config);
    let is_said = |word: &&String| said.iter().any(|own| ratio(word, own) >= MIN_WORD_SIMILARITY);
    heard.iter().filter(|word| !is_said(word)).count() >= MIN_OTHER_WORDS
}

/// Returns `true` if a text with the wake word in it is our own voice, heard imperfectly: we said the wake word at that time,
/// and the words beside it resemble ours.
pub fn is_own_call(
    heard: &str,
    (started_secs, ended_secs): (f64, f64),
    own: &OwnSpeech,
    config: &EchoConfig,
    wake_word: &WakeWord,
) -> bool {
    let is_after_echo = |secs: f64| {
        own.finished_secs.is_some_and(|finished_secs| secs > finished_secs + config.tolerance_secs)
    };
    // An echo starts no later.
    if is_after_echo(started_secs) {
        return false;
    }
    let heard: Vec<String> = normalise(heard).split_whitespace().map(bare).collect();
    let words = own_words_during(started_secs, heard.len(), own, config);
    let (heard, said) = (without_name(&heard.join(" "), wake_word), words.join(" "));
    if !wake_word.is_in(&said) {
        return false;
    }
    if heard.len() < MIN_WORDS_BESIDE_NAME {
        return true;
    }
    // Most of a long echo is heard before our speech has ended: who goes on after it is the user.
    !is_after_echo(f64::midpoint(started_secs, ended_secs))
        && similarity_of_words(&heard, &without_name(&said, wake_word)) >= MIN_SIMILARITY_BESIDE_NAME
}

/// The other words of a text.
fn without_name(text: &str, wake_word: &WakeWord) -> Vec<String> {
    let text = wake_word.names().iter().fold(text.to_owned(), |text, name| text.replace(name.as_str(), ""));
    text.split_whitespace().filter(|word| !wake_word.is_in(word)).map(str::to_owned).collect()
}

/// The similarity of a text to the most similar run of as many words among these, 0 to 100. A recogniser joins and splits
/// words, so the number of words may differ by one.
fn similarity_of_words(heard: &[String], own_words: &[String]) -> f64 {
    let text = heard.join(" ");
    let shortest = heard.len().saturating_sub(1).max(1);
    (shortest..=heard.len() + 1)
        .flat_map(|count| own_words.windows(count))
        .map(|words| ratio(&text, &words.join(" ")))
        .fold(0.0, f64::max)
}

fn is_echo_while_speaking(heard: &HeardSpeech<'_>, own: &OwnSpeech, config: &EchoConfig) -> bool {
    let spoken = TimedWords::new(&own.text, own, config);
    let heard_words = heard.text.split_whitespace().count();
    let timed = spoken.during(heard.started_secs, heard_words).join(" ");
    let longer = || spoken.from(heard.started_secs, LONGER_PART_SECS).join(" ");
    if is_similar(heard.text, &timed, MIN_SIMILARITY)
        || is_similar(heard.text, &longer(), MIN_SIMILARITY_TO_LONGER)
    {
        return true;
    }
    heard_words > MAX_SHORT_WORDS
        && is_similar(heard.text, &own.text, MIN_SIMILARITY_TO_WHOLE)
        && user_words_while_speaking(heard.text, heard.started_secs, own, config).is_none()
}

/// Returns `true` if a short text may come from our own voice: only when we said these words at that time. The letters of a short
/// text are not enough: "a story of" contains "stop" except for one letter, and "yesterday" contains "yes".
pub fn is_explained_by_own_words(heard: &HeardSpeech<'_>, own: &OwnSpeech, config: &EchoConfig) -> bool {
    if heard.during_own_speech {
        let heard_words = heard.text.split_whitespace().count();
        let candidates = own_words_during(heard.started_secs, heard_words, own, config);
        are_own_words(heard.text, &candidates, MIN_SIMILARITY_TO_LONGER)
    } else {
        are_own_words(heard.text, &all_own_words(own), MIN_SIMILARITY_TO_LONGER)
    }
}

/// Returns `true` if an utterance after our speech contains only our own words: [`is_pure_echo`], but whole words of a short text.
pub fn is_echo_of_whole_words(heard: &str, own: &OwnSpeech) -> bool {
    is_pure_echo(heard, &own.text) && are_own_words(heard, &all_own_words(own), MIN_SIMILARITY_TO_WHOLE)
}

/// Returns `true` if a short text resembles a run of these words of ours as much as pure echo does.
pub(crate) fn resembles_words(heard: &str, own_words: &[String]) -> bool {
    are_own_words(heard, own_words, MIN_SIMILARITY_TO_WHOLE)
}

fn all_own_words(own: &OwnSpeech) -> Vec<String> {
    normalise(&own.text).split_whitespace().map(bare).collect()
}

/// Returns `true` if these words contain a short text as whole words. True for a longer text.
fn are_own_words(heard: &str, own_words: &[String], min_similarity: f64) -> bool {
    let heard_text = normalise(heard);
    let heard_words: Vec<String> = heard_text.split_whitespace().map(bare).collect();
    if heard_words.len() > MAX_SHORT_WORDS {
        return true;
    }
    similarity_of_words(&heard_words, own_words) >= min_similarity
}

#[cfg(test)]
mod tests;
