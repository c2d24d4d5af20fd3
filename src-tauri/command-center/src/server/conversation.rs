//! One conversation: its tools, its history, and what is open in it.

use serde_json::{Value, json};

use super::body::ContinueBody;
use super::client_tool::ClientTool;
use super::engine::HistoryEntry;
use super::request::NodeResponse;
use crate::bodies::CommandAnswer;
use crate::client::VALIDATION_RESPONSE;
use crate::ids::NodeConversationId;
use crate::tool_result::ToolRun;

/// Utterances before the newest one whose exchanges stay in the history. Source: an engine is told 40 messages of it at most, and an
/// exchange has one at least.
const EARLIER_EXCHANGES: usize = 40;

/// Most bytes of the exchanges in the history. The newest one stays whatever its size is: each of its requests is limited by itself.
/// Source: as much as one request may bring.
const MAX_HISTORY_BYTES: usize = 1024 * 1024;

/// A conversation of one client.
pub(super) struct Conversation {
    pub id: NodeConversationId,
    pub timezone: Option<String>,
    pub tools: Vec<ClientTool>,
    pub history: Vec<HistoryEntry>,
    /// The ids of the calls that the node is to run.
    pub pending_calls: Vec<String>,
    /// The id of the question that the user is to answer.
    pub pending_question: Option<String>,
    /// The last answer of the route with a stream.
    pub streamed: Option<StreamedAnswer>,
}

/// An answer of the route with a stream. A node that gets no sound there sends its results again on the other route.
pub(super) struct StreamedAnswer {
    /// The digest of the results that it follows.
    pub results: [u8; 32],
    pub answer: CommandAnswer,
}

impl Conversation {
    pub(super) fn new(id: &NodeConversationId, timezone: Option<String>, tools: Vec<ClientTool>) -> Self {
        Self {
            id: id.clone(),
            timezone,
            tools,
            history: Vec::new(),
            pending_calls: Vec::new(),
            pending_question: None,
            streamed: None,
        }
    }

    /// Adds an utterance. The oldest exchanges leave if there are too many before it.
    pub(super) fn push_utterance(&mut self, words: &str) {
        self.history.push(HistoryEntry::User(words.to_owned()));
        let begins =
            |(at, entry): (usize, &HistoryEntry)| matches!(entry, HistoryEntry::User(_)).then_some(at);
        let exchanges: Vec<usize> = self.history.iter().enumerate().filter_map(begins).collect();
        let (mut end, mut bytes, mut first) = (self.history.len(), 0, self.history.len());
        for begin in exchanges.into_iter().rev().take(EARLIER_EXCHANGES + 1) {
            bytes += self.history[begin..end].iter().map(HistoryEntry::bytes).sum::<usize>();
            if bytes > MAX_HISTORY_BYTES && first < self.history.len() {
                break;
            }
            (first, end) = (begin, begin);
        }
        self.history.drain(..first);
    }

    /// Gives an error to every call whose result never came, so that each call in the history has its result.
    pub(super) fn close_open_calls(&mut self) {
        for id in std::mem::take(&mut self.pending_calls).into_iter().chain(self.pending_question.take()) {
            self.push_error(&id, "no result was sent");
        }
    }

    /// Adds the result of a call that failed on our side.
    pub(super) fn push_error(&mut self, tool_call_id: &str, error: &str) {
        self.push_result(tool_call_id, ToolRun::Raised(error.to_owned()).output());
    }

    fn push_result(&mut self, tool_call_id: &str, output: Value) {
        self.history.push(HistoryEntry::Result { tool_call_id: tool_call_id.to_owned(), output });
    }

    /// Takes the results of the open calls, or the answer to the open question. Of two results for one call the first one
    /// counts; a call without one gets an error.
    ///
    /// # Errors
    ///
    /// A result is for no open call, or nothing is open. Then nothing changes.
    pub(super) fn take_results(&mut self, continued: ContinueBody) -> Result<(), NodeResponse> {
        let mut mistakes: Vec<String> = Vec::new();
        let is_open = |id: &str| {
            self.pending_calls.iter().any(|pending| pending == id)
                || self.pending_question.as_ref().is_some_and(|open| open == id || id == VALIDATION_RESPONSE)
        };
        for (at, result) in continued.results.iter().enumerate() {
            if !is_open(&result.tool_call_id) {
                mistakes
                    .push(format!("body -> tool_results -> {at} -> tool_call_id: no open call has this id"));
            }
        }
        if continued.validation_response.is_some() && self.pending_question.is_none() {
            mistakes.push("body -> validation_response: no question is open".to_owned());
        }
        if self.pending_calls.is_empty() && self.pending_question.is_none() && mistakes.is_empty() {
            mistakes.push("body -> tool_results: nothing is open in this conversation".to_owned());
        }
        if !mistakes.is_empty() {
            return Err(NodeResponse::malformed(&mistakes));
        }
        for id in std::mem::take(&mut self.pending_calls) {
            match continued.results.iter().find(|result| result.tool_call_id == id) {
                Some(result) => self.push_result(&id, result.output.clone()),
                None => self.push_error(&id, "no result was sent"),
            }
        }
        if let Some(id) = self.pending_question.take() {
            let words = continued.validation_response.map(|words| json!({ "answer": words }));
            match continued.results.into_iter().next().map(|result| result.output).or(words) {
                Some(answer) => self.push_result(&id, answer),
                None => self.push_error(&id, "no answer was sent"),
            }
        }
        Ok(())
    }
}
