//! Assembles the events of a response from the text, thinking and tool calls that a provider sends.

use serde_json::{Map, Value};

use super::text_tool_calls::{TextToolCallParser, arguments_of};
use super::thinking_splitter::{StreamPart, ThinkingSplitter};
use crate::{ChatEvent, ChatRequest, FinishReason, ToolCall, ToolCallId, Usage};

/// Separates thinking from text, finds tool calls in the text, and gives ids to calls without one.
#[derive(Debug)]
pub(crate) struct EventAssembler {
    splitter: ThinkingSplitter,
    /// `None` if the request offers no tools: then all text belongs to the reply.
    text_tool_calls: Option<TextToolCallParser>,
    calls: Vec<ToolCall>,
    /// Number of earlier tool calls in the dialogue, so that ids stay unique over several turns.
    previous_calls: usize,
}

impl EventAssembler {
    /// An assembler for the response to `request`.
    pub(crate) fn from_request(request: &ChatRequest) -> Self {
        let tool_names: Vec<_> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        Self {
            splitter: ThinkingSplitter::default(),
            text_tool_calls: Some(tool_names)
                .filter(|tool_names| !tool_names.is_empty())
                .map(TextToolCallParser::new),
            calls: Vec::new(),
            previous_calls: request.messages.iter().map(|message| message.tool_calls.len()).sum(),
        }
    }

    /// Adds text of the provider.
    pub(crate) fn text(&mut self, text: &str) -> Vec<ChatEvent> {
        let parts = self.splitter.push(text);
        self.events_of(parts)
    }

    /// Adds thinking that the provider has already separated.
    pub(crate) fn thinking(&mut self, text: &str) -> Vec<ChatEvent> {
        if text.is_empty() { Vec::new() } else { vec![ChatEvent::Thinking(text.to_owned())] }
    }

    /// Adds a tool call of the provider. Arguments that are not an object are dropped; the tool reports missing
    /// arguments.
    pub(crate) fn call(&mut self, id: Option<String>, name: String, arguments: &Value) {
        self.push_call(id, name, arguments_of(arguments).unwrap_or_default());
    }

    /// Ends the response: returns the remaining text, the tool calls, and the final event.
    pub(crate) fn finish(&mut self, usage: Usage) -> Vec<ChatEvent> {
        let parts = self.splitter.finish();
        let mut events = self.events_of(parts);
        if let Some(text_tool_calls) = &mut self.text_tool_calls {
            let (rest, found) = text_tool_calls.finish();
            if !rest.is_empty() {
                events.push(ChatEvent::Text(rest));
            }
            for (name, arguments) in found {
                self.push_call(None, name, arguments);
            }
        }
        let was_cancelled = usage.reason == FinishReason::Cancelled;
        let calls = std::mem::take(&mut self.calls);
        // A cancelled response calls no tools.
        let reason = if calls.is_empty() || was_cancelled { usage.reason } else { FinishReason::ToolCalls };
        if reason == FinishReason::ToolCalls && !calls.is_empty() {
            events.push(ChatEvent::ToolCalls(calls));
        }
        events.push(ChatEvent::Finished(Usage { reason, ..usage }));
        events
    }

    fn events_of(&mut self, parts: Vec<StreamPart>) -> Vec<ChatEvent> {
        let mut events = Vec::with_capacity(parts.len());
        for part in parts {
            match (part, &mut self.text_tool_calls) {
                (StreamPart::Thinking(text), _) => events.push(ChatEvent::Thinking(text)),
                (StreamPart::Text(text), None) => events.push(ChatEvent::Text(text)),
                (StreamPart::Text(text), Some(text_tool_calls)) => {
                    let text = text_tool_calls.push(&text);
                    if !text.is_empty() {
                        events.push(ChatEvent::Text(text));
                    }
                }
            }
        }
        events
    }

    fn push_call(&mut self, id: Option<String>, name: String, arguments: Map<String, Value>) {
        let number = self.previous_calls + self.calls.len();
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("call_{number}"));
        self.calls.push(ToolCall { id: ToolCallId(id), name, arguments: Value::Object(arguments) });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Message, ToolSpec};

    fn weather() -> ToolSpec {
        ToolSpec {
            name: "get_weather".into(),
            description: "Tells the weather.".into(),
            parameters: json!({ "type": "object" }),
        }
    }

    fn usage(reason: FinishReason) -> Usage {
        Usage { prompt_tokens: 9, completion_tokens: 2, ..Usage::unknown(reason) }
    }

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: ToolCallId(id.into()),
            name: "get_weather".into(),
            arguments: json!({ "city": "Leeds" }),
        }
    }

    #[test]
    fn tool_call_written_as_text_becomes_a_tool_call() {
        let mut assembler =
            EventAssembler::from_request(&ChatRequest::new(vec![]).with_tools(vec![weather()]));

        let mut events = assembler.text(r#"<think>hm</think>{"name": "get_weather", "#);
        events.extend(assembler.text(r#""arguments": {"city": "Leeds"}}"#));
        events.extend(assembler.finish(usage(FinishReason::Stop)));

        let expected = [
            ChatEvent::Thinking("hm".into()),
            ChatEvent::ToolCalls(vec![call("call_0")]),
            ChatEvent::Finished(usage(FinishReason::ToolCalls)),
        ];
        assert!(events == expected, "{events:?}");
    }

    #[test]
    fn generated_call_ids_continue_over_turns() {
        let before = Message::assistant_calls("", vec![call("call_0")]);
        let mut assembler =
            EventAssembler::from_request(&ChatRequest::new(vec![before]).with_tools(vec![weather()]));

        assembler.call(None, "get_weather".into(), &json!({ "city": "Leeds" }));
        let events = assembler.finish(usage(FinishReason::Stop));

        assert!(events[0] == ChatEvent::ToolCalls(vec![call("call_1")]), "{events:?}");
    }

    #[test]
    fn json_without_offered_tools_stays_text() {
        let mut assembler = EventAssembler::from_request(&ChatRequest::new(vec![]));
        let text = r#"{"name": "get_weather", "arguments": {}}"#;

        assert!(assembler.text(text) == [ChatEvent::Text(text.into())]);
    }

    #[test]
    fn cancelled_response_has_no_tool_calls() {
        let mut assembler =
            EventAssembler::from_request(&ChatRequest::new(vec![]).with_tools(vec![weather()]));

        assembler.call(Some("a".into()), "get_weather".into(), &json!({}));
        let events = assembler.finish(usage(FinishReason::Cancelled));

        assert!(events == [ChatEvent::Finished(usage(FinishReason::Cancelled))], "{events:?}");
    }
}
