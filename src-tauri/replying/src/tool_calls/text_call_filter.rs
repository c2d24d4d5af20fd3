//! Holds back streamed text that may be a tool call written as text, and passes the rest on.

use crate::tool_calls::text_call::{FENCE, LIST};

/// The filter of one answer.
#[derive(Debug)]
pub(crate) struct TextCallFilter {
    /// The beginnings of a whole answer that is a call.
    beginnings: Vec<String>,
    /// Text that was not passed on.
    held: String,
    /// `true` if some text was passed on.
    has_passed: bool,
    /// `true` if everything from now on is held back.
    is_closed: bool,
}

impl TextCallFilter {
    /// A filter for calls of these tools.
    pub fn new<'a>(tools: impl IntoIterator<Item = &'a str>) -> Self {
        let labels = tools.into_iter().flat_map(|tool| [format!("{tool}:"), format!("{tool}(")]);
        let beginnings = labels.chain([LIST.to_owned()]).collect();
        Self { beginnings, held: String::new(), has_passed: false, is_closed: false }
    }

    /// Takes more text. Returns the text that is certainly no part of a call.
    pub fn push(&mut self, text: &str) -> String {
        self.held.push_str(text);
        if self.is_closed || self.may_begin_a_call() {
            return String::new();
        }
        let passing = match self.held.find(FENCE) {
            Some(at) => {
                self.is_closed = true;
                at
            }
            None => self.held.len() - length_of_begun_fence(&self.held),
        };
        let rest = self.held.split_off(passing);
        let passed = std::mem::replace(&mut self.held, rest);
        self.has_passed |= !passed.trim().is_empty();
        passed
    }

    /// The text that was held back.
    pub fn held(self) -> String {
        self.held
    }

    /// Returns `true` if the answer so far may become a call that is the whole answer.
    fn may_begin_a_call(&mut self) -> bool {
        if self.has_passed {
            return false;
        }
        let begun = self.held.trim_start();
        self.is_closed = self.beginnings.iter().any(|beginning| begun.starts_with(beginning.as_str()));
        self.is_closed || self.beginnings.iter().any(|beginning| beginning.starts_with(begun))
    }
}

/// The length of the end of `text` that may be the beginning of a fence.
fn length_of_begun_fence(text: &str) -> usize {
    (1..FENCE.len()).rev().find(|length| text.ends_with(&FENCE[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::prose("It rains in Leeds.", "It rains in Leeds.", "")]
    #[case::fence("One moment.\n```tool_call\n{}\n```", "One moment.\n", "```tool_call\n{}\n```")]
    #[case::other_fence("Like so:\n```json\n{}\n```\n", "Like so:\n```json\n{}\n```\n", "")]
    #[case::label("getWeather: Leeds", "", "getWeather: Leeds")]
    #[case::parentheses("getWeather(Leeds)", "", "getWeather(Leeds)")]
    #[case::list("tool_calls: []", "", "tool_calls: []")]
    #[case::name_in_prose("I use getWeather: it works.", "I use getWeather: it works.", "")]
    #[case::beginning_of_a_name("get up early", "get up early", "")]
    fn holds_back_calls(#[case] answer: &str, #[case] passed: &str, #[case] held: &str) {
        let mut filter = TextCallFilter::new(["getWeather"]);

        let mut out = String::new();
        for char in answer.chars() {
            out.push_str(&filter.push(char.encode_utf8(&mut [0; 4])));
        }

        assert_eq!((out.as_str(), filter.held().as_str()), (passed, held));
    }
}
