//! The OpenAI format's answer: server-sent events, each a chunk of a choice, the last `[DONE]`.

use serde::Deserialize;
use serde_json::Value;

use crate::answer::{ReadLines, Shaper};
use crate::servers::refusal::{garbage, reported};
use crate::{ChatEvent, ChatRequest, FinishReason, LlmError, Usage};

/// Reads an answer of `/v1/chat/completions`.
pub(super) struct OpenAiLines {
    shaper: Shaper,
    /// Data of the event under way; an event ends with an empty line or where the next one begins.
    data: String,
    /// Calls under way, in the order of their first pieces.
    calls: Vec<PartialCall>,
    /// Set once the server said why it ended; usage may still follow.
    reason: Option<FinishReason>,
    usage: Option<Tokens>,
    is_finished: bool,
}

/// A call whose arguments come in pieces.
#[derive(Default)]
struct PartialCall {
    index: Option<u32>,
    id: Option<String>,
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    // A server that does not stream sends the whole message instead.
    #[serde(default, alias = "message")]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default, alias = "reasoning")]
    reasoning_content: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<u32>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    /// Text in pieces by the format; some servers send the whole object.
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize, Clone, Copy)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u32,
    #[serde(default)]
    completion_tokens: u32,
    #[serde(default)]
    prompt_tokens_details: Option<PromptTokens>,
}

#[derive(Deserialize, Clone, Copy)]
struct PromptTokens {
    #[serde(default)]
    cached_tokens: Option<u32>,
}

impl OpenAiLines {
    pub(super) fn of(request: &ChatRequest) -> Self {
        Self {
            shaper: Shaper::of(request),
            data: String::new(),
            calls: Vec::new(),
            reason: None,
            usage: None,
            is_finished: false,
        }
    }

    fn event(&mut self) -> Result<Vec<ChatEvent>, LlmError> {
        let data = std::mem::take(&mut self.data);
        match data.trim() {
            "" => Ok(Vec::new()),
            // Without a reason before it, the server gave up: llama.cpp does so when its model fails.
            "[DONE]" if self.reason.is_none() => Err(LlmError::Cut),
            "[DONE]" => Ok(self.finish()),
            data => self.chunk(data),
        }
    }

    fn chunk(&mut self, data: &str) -> Result<Vec<ChatEvent>, LlmError> {
        let chunk: Chunk = serde_json::from_str(data).map_err(|error| garbage(&error))?;
        if let Some(error) = &chunk.error {
            return Err(reported(error));
        }
        self.usage = chunk.usage.or(self.usage);
        let mut events = Vec::new();
        // We ask for one choice only.
        if let Some(choice) = chunk.choices.into_iter().next() {
            if let Some(delta) = choice.delta {
                events.extend(self.shaper.thought(&delta.reasoning_content.unwrap_or_default()));
                events.extend(self.shaper.text(&delta.content.unwrap_or_default()));
                for call in delta.tool_calls.unwrap_or_default() {
                    self.add(call);
                }
            }
            if let Some(reason) = choice.finish_reason {
                self.reason =
                    Some(if reason == "length" { FinishReason::Length } else { FinishReason::Stop });
            }
        }
        Ok(events)
    }

    /// Adds a piece to the call it belongs to: by index, else a new id begins a new call.
    fn add(&mut self, piece: CallDelta) {
        let same = match piece.index {
            Some(index) => self.calls.iter().position(|call| call.index == Some(index)),
            None if piece.id.is_some() => self.calls.iter().position(|call| call.id == piece.id),
            None => self.calls.len().checked_sub(1),
        };
        let at = same.unwrap_or_else(|| {
            self.calls.push(PartialCall { index: piece.index, ..PartialCall::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if piece.id.is_some() {
            call.id = piece.id;
        }
        if let Some(function) = piece.function {
            call.name.push_str(&function.name.unwrap_or_default());
            match function.arguments {
                Value::String(text) => call.arguments.push_str(&text),
                Value::Null => {}
                whole => call.arguments = whole.to_string(),
            }
        }
    }

    fn finish(&mut self) -> Vec<ChatEvent> {
        self.is_finished = true;
        for call in self.calls.drain(..).filter(|call| !call.name.is_empty()) {
            self.shaper.call(call.id, call.name, &Value::String(call.arguments));
        }
        let reason = self.reason.unwrap_or(FinishReason::Stop);
        let usage = self.usage.map_or(Usage::unknown(reason), |tokens| Usage {
            prompt_tokens: tokens.prompt_tokens,
            cached_prompt_tokens: tokens.prompt_tokens_details.and_then(|details| details.cached_tokens),
            completion_tokens: tokens.completion_tokens,
            reason,
        });
        self.shaper.finish(usage)
    }
}

impl ReadLines for OpenAiLines {
    fn line(&mut self, line: &str) -> Result<Vec<ChatEvent>, LlmError> {
        if self.is_finished {
            return Ok(Vec::new());
        }
        if line.is_empty() {
            return self.event();
        }
        if let Some(data) = line.strip_prefix("data:") {
            // Some servers end an event with one line break only; none we know spreads its JSON over several lines.
            let previous = if self.data.is_empty() { Vec::new() } else { self.event()? };
            data.trim_start().clone_into(&mut self.data);
            return Ok(previous);
        }
        // Whole answers come without any frame; `event:`, `id:` and comments say nothing we need.
        if line.starts_with('{') {
            line.clone_into(&mut self.data);
            return self.event();
        }
        let is_frame = [":", "event", "id", "retry"].iter().any(|field| line.starts_with(field));
        if is_frame {
            Ok(Vec::new())
        } else {
            Err(LlmError::Garbage { what: "a line that is no event".into() })
        }
    }

    fn hung_up(&mut self) -> Result<Vec<ChatEvent>, LlmError> {
        let mut events = self.event()?;
        if self.is_finished {
            return Ok(events);
        }
        // Some servers leave `[DONE]` away; the reason says that all was said.
        if self.reason.is_none() {
            return Err(LlmError::Cut);
        }
        events.extend(self.finish());
        Ok(events)
    }

    fn cancelled(&mut self) -> Vec<ChatEvent> {
        self.shaper.finish(Usage::unknown(FinishReason::Cancelled))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::{ToolCall, ToolCallId};

    fn read(text: &str) -> Result<Vec<ChatEvent>, LlmError> {
        let mut reader = OpenAiLines::of(&ChatRequest::new(vec![]));
        let mut events = Vec::new();
        for line in text.lines() {
            events.extend(reader.line(line)?);
        }
        events.extend(reader.hung_up()?);
        Ok(events)
    }

    fn call(id: &str, city: &str) -> ToolCall {
        ToolCall { id: ToolCallId(id.into()), name: "get_weather".into(), arguments: json!({ "city": city }) }
    }

    #[test]
    fn text_and_usage_come_through() {
        let events = read(concat!(
            ": a comment\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"It rains.\"},\"finish_reason\":null}]}\n\n",
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n",
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3,\"prompt_tokens_details\":{\"cached_tokens\":8}}}\n\n",
            "data: [DONE]\n\n",
        ))
        .unwrap();

        let usage = Usage {
            prompt_tokens: 9,
            cached_prompt_tokens: Some(8),
            completion_tokens: 3,
            reason: FinishReason::Length,
        };
        let expected = [
            ChatEvent::Thinking("hm".into()),
            ChatEvent::Text("It rains.".into()),
            ChatEvent::Finished(usage),
        ];
        assert!(events == expected, "{events:?}");
    }

    #[test]
    fn calls_are_put_together_from_their_pieces() {
        let events = read(concat!(
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"\"}}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"city\\\":\"}}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\\\"York\\\"}\"}}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"Leeds\\\"}\"}}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
            "data: [DONE]\n\n",
        ))
        .unwrap();

        let expected = [
            ChatEvent::ToolCalls(vec![call("a", "Leeds"), call("b", "York")]),
            ChatEvent::Finished(Usage::unknown(FinishReason::ToolCalls)),
        ];
        assert!(events == expected, "{events:?}");
    }

    #[test]
    fn a_whole_answer_without_a_stream_is_an_answer_too() {
        let events = read(concat!(
            "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"It rains.\"},\"finish_reason\":\"stop\"}],",
            "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}"
        ))
        .unwrap();

        assert!(events[0] == ChatEvent::Text("It rains.".into()), "{events:?}");
        assert!(matches!(events[1], ChatEvent::Finished(Usage { prompt_tokens: 9, .. })));
    }

    #[test]
    fn a_missing_done_is_forgiven_when_a_reason_was_given() {
        let events =
            read("data: {\"choices\":[{\"delta\":{\"content\":\"Yes.\"},\"finish_reason\":\"stop\"}]}\n\n")
                .unwrap();

        let expected =
            [ChatEvent::Text("Yes.".into()), ChatEvent::Finished(Usage::unknown(FinishReason::Stop))];
        assert!(events == expected, "{events:?}");
    }

    #[rstest]
    #[case::no_json("data: hello\n\n", "no JSON")]
    #[case::a_page("<html>\n", "no event")]
    #[case::an_error(
        "data: {\"error\":{\"message\":\"slot unavailable\",\"code\":500}}\n\n",
        "slot unavailable"
    )]
    #[case::an_error_as_text("data: {\"error\":\"out of memory\"}\n\n", "out of memory")]
    #[case::broken_off("data: {\"choices\":[{\"delta\":{\"content\":\"It\"}}]}\n\n", "broke off")]
    #[case::done_without_a_reason("data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "broke off")]
    #[case::broken_off_within_an_event("data: {\"choices\":[{\"del", "broke off")]
    fn says_what_is_wrong_with_an_answer(#[case] text: &str, #[case] expected: &str) {
        let error = read(text).unwrap_err();

        assert!(error.to_string().contains(expected), "{error}");
    }
}
