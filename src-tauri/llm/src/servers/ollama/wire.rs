//! Ollama's answer: one JSON object a line, the last with `done`.

use serde::Deserialize;
use serde_json::Value;

use crate::answer::{ReadLines, Shaper};
use crate::servers::refusal::{garbage, reported};
use crate::{ChatEvent, ChatRequest, FinishReason, LlmError, Usage};

/// Reads an answer of `/api/chat`.
pub(super) struct OllamaLines {
    shaper: Shaper,
    is_finished: bool,
}

impl OllamaLines {
    pub(super) fn of(request: &ChatRequest) -> Self {
        Self { shaper: Shaper::of(request), is_finished: false }
    }
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    message: Option<Said>,
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
struct Said {
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

impl ReadLines for OllamaLines {
    fn line(&mut self, line: &str) -> Result<Vec<ChatEvent>, LlmError> {
        if line.trim().is_empty() || self.is_finished {
            return Ok(Vec::new());
        }
        let line: Line = serde_json::from_str(line).map_err(|error| garbage(&error))?;
        if let Some(error) = &line.error {
            return Err(reported(error));
        }
        if line.message.is_none() && !line.done {
            return Err(LlmError::Garbage { what: "a line that is no part of an answer".into() });
        }
        let mut events = Vec::new();
        if let Some(said) = line.message {
            events.extend(self.shaper.thought(&said.thinking.unwrap_or_default()));
            events.extend(self.shaper.text(&said.content.unwrap_or_default()));
            for call in said.tool_calls.unwrap_or_default() {
                self.shaper.call(None, call.function.name, &call.function.arguments);
            }
        }
        if line.done {
            self.is_finished = true;
            let reason = match line.done_reason.as_deref() {
                Some("length") => FinishReason::Length,
                _ => FinishReason::Stop,
            };
            events.extend(self.shaper.finish(Usage {
                prompt_tokens: line.prompt_eval_count,
                cached_prompt_tokens: None,
                completion_tokens: line.eval_count,
                reason,
            }));
        }
        Ok(events)
    }

    fn hung_up(&mut self) -> Result<Vec<ChatEvent>, LlmError> {
        if self.is_finished { Ok(Vec::new()) } else { Err(LlmError::Cut) }
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

    fn read(lines: &[&str]) -> Result<Vec<ChatEvent>, LlmError> {
        let mut reader = OllamaLines::of(&ChatRequest::new(vec![]));
        let mut events = Vec::new();
        for line in lines {
            events.extend(reader.line(line)?);
        }
        events.extend(reader.hung_up()?);
        Ok(events)
    }

    #[test]
    fn text_and_usage_come_through() {
        let events = read(&[
            r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"It "},"done":false}"#,
            r#"{"model":"m","message":{"role":"assistant","content":"rains."},"done":false}"#,
            r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":26,"eval_count":3}"#,
        ])
        .unwrap();

        let usage = Usage {
            prompt_tokens: 26,
            cached_prompt_tokens: None,
            completion_tokens: 3,
            reason: FinishReason::Stop,
        };
        let expected =
            [ChatEvent::Text("It ".into()), ChatEvent::Text("rains.".into()), ChatEvent::Finished(usage)];
        assert!(events == expected, "{events:?}");
    }

    #[test]
    fn thinking_and_calls_come_through() {
        let events = read(&[
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
    #[case::no_json("<html>", "no JSON")]
    #[case::other_json(r#"{"jsonrpc":"2.0"}"#, "no part of an answer")]
    #[case::broken_off(r#"{"message":{"content":"It "#, "broke off")]
    #[case::other_types(r#"{"message":"hello"}"#, "another shape")]
    #[case::an_error(r#"{"error":"model requires more system memory"}"#, "more system memory")]
    fn says_what_is_wrong_with_a_line(#[case] line: &str, #[case] expected: &str) {
        let error = read(&[line]).unwrap_err();

        assert!(error.to_string().contains(expected), "{error}");
    }

    #[test]
    fn an_answer_without_end_is_cut() {
        let error = read(&[r#"{"message":{"content":"It "},"done":false}"#]).unwrap_err();

        assert!(matches!(error, LlmError::Cut));
    }
}
