//! Holds back what of an answer is a tool call or only the name of a tool.

use crate::tool_calls::text_call_filter::TextCallFilter;
use crate::tool_calls::tool_name_filter::{BareName, OnlyName};
use crate::tool_calls::tool_protocol::ToolProtocol;

/// The filter of one answer, which comes in pieces.
pub(super) struct AnswerFilter<'a> {
    bare_name: BareName<'a>,
    /// Present if calls are written as text.
    calls: Option<TextCallFilter>,
}

impl<'a> AnswerFilter<'a> {
    /// A filter for answers that may call these tools.
    pub fn new(protocol: Option<ToolProtocol>, names: &'a [String]) -> Self {
        let names = || names.iter().map(String::as_str);
        let is_text = protocol == Some(ToolProtocol::Text);
        Self { bare_name: BareName::new(names()), calls: is_text.then(|| TextCallFilter::new(names())) }
    }

    /// Takes more text. Returns what is certainly part of the answer.
    pub fn push(&mut self, text: &str) -> String {
        let passed = self.bare_name.push(text);
        match &mut self.calls {
            Some(calls) => calls.push(&passed),
            None => passed,
        }
    }

    /// The text that was held back of an answer without calls; `None` if all of it is the name of a tool.
    pub fn finish(self) -> Option<String> {
        let Self { bare_name, calls } = self;
        let held = match bare_name.finish() {
            Ok(held) => held,
            Err(OnlyName) => return None,
        };
        Some(match calls {
            Some(mut calls) => calls.push(&held) + &calls.held(),
            None => held,
        })
    }
}
