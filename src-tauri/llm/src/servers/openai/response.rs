//! Parses OpenAI responses: server-sent events, each a chunk of a choice, the last one `[DONE]`.

use serde::Deserialize;
use serde_json::Value;

use crate::response::{EventAssembler, ResponseParser, ServerSentEvents};
use crate::servers::server_error::{invalid_response, reported_error};
use crate::{ChatEvent, ChatRequest, FinishReason, LlmError, Usage};

/// Parses a response of `/v1/chat/completions`.
pub(super) struct OpenAiParser {
    assembler: EventAssembler,
    events: ServerSentEvents,
    /// Incomplete tool calls, in the order of their first chunks.
    calls: Vec<PartialCall>,
    /// Set when the server has sent the finish reason. The usage may follow.
    reason: Option<FinishReason>,
    usage: Option<Tokens>,
    is_finished: bool,
}

/// A tool call whose arguments arrive in chunks.
#[derive(Default)]
struct PartialCall {
    index: Option<u32>,
    id: Option<String>,
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Chunk {
    /// Some servers write null.
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Option<Delta>,
    /// Servers without streaming send the whole message instead; some send both.
    #[serde(default)]
    message: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    /// Some servers send the same text under both names.
    #[serde(default)]
    reasoning_content: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
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
    /// JSON text in chunks; some servers send the whole object.
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize, Clone, Copy)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: Option<u32>,
    #[serde(default)]
    completion_tokens: Option<u32>,
    #[serde(default)]
    prompt_tokens_details: Option<PromptTokens>,
}

#[derive(Deserialize, Clone, Copy)]
struct PromptTokens {
    #[serde(default)]
    cached_tokens: Option<u32>,
}

impl OpenAiParser {
    pub(super) fn from_request(request: &ChatRequest) -> Self {
        Self {
            assembler: EventAssembler::from_request(request),
            events: ServerSentEvents::default(),
            calls: Vec::new(),
            reason: None,
            usage: None,
            is_finished: false,
        }
    }

    fn event(&mut self, data: Option<String>) -> Result<Vec<ChatEvent>, LlmError> {
        match data.as_deref() {
            None => Ok(Vec::new()),
            // Without a finish reason, the server failed: llama.cpp does this when its model fails.
            Some("[DONE]") if self.reason.is_none() => Err(LlmError::Incomplete),
            Some("[DONE]") => Ok(self.finish()),
            Some(data) => self.chunk(data),
        }
    }

    fn chunk(&mut self, data: &str) -> Result<Vec<ChatEvent>, LlmError> {
        let chunk: Chunk = serde_json::from_str(data).map_err(|error| invalid_response(&error))?;
        if let Some(error) = &chunk.error {
            return Err(reported_error(error));
        }
        self.usage = chunk.usage.or(self.usage);
        let mut events = Vec::new();
        // Only one choice is requested.
        if let Some(choice) = chunk.choices.unwrap_or_default().into_iter().next() {
            if let Some(delta) = choice.delta.or(choice.message) {
                let thinking = delta.reasoning_content.filter(|text| !text.is_empty()).or(delta.reasoning);
                events.extend(self.assembler.thinking(&thinking.unwrap_or_default()));
                events.extend(self.assembler.text(&delta.content.unwrap_or_default()));
                for call in delta.tool_calls.unwrap_or_default() {
                    self.add_call_delta(call);
                }
            }
            if let Some(reason) = choice.finish_reason {
                self.reason =
                    Some(if reason == "length" { FinishReason::Length } else { FinishReason::Stop });
            }
        }
        Ok(events)
    }

    /// Adds a chunk to its call, which is found by index. Without an index a new id starts a new call, and without both
    /// another name does.
    fn add_call_delta(&mut self, delta: CallDelta) {
        let id = delta.id.filter(|id| !id.is_empty());
        let names_a_call = delta
            .function
            .as_ref()
            .and_then(|function| function.name.as_ref())
            .is_some_and(|name| !name.is_empty());
        let same = match delta.index {
            Some(index) => self.calls.iter().position(|call| call.index == Some(index)),
            None if id.is_some() => self.calls.iter().position(|call| call.id == id),
            None if names_a_call => None,
            None => self.calls.len().checked_sub(1),
        };
        let at = same.unwrap_or_else(|| {
            self.calls.push(PartialCall { index: delta.index, ..PartialCall::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if id.is_some() {
            call.id = id;
        }
        if let Some(function) = delta.function {
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
            self.assembler.call(call.id, call.name, &Value::String(call.arguments));
        }
        let reason = self.reason.unwrap_or(FinishReason::Stop);
        let usage = self.usage.map_or(Usage::unknown(reason), |tokens| Usage {
            prompt_tokens: tokens.prompt_tokens.unwrap_or_default(),
            cached_prompt_tokens: tokens.prompt_tokens_details.and_then(|details| details.cached_tokens),
            completion_tokens: tokens.completion_tokens.unwrap_or_default(),
            choice_log_probability: None,
            reason,
        });
        self.assembler.finish(usage)
    }
}

impl ResponseParser for OpenAiParser {
    fn parse_line(&mut self, line: &str) -> Result<Vec<ChatEvent>, LlmError> {
        if self.is_finished {
            return Ok(Vec::new());
        }
        let data = self.events.push_line(line)?;
        self.event(data)
    }

    fn end_of_body(&mut self) -> Result<Vec<ChatEvent>, LlmError> {
        let last = self.events.take();
        let mut events = self.event(last)?;
        if self.is_finished {
            return Ok(events);
        }
        // Some servers omit `[DONE]`; the finish reason shows that the response is complete.
        if self.reason.is_none() {
            return Err(LlmError::Incomplete);
        }
        events.extend(self.finish());
        Ok(events)
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

    fn parse(text: &str) -> Result<Vec<ChatEvent>, LlmError> {
        let mut parser = OpenAiParser::from_request(&ChatRequest::new(vec![]));
        let mut events = Vec::new();
        for line in text.lines() {
            events.extend(parser.parse_line(line)?);
        }
        events.extend(parser.end_of_body()?);
        Ok(events)
    }

    fn call(id: &str, city: &str) -> ToolCall {
        ToolCall { id: ToolCallId(id.into()), name: "get_weather".into(), arguments: json!({ "city": city }) }
    }

    #[test]
    fn text_thinking_and_usage_are_parsed() {
        let events = parse(concat!(
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
            choice_log_probability: None,
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
    fn tool_calls_are_assembled_from_their_chunks() {
        let events = parse(concat!(
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

    #[rstest]
    #[case::without_an_index(
        r#"[{"id":"a","function":{"name":"get_weather","arguments":"{\"city\":\"Leeds\"}"}}]"#,
        "a"
    )]
    #[case::arguments_as_an_object(
        r#"[{"index":0,"id":"a","function":{"name":"get_weather","arguments":{"city":"Leeds"}}}]"#,
        "a"
    )]
    #[case::null_index(
        r#"[{"index":null,"id":"a","type":null,"function":{"name":"get_weather","arguments":{"city":"Leeds"}}}]"#,
        "a"
    )]
    fn tool_call_is_understood_as_other_servers_write_it(#[case] calls: &str, #[case] id: &str) {
        let events = parse(&format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":null,\"tool_calls\":{calls}}},\"finish_reason\":\"tool_calls\"}}]}}\n\ndata: [DONE]\n\n"
        ))
        .unwrap();

        assert!(events[0] == ChatEvent::ToolCalls(vec![call(id, "Leeds")]), "{events:?}");
    }

    #[test]
    fn whole_calls_without_index_and_id_stay_apart() {
        let events = parse(concat!(
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[",
            "{\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\\\"Leeds\\\"}\"}},",
            "{\"id\":\"\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{}\"}}",
            "]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
        ))
        .unwrap();

        let ChatEvent::ToolCalls(calls) = &events[0] else { panic!("{events:?}") };
        assert_eq!(calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["get_weather"; 2]);
        assert_eq!(calls[0].arguments, json!({ "city": "Leeds" }));
    }

    #[test]
    fn empty_id_of_a_later_chunk_leaves_the_id() {
        let events = parse(concat!(
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"city\\\":\"}}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"\",\"function\":{\"name\":\"\",\"arguments\":\"\\\"Leeds\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
            "data: [DONE]\n\n"
        ))
        .unwrap();

        assert!(events[0] == ChatEvent::ToolCalls(vec![call("a", "Leeds")]), "{events:?}");
    }

    #[rstest]
    #[case::both_names_of_thinking(
        r#"{"choices":[{"delta":{"reasoning":"hm","reasoning_content":"hm","content":"Yes."},"finish_reason":"stop"}]}"#
    )]
    #[case::delta_and_message(
        r#"{"choices":[{"delta":{"reasoning":"hm","content":"Yes."},"message":{"content":"Yes."},"finish_reason":"stop"}]}"#
    )]
    #[case::null_counts(
        r#"{"choices":[{"delta":{"reasoning":"hm","content":"Yes."},"finish_reason":"stop"}],"usage":{"prompt_tokens":null}}"#
    )]
    fn chunk_with_doubled_and_null_fields_is_read(#[case] chunk: &str) {
        let events =
            parse(&format!("data: {{\"choices\":null}}\n\ndata: {chunk}\n\ndata: [DONE]\n\n")).unwrap();

        assert!(
            events[..2] == [ChatEvent::Thinking("hm".into()), ChatEvent::Text("Yes.".into())],
            "{events:?}"
        );
    }

    #[test]
    fn calls_without_an_id_get_different_ones() {
        let events = parse(concat!(
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[",
            "{\"index\":0,\"id\":\"\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{}\"}},",
            "{\"index\":1,\"id\":\"\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{}\"}}",
            "]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
        ))
        .unwrap();

        let ChatEvent::ToolCalls(calls) = &events[0] else { panic!("{events:?}") };
        assert_eq!(calls.len(), 2);
        assert_ne!(calls[0].id, calls[1].id);
    }

    #[test]
    fn response_without_streaming_is_parsed() {
        let events = parse(concat!(
            "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"It rains.\"},\"finish_reason\":\"stop\"}],",
            "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}"
        ))
        .unwrap();

        assert!(events[0] == ChatEvent::Text("It rains.".into()), "{events:?}");
        assert!(matches!(events[1], ChatEvent::Finished(Usage { prompt_tokens: 9, .. })));
    }

    #[test]
    fn missing_done_is_accepted_after_a_finish_reason() {
        let events =
            parse("data: {\"choices\":[{\"delta\":{\"content\":\"Yes.\"},\"finish_reason\":\"stop\"}]}\n\n")
                .unwrap();

        let expected =
            [ChatEvent::Text("Yes.".into()), ChatEvent::Finished(Usage::unknown(FinishReason::Stop))];
        assert!(events == expected, "{events:?}");
    }

    #[rstest]
    #[case::no_json("data: hello\n\n", "is not JSON")]
    #[case::a_page("<html>\n", "not an event")]
    #[case::an_error(
        "data: {\"error\":{\"message\":\"slot unavailable\",\"code\":500}}\n\n",
        "slot unavailable"
    )]
    #[case::an_error_as_text("data: {\"error\":\"out of memory\"}\n\n", "out of memory")]
    #[case::broken_off("data: {\"choices\":[{\"delta\":{\"content\":\"It\"}}]}\n\n", "is incomplete")]
    #[case::done_without_a_reason("data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "is incomplete")]
    #[case::broken_off_within_an_event("data: {\"choices\":[{\"del", "is incomplete")]
    fn invalid_response_is_reported_with_its_fault(#[case] text: &str, #[case] expected: &str) {
        let error = parse(text).unwrap_err();

        assert!(error.to_string().contains(expected), "{error}");
    }
}
