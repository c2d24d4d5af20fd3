//! The end that a client sets to an answer: a number of tokens, or words. Pure.
//!
//! The tokens of the language model are not known here, and a client counts those of its own model. One token is counted for every four
//! letters or digits of ASCII in a row, and for every other character that is no blank: no fewer than models need for such text.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::failure::Failure;

/// Most words that end an answer. Source: the OpenAI interface.
const MAX_STOPS: usize = 4;

/// Letters or digits of ASCII in a row that count as one token.
const CHARS_PER_TOKEN: usize = 4;

/// Words that end an answer.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
pub(crate) enum Stop {
    One(String),
    /// Four at most.
    Several(Vec<String>),
}

/// The reason for which an answer ended before it was complete, in the words of the OpenAI interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutReason {
    Length,
    Stop,
}

impl CutReason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Stop => "stop",
        }
    }
}

/// An answer that is cut where its client wants it to end.
#[derive(Debug, Default)]
pub(super) struct Limits {
    max_tokens: Option<u64>,
    stops: Vec<String>,
    tokens: u64,
    /// Letters or digits in a row so far.
    run: usize,
    /// Text that may be the beginning of a word that ends the answer.
    held: String,
    reason: Option<CutReason>,
}

impl Limits {
    /// Reads the fields of a request: `max_tokens` and `max_completion_tokens`, and `stop`.
    pub fn read(max_tokens: [Option<u64>; 2], stop: Option<Stop>) -> Result<Self, Failure> {
        let names = ["max_tokens", "max_completion_tokens"];
        if let Some((field, _)) = names.into_iter().zip(max_tokens).find(|(_, most)| *most == Some(0)) {
            return Err(Failure::bad(field, "An answer has a token at least: send a larger number."));
        }
        let max_tokens = max_tokens.into_iter().flatten().min();
        let stops = match stop {
            None => Vec::new(),
            Some(Stop::One(stop)) => vec![stop],
            Some(Stop::Several(stops)) => stops,
        };
        if stops.len() > MAX_STOPS || stops.iter().any(String::is_empty) {
            let message = format!("Send at most {MAX_STOPS} texts that end the answer, none of them empty.");
            return Err(Failure::bad("stop", message));
        }
        Ok(Self { max_tokens, stops, ..Self::default() })
    }

    /// Takes more text. Returns the part that belongs to the answer for certain.
    pub fn pass(&mut self, text: &str) -> String {
        if self.is_over() {
            return String::new();
        }
        let end = self.within_tokens(text);
        self.held.push_str(&text[..end.unwrap_or(text.len())]);
        let stop = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min();
        if let Some(at) = stop {
            self.held.truncate(at);
            self.reason = Some(CutReason::Stop);
        } else if end.is_some() {
            self.reason = Some(CutReason::Length);
        }
        let kept = if self.is_over() { 0 } else { self.open_stop() };
        let rest = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, rest)
    }

    /// The text that was held back, now that no more comes.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// Returns `true` if the answer has ended.
    pub fn is_over(&self) -> bool {
        self.reason.is_some()
    }

    /// The reason for which it ended, and its tokens; `None` if it has not.
    pub fn cut(&self) -> Option<(CutReason, u64)> {
        self.reason.map(|reason| (reason, self.tokens))
    }

    /// The place in `text` at which there are too many tokens.
    fn within_tokens(&mut self, text: &str) -> Option<usize> {
        for (at, char) in text.char_indices() {
            let is_in_run = char.is_ascii_alphanumeric();
            let is_new =
                if is_in_run { self.run.is_multiple_of(CHARS_PER_TOKEN) } else { !char.is_whitespace() };
            if is_new && self.max_tokens.is_some_and(|most| self.tokens >= most) {
                return Some(at);
            }
            self.tokens += u64::from(is_new);
            self.run = if is_in_run { self.run + 1 } else { 0 };
        }
        None
    }

    /// The length of the end of the text that may be the beginning of a word that ends the answer.
    fn open_stop(&self) -> usize {
        let begins = |stop: &String| {
            let ends = stop.char_indices().map(|(at, _)| at).rev();
            ends.into_iter().find(|end| self.held.ends_with(&stop[..*end])).unwrap_or_default()
        };
        self.stops.iter().map(begins).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// All that is passed on of these parts of an answer, and the reason for which it ended.
    fn pass(limits: Limits, parts: &[&str]) -> (Vec<String>, Option<CutReason>) {
        let mut limits = limits;
        let mut passed: Vec<String> = parts.iter().map(|part| limits.pass(part)).collect();
        passed.push(limits.finish());
        passed.retain(|text| !text.is_empty());
        (passed, limits.cut().map(|(reason, _)| reason))
    }

    fn tokens(most: u64) -> Limits {
        Limits::read([Some(most), None], None).unwrap()
    }

    fn stops(stops: &[&str]) -> Limits {
        let stops = stops.iter().map(|stop| (*stop).to_owned()).collect();
        Limits::read([None, None], Some(Stop::Several(stops))).unwrap()
    }

    #[rstest]
    #[case::fewer(10, &["It rains."], &["It rains."], None)]
    #[case::just_as_many(4, &["It rains."], &["It rains."], None)]
    #[case::more(3, &["It rains."], &["It rains"], Some(CutReason::Length))]
    #[case::within_a_word(2, &["It rai", "ns."], &["It rai", "n"], Some(CutReason::Length))]
    #[case::nothing_follows(2, &["It", " is.", " So."], &["It", " is"], Some(CutReason::Length))]
    #[case::a_sign_each(3, &["雨です。"], &["雨です"], Some(CutReason::Length))]
    fn answer_has_no_more_tokens_than_wanted(
        #[case] most: u64,
        #[case] parts: &[&str],
        #[case] expected: &[&str],
        #[case] reason: Option<CutReason>,
    ) {
        let (passed, cut) = pass(tokens(most), parts);

        assert_eq!((passed, cut), (expected.iter().map(|text| (*text).to_owned()).collect(), reason));
    }

    #[rstest]
    #[case::absent(&["END"], &["It rains."], &["It rains."], None)]
    #[case::within(&["END"], &["It rains. END So."], &["It rains. "], Some(CutReason::Stop))]
    #[case::in_two_parts(&["END"], &["It rains. E", "ND So."], &["It rains. "], Some(CutReason::Stop))]
    #[case::only_its_beginning(&["END"], &["It rains. E", "at."], &["It rains. ", "Eat."], None)]
    #[case::beginning_at_the_end(&["END"], &["THE EN"], &["THE ", "EN"], None)]
    #[case::first_of_two(&["So", "rains"], &["It rains. So."], &["It "], Some(CutReason::Stop))]
    #[case::no_letters(&["\n"], &["One.\nTwo."], &["One."], Some(CutReason::Stop))]
    fn answer_ends_before_the_words_that_end_it(
        #[case] words: &[&str],
        #[case] parts: &[&str],
        #[case] expected: &[&str],
        #[case] reason: Option<CutReason>,
    ) {
        let (passed, cut) = pass(stops(words), parts);

        assert_eq!((passed, cut), (expected.iter().map(|text| (*text).to_owned()).collect(), reason));
    }

    #[test]
    fn tokens_are_counted_across_parts() {
        let mut limits = tokens(100);

        limits.pass("Wonder");
        limits.pass("ful, größe");

        assert_eq!(limits.tokens, 3 + 1 + 4);
    }

    #[test]
    fn smaller_of_two_limits_counts() {
        let limits = Limits::read([Some(5), Some(2)], None).unwrap();

        assert_eq!(pass(limits, &["One two three."]).0, ["One two "]);
    }

    #[rstest]
    #[case::no_token([Some(0), None], None, "max_tokens")]
    #[case::no_token_by_the_newer_name([Some(5), Some(0)], None, "max_completion_tokens")]
    #[case::empty_word([None, None], Some(Stop::One(String::new())), "stop")]
    #[case::too_many_words([None, None], Some(Stop::Several(vec!["x".to_owned(); 5])), "stop")]
    fn limits_that_make_no_sense_are_refused(
        #[case] max_tokens: [Option<u64>; 2],
        #[case] stop: Option<Stop>,
        #[case] field: &str,
    ) {
        assert_eq!(Limits::read(max_tokens, stop).unwrap_err().field.as_deref(), Some(field));
    }
}
