//! The words that we said at a time.

use super::speech::{EchoConfig, OwnSpeech};

/// Words to compare before and after the expected place, in addition to those of the tolerance.
const MARGIN_WORDS: usize = 5;

/// The words of our speech, and the speaking rate.
pub(super) struct TimedWords<'t> {
    pub words: Vec<&'t str>,
    started_secs: f64,
    words_per_second: f64,
    tolerance_secs: f64,
}

impl<'t> TimedWords<'t> {
    /// `text` is that of `own`, or a normalised form of it.
    pub fn new(text: &'t str, own: &OwnSpeech, config: &EchoConfig) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let words_per_second = match own.duration_secs {
            Some(duration) if duration > 0.0 => words.len() as f64 / duration,
            _ => config.words_per_second,
        };
        let tolerance_secs = config.tolerance_secs;
        Self { words, started_secs: own.started_secs, words_per_second, tolerance_secs }
    }

    /// The words that we said during an utterance of `heard_words` words that started at this time.
    pub fn during(&self, started_secs: f64, heard_words: usize) -> &[&'t str] {
        self.range(started_secs, heard_words + self.margin())
    }

    /// The words that we said from this time on, for `secs`.
    pub fn from(&self, started_secs: f64, secs: f64) -> &[&'t str] {
        self.range(started_secs, (secs * self.words_per_second) as usize)
    }

    /// The words from a margin before the expected one to `after` words after it.
    fn range(&self, started_secs: f64, after: usize) -> &[&'t str] {
        let elapsed = (started_secs - self.started_secs - self.tolerance_secs).max(0.0);
        let expected = (elapsed * self.words_per_second) as usize;
        let first = expected.saturating_sub(self.margin()).min(self.words.len());
        &self.words[first..expected.saturating_add(after).clamp(first, self.words.len())]
    }

    fn margin(&self) -> usize {
        (self.tolerance_secs * self.words_per_second).round_ties_even() as usize + MARGIN_WORDS
    }
}
