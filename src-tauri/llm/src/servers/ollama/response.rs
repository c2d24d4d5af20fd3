//! Parses Ollama responses: one JSON object per line, `done` in the last one.

use serde::Deserialize;
use serde_json::Value;

use crate::response::{EventAssembler, ResponseParser};
use crate::servers::server_error::{invalid_response, reported_error};
use crate::{ChatEvent, ChatRequest, FinishReason, LlmError, Usage};

/// Parses a response of `/api/chat`.
pub(super) struct OllamaParser {
    assembler: EventAssembler,
    is_finished: bool,
}

impl OllamaParser {
    pub(super) fn from_request(request: &ChatRequest) -> Self {
        Self { assembler: EventAssembler::from_request(request), is_finished: false }
    }
}

#[derive(Deserialize)]
struct ResponseLine {
    #[serde(default)]
    message: Option<MessageDelta>,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    done_reason: Option<String>,
    #[serde(default)]
    prompt_eval_count: u32,
    #[serde(default)]
    eval_count: u32,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct MessageDelta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    thinking: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: Value,
}

impl ResponseParser for OllamaParser {
    fn parse_line(&mut self, line: &str) -> Result<Vec<ChatEvent>, LlmError> {
        if line.trim().is_empty() || self.is_finished {
            return Ok(Vec::new());
        }
        let line: ResponseLine = serde_json::from_str(line).map_err(|error| invalid_response(&error))?;
        if let Some(error) = &line.error {
            return Err(reported_error(error));
        }
        if line.message.is_none() && !line.done {
            return Err(LlmError::InvalidResponse { what: "a line is not part of a response".into() });
        }
        let mut events = Vec::new();
        if let Some(delta) = line.message {
            events.extend(self.assembler.thinking(&delta.thinking.unwrap_or_default()));
            events.extend(self.assembler.text(&delta.content.unwrap_or_default()));
            for call in delta.tool_calls.unwrap_or_default() {
                self.assembler.call(None, call.function.name, &call.function.arguments);
            }
        }
        if line.done {
            self.is_finished = true;
            let reason = match line.done_reason.as_deref() {
                Some("length") => FinishReason::Length,
                _ => FinishReason::Stop,
            };
            events.extend(self.assembler.finish(Usage {
                prompt_tokens: line.prompt_eval_count,
                cached_prompt_tokens: None,
                completion_tokens: line.eval_count,
                choice_log_probability: None,
                reason,
            }));
        }
        Ok(events)
    }

    fn end_of_body(&mut self) -> Result<Vec<ChatEvent>, LlmError> {
        if self.is_finished { Ok(Vec::new()) } else { Err(LlmError::Incomplete) }
    }

    fn cancel(&mut self) -> Vec<ChatEvent> {
        self.assembler.finish(Usage::unknown(FinishReason::Cancelled))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::{ToolCall, ToolCallId};

    fn parse(lines: &[&str]) -> Result<Vec<ChatEvent>, LlmError> {
        let mut parser = OllamaParser::from_request(&ChatRequest::new(vec![]));
        let mut events = Vec::new();
        for line in lines {
            events.extend(parser.parse_line(line)?);
        }
        events.extend(parser.end_of_body()?);
        Ok(events)
    }

    #[test]
    fn text_and_usage_are_parsed() {
        let events = parse(&[
            r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"It "},"done":false}"#,
            r#"{"model":"m","message":{"role":"assistant","content":"rains."},"done":false}"#,
            r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":26,"eval_count":3}"#,
        ])
        .unwrap();

        let usage = Usage {
            prompt_tokens: 26,
            cached_prompt_tokens: None,
            completion_tokens: 3,
            choice_log_probability: None,
            reason: FinishReason::Stop,
        };
        let expected =
            [ChatEvent::Text("It ".into()), ChatEvent::Text("rains.".into()), ChatEvent::Finished(usage)];
        assert!(events == expected, "{events:?}");
    }

    #[test]
    fn thinking_and_tool_calls_are_parsed() {
        let events = parse(&[
            r#"{"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}"#,
            r#"{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_weather","arguments":{"city":"Leeds"}}}]},"done":false}"#,
            r#"{"message":{"role":"assistant","content":""},"done_reason":"stop","done":true}"#,
        ])
        .unwrap();

        let call = ToolCall {
            id: ToolCallId("call_0".into()),
            name: "get_weather".into(),
            arguments: json!({ "city": "Leeds" }),
        };
        let expected = [
            ChatEvent::Thinking("hm".into()),
            ChatEvent::ToolCalls(vec![call]),
            ChatEvent::Finished(Usage::unknown(FinishReason::ToolCalls)),
        ];
        assert!(events == expected, "{events:?}");
    }

    #[rstest]
    #[case::no_json("<html>", "is not JSON")]
    #[case::other_json(r#"{"jsonrpc":"2.0"}"#, "not part of a response")]
    #[case::broken_off(r#"{"message":{"content":"It "#, "is incomplete")]
    #[case::other_types(r#"{"message":"hello"}"#, "unexpected structure")]
    #[case::an_error(r#"{"error":"model requires more system memory"}"#, "more system memory")]
    fn invalid_line_is_reported_with_its_fault(#[case] line: &str, #[case] expected: &str) {
        let error = parse(&[line]).unwrap_err();

        assert!(error.to_string().contains(expected), "{error}");
    }

    #[test]
    fn response_without_end_is_incomplete() {
        let error = parse(&[r#"{"message":{"content":"It "},"done":false}"#]).unwrap_err();

        assert!(matches!(error, LlmError::Incomplete));
    }
}
