//! The words that we said at a time.

use super::speech::{EchoConfig, OwnSpeech, SentenceTime};

/// Words to compare before and after the expected place, in addition to those of the tolerance.
const MARGIN_WORDS: usize = 5;

/// The words of our speech, and the speaking rate.
pub(super) struct TimedWords<'t> {
    pub words: Vec<&'t str>,
    started_secs: f64,
    words_per_second: f64,
    tolerance_secs: f64,
    sentences: &'t [SentenceTime],
}

impl<'t> TimedWords<'t> {
    /// `text` is that of `own`, or a normalised form of it.
    pub fn new(text: &'t str, own: &'t OwnSpeech, config: &EchoConfig) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let spoken_secs = match own.sentences.as_slice() {
            [] => own.duration_secs,
            sentences => Some(sentences.iter().map(|s| s.ended_secs - s.started_secs).sum()),
        };
        let words_per_second = match spoken_secs {
            Some(duration) if duration > 0.0 => words.len() as f64 / duration,
            _ => config.words_per_second,
        };
        let (started_secs, tolerance_secs) = (own.started_secs, config.tolerance_secs);
        Self { words, started_secs, words_per_second, tolerance_secs, sentences: &own.sentences }
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
        let expected = self.word_at(started_secs - self.tolerance_secs);
        let first = expected.saturating_sub(self.margin()).min(self.words.len());
        &self.words[first..expected.saturating_add(after).clamp(first, self.words.len())]
    }

    /// The index of the word that sounds at this time. Between two sentences it is the first one of the next.
    fn word_at(&self, at_secs: f64) -> usize {
        if self.sentences.is_empty() {
            return ((at_secs - self.started_secs).max(0.0) * self.words_per_second) as usize;
        }
        let said: f64 = self.sentences.iter().map(|sentence| sentence.words_before(at_secs)).sum();
        // A normalised text has a few words more than the sentences: "18°C" becomes three.
        let all: usize = self.sentences.iter().map(|sentence| sentence.words).sum();
        (said * self.words.len() as f64 / all.max(1) as f64) as usize
    }

    fn margin(&self) -> usize {
        (self.tolerance_secs * self.words_per_second).round_ties_even() as usize + MARGIN_WORDS
    }
}

impl SentenceTime {
    /// The number of words of this sentence that were said before this time.
    fn words_before(&self, at_secs: f64) -> f64 {
        let said_secs = at_secs - self.started_secs;
        let duration_secs = self.ended_secs - self.started_secs;
        let share = if duration_secs > 0.0 { (said_secs / duration_secs).clamp(0.0, 1.0) } else { 0.0 };
        self.words as f64 * share
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Two sentences of three words, one second each, with a silence of eight seconds between them.
    fn with_silence() -> OwnSpeech {
        let sentence = |started_secs| SentenceTime { words: 3, started_secs, ended_secs: started_secs + 1.0 };
        OwnSpeech {
            text: "one two three four five six".into(),
            duration_secs: Some(10.0),
            sentences: vec![sentence(0.0), sentence(9.0)],
            ..OwnSpeech::default()
        }
    }

    #[rstest]
    #[case::first_word(0.0, 0)]
    #[case::before_our_speech(-1.0, 0)]
    #[case::inside_the_first_sentence(0.7, 2)]
    #[case::in_the_silence(5.0, 3)]
    #[case::inside_the_second_sentence(9.4, 4)]
    #[case::after_the_end(20.0, 6)]
    fn words_follow_the_times_of_their_sentences(#[case] at_secs: f64, #[case] expected: usize) {
        let own = with_silence();
        let config = EchoConfig { tolerance_secs: 0.0, energy_threshold: 2.0, words_per_second: 2.0 };

        assert_eq!(TimedWords::new(&own.text, &own, &config).word_at(at_secs), expected);
    }

    #[test]
    fn silence_between_sentences_does_not_slow_the_speaking_rate() {
        let own = with_silence();
        let config = EchoConfig { tolerance_secs: 0.0, energy_threshold: 2.0, words_per_second: 2.0 };

        assert_eq!(TimedWords::new(&own.text, &own, &config).from(0.0, 1.0), ["one", "two", "three"]);
    }
}
