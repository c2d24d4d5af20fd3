//! Parses Anthropic responses: server-sent events, each about a block of the message, the last one `message_stop`.

use serde::Deserialize;
use serde_json::Value;

use crate::response::{EventAssembler, ResponseParser, ServerSentEvents};
use crate::servers::server_error::{invalid_response, reported_error};
use crate::{ChatEvent, ChatRequest, FinishReason, LlmError, Usage};

/// Parses a response of `/v1/messages`.
pub(super) struct AnthropicParser {
    assembler: EventAssembler,
    events: ServerSentEvents,
    /// Incomplete tool calls, in the order of their blocks.
    calls: Vec<PartialCall>,
    /// Set when the server has sent the reason. The end follows.
    reason: Option<FinishReason>,
    usage: Tokens,
    is_finished: bool,
}

/// A tool call whose arguments arrive in chunks.
struct PartialCall {
    block: u32,
    id: Option<String>,
    name: String,
    /// The arguments at the start of the block, which are empty unless the server sends them at once.
    input: Value,
    arguments: String,
}

/// An event; unknown ones may be added to the API at any time, and are ignored like `ping`.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: MessageStart,
    },
    ContentBlockStart {
        index: u32,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u32,
        delta: Delta,
    },
    MessageDelta {
        delta: MessageEnd,
        #[serde(default)]
        usage: Option<Tokens>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct MessageStart {
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
    },
    ToolUse {
        #[serde(default)]
        id: Option<String>,
        name: String,
        #[serde(default)]
        input: Value,
    },
    /// Thinking that the server hides, and what tools of the server do.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: String },
    /// The signature of thinking, and citations.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct MessageEnd {
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize, Clone, Copy, Default)]
struct Tokens {
    /// Without those of the cache.
    #[serde(default)]
    input_tokens: Option<u32>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u32>,
    #[serde(default)]
    cache_read_input_tokens: Option<u32>,
    #[serde(default)]
    output_tokens: Option<u32>,
}

impl Tokens {
    /// Later counts include earlier ones, and not all are sent again.
    fn updated(self, newer: Option<Self>) -> Self {
        let Some(newer) = newer else { return self };
        Self {
            input_tokens: newer.input_tokens.or(self.input_tokens),
            cache_creation_input_tokens: newer
                .cache_creation_input_tokens
                .or(self.cache_creation_input_tokens),
            cache_read_input_tokens: newer.cache_read_input_tokens.or(self.cache_read_input_tokens),
            output_tokens: newer.output_tokens.or(self.output_tokens),
        }
    }

    fn usage(self, reason: FinishReason) -> Usage {
        let prompt = [self.input_tokens, self.cache_creation_input_tokens, self.cache_read_input_tokens];
        Usage {
            prompt_tokens: prompt.into_iter().flatten().fold(0, u32::saturating_add),
            cached_prompt_tokens: self.cache_read_input_tokens,
            completion_tokens: self.output_tokens.unwrap_or_default(),
            choice_log_probability: None,
            reason,
        }
    }
}

impl AnthropicParser {
    pub(super) fn from_request(request: &ChatRequest) -> Self {
        Self {
            assembler: EventAssembler::from_request(request),
            events: ServerSentEvents::default(),
            calls: Vec::new(),
            reason: None,
            usage: Tokens::default(),
            is_finished: false,
        }
    }

    fn event(&mut self, data: &str) -> Result<Vec<ChatEvent>, LlmError> {
        match serde_json::from_str(data).map_err(|error| invalid_response(&error))? {
            Event::MessageStart { message } => self.usage = self.usage.updated(message.usage),
            Event::ContentBlockStart { index, content_block } => return Ok(self.start(index, content_block)),
            Event::ContentBlockDelta { index, delta } => return Ok(self.add(index, delta)),
            Event::MessageDelta { delta, usage } => {
                self.usage = self.usage.updated(usage);
                self.reason = delta.stop_reason.as_deref().map(finish_reason).or(self.reason);
            }
            Event::MessageStop if self.reason.is_none() => return Err(LlmError::Incomplete),
            Event::MessageStop => return Ok(self.finish()),
            Event::Error { error } => return Err(reported_error(&error)),
            Event::Other => {}
        }
        Ok(Vec::new())
    }

    fn start(&mut self, index: u32, block: Block) -> Vec<ChatEvent> {
        match block {
            Block::Text { text } => self.assembler.text(&text),
            Block::Thinking { thinking } => self.assembler.thinking(&thinking),
            Block::ToolUse { id, name, input } => {
                self.calls.push(PartialCall { block: index, id, name, input, arguments: String::new() });
                Vec::new()
            }
            Block::Other => Vec::new(),
        }
    }

    fn add(&mut self, index: u32, delta: Delta) -> Vec<ChatEvent> {
        match delta {
            Delta::Text { text } => self.assembler.text(&text),
            Delta::Thinking { thinking } => self.assembler.thinking(&thinking),
            Delta::Input { partial_json } => {
                if let Some(call) = self.calls.iter_mut().find(|call| call.block == index) {
                    call.arguments.push_str(&partial_json);
                }
                Vec::new()
            }
            Delta::Other => Vec::new(),
        }
    }

    fn finish(&mut self) -> Vec<ChatEvent> {
        self.is_finished = true;
        for call in self.calls.drain(..).filter(|call| !call.name.is_empty()) {
            let is_at_once = call.arguments.is_empty();
            let arguments = if is_at_once { call.input } else { Value::String(call.arguments) };
            self.assembler.call(call.id, call.name, &arguments);
        }
        self.assembler.finish(self.usage.usage(self.reason.unwrap_or(FinishReason::Stop)))
    }
}

/// The meaning of a `stop_reason`. Calls are known by their blocks.
fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        _ => FinishReason::Stop,
    }
}

impl ResponseParser for AnthropicParser {
    fn parse_line(&mut self, line: &str) -> Result<Vec<ChatEvent>, LlmError> {
        if self.is_finished {
            return Ok(Vec::new());
        }
        self.events.push_line(line)?.map_or(Ok(Vec::new()), |data| self.event(&data))
    }

    fn end_of_body(&mut self) -> Result<Vec<ChatEvent>, LlmError> {
        let mut events = self.events.take().map_or(Ok(Vec::new()), |data| self.event(&data))?;
        if self.is_finished {
            return Ok(events);
        }
        // The reason shows that the response is complete, should a server omit `message_stop`.
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

    const END: &str = r#"{"type":"message_stop"}"#;

    /// Parses a response of these events.
    fn parse(events: &[&str]) -> Result<Vec<ChatEvent>, LlmError> {
        let mut parser = AnthropicParser::from_request(&ChatRequest::new(vec![]));
        let mut parsed = Vec::new();
        for event in events {
            for line in ["event: any", &format!("data: {event}"), ""] {
                parsed.extend(parser.parse_line(line)?);
            }
        }
        parsed.extend(parser.end_of_body()?);
        Ok(parsed)
    }

    fn call(id: &str, arguments: Value) -> ToolCall {
        ToolCall { id: ToolCallId(id.into()), name: "get_weather".into(), arguments }
    }

    /// A block with a call, whose arguments arrive in these chunks.
    fn call_events(index: u32, id: &str, chunks: &[&str]) -> Vec<String> {
        let block = json!({ "type": "tool_use", "id": id, "name": "get_weather", "input": {} });
        let start = json!({ "type": "content_block_start", "index": index, "content_block": block });
        let delta = |chunk: &&str| {
            let delta = json!({ "type": "input_json_delta", "partial_json": chunk });
            json!({ "type": "content_block_delta", "index": index, "delta": delta }).to_string()
        };
        std::iter::once(start.to_string()).chain(chunks.iter().map(delta)).collect()
    }

    fn parse_calls(mut events: Vec<String>) -> Vec<ToolCall> {
        events.push(r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#.into());
        events.push(END.into());
        let events: Vec<_> = events.iter().map(String::as_str).collect();
        let parsed = parse(&events).unwrap();
        assert!(
            parsed[1]
                == ChatEvent::Finished(Usage {
                    reason: FinishReason::ToolCalls,
                    ..Usage::unknown(FinishReason::Stop)
                })
        );
        let ChatEvent::ToolCalls(calls) = &parsed[0] else { panic!("{parsed:?}") };
        calls.clone()
    }

    #[test]
    fn text_thinking_and_usage_are_parsed() {
        let events = parse(&[
            r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":9,"cache_read_input_tokens":8,"cache_creation_input_tokens":1,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"x"}}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"It rains."}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":3}}"#,
            r#"{"type":"an_event_of_next_year","index":1}"#,
            END,
        ])
        .unwrap();

        let usage = Usage {
            prompt_tokens: 18,
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

    #[rstest]
    #[case::in_chunks(&["", "{\"ci", "ty\":\"Leeds\"}"], json!({ "city": "Leeds" }))]
    #[case::none(&[""], json!({}))]
    #[case::no_chunk(&[], json!({}))]
    #[case::no_json(&["{\"city\":"], json!({}))]
    #[case::no_object(&["[1]"], json!({}))]
    fn arguments_are_joined_and_dropped_if_they_are_no_object(
        #[case] chunks: &[&str],
        #[case] expected: Value,
    ) {
        assert_eq!(parse_calls(call_events(0, "a", chunks)), [call("a", expected)]);
    }

    #[test]
    fn chunks_of_several_calls_stay_apart() {
        let mut events = call_events(1, "a", &["{\"city\":"]);
        events.extend(call_events(2, "b", &["{\"city\":\"York\"}"]));
        events.extend(call_events(1, "a", &["\"Leeds\"}"]).split_off(1));

        let expected = [call("a", json!({ "city": "Leeds" })), call("b", json!({ "city": "York" }))];
        assert_eq!(parse_calls(events), expected);
    }

    #[test]
    fn arguments_that_a_server_sends_at_once_are_taken() {
        let block = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"get_weather","input":{"city":"Leeds"}}}"#;

        assert_eq!(parse_calls(vec![block.into()]), [call("a", json!({ "city": "Leeds" }))]);
    }

    #[rstest]
    #[case::end_turn("end_turn", FinishReason::Stop)]
    #[case::stop_sequence("stop_sequence", FinishReason::Stop)]
    #[case::refusal("refusal", FinishReason::Stop)]
    #[case::full("model_context_window_exceeded", FinishReason::Length)]
    fn stop_reason_is_mapped_also_without_the_last_event(
        #[case] reason: &str,
        #[case] expected: FinishReason,
    ) {
        let end = json!({ "type": "message_delta", "delta": { "stop_reason": reason } }).to_string();

        assert!(parse(&[&end]).unwrap() == [ChatEvent::Finished(Usage::unknown(expected))]);
    }

    #[rstest]
    #[case::no_json("hello", "is not JSON")]
    #[case::other_json(r#"{"jsonrpc":"2.0"}"#, "unexpected structure")]
    #[case::an_error(
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        "Overloaded"
    )]
    #[case::broken_off(
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It"}}"#,
        "is incomplete"
    )]
    #[case::end_without_a_reason(END, "is incomplete")]
    #[case::broken_off_within_an_event(r#"{"type":"content_bl"#, "is incomplete")]
    fn invalid_response_is_reported_with_its_fault(#[case] event: &str, #[case] expected: &str) {
        let error = parse(&[event]).unwrap_err();

        assert!(error.to_string().contains(expected), "{error}");
    }
}
