//! Turns what a provider sends into the events of an answer.

use serde_json::{Map, Value};

use super::calls::{TextCalls, arguments_of};
use super::thinking::{Piece, Thinking};
use crate::{ChatEvent, ChatRequest, FinishReason, ToolCall, ToolCallId, Usage};

/// Separates thinking from text, finds calls in the text, and numbers calls that came without an id.
#[derive(Debug)]
pub(crate) struct Shaper {
    thinking: Thinking,
    /// Only where tools are on offer: else every text is an answer.
    text_calls: Option<TextCalls>,
    calls: Vec<ToolCall>,
    /// Calls that the dialogue held already, so that ids stay unique within a reply of several turns.
    calls_before: usize,
}

impl Shaper {
    /// Shapes the answer to `request`.
    pub(crate) fn of(request: &ChatRequest) -> Self {
        let known: Vec<_> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        Self {
            thinking: Thinking::default(),
            text_calls: Some(known).filter(|known| !known.is_empty()).map(TextCalls::of),
            calls: Vec::new(),
            calls_before: request.messages.iter().map(|message| message.tool_calls.len()).sum(),
        }
    }

    /// The provider sent text.
    pub(crate) fn text(&mut self, text: &str) -> Vec<ChatEvent> {
        let pieces = self.thinking.push(text);
        self.events_of(pieces)
    }

    /// The provider sent thinking, told apart already.
    pub(crate) fn thought(&mut self, text: &str) -> Vec<ChatEvent> {
        if text.is_empty() { Vec::new() } else { vec![ChatEvent::Thinking(text.to_owned())] }
    }

    /// The provider sent a call. Arguments that are no object are left out: the tool will say what it misses.
    pub(crate) fn call(&mut self, id: Option<String>, name: String, arguments: &Value) {
        self.push_call(id, name, arguments_of(arguments).unwrap_or_default());
    }

    /// The provider is done: what was held back, the calls, and the end.
    pub(crate) fn finish(&mut self, usage: Usage) -> Vec<ChatEvent> {
        let pieces = self.thinking.finish();
        let mut events = self.events_of(pieces);
        if let Some(text_calls) = &mut self.text_calls {
            let (rest, found) = text_calls.finish();
            if !rest.is_empty() {
                events.push(ChatEvent::Text(rest));
            }
            for (name, arguments) in found {
                self.push_call(None, name, arguments);
            }
        }
        let was_cancelled = usage.reason == FinishReason::Cancelled;
        let calls = std::mem::take(&mut self.calls);
        // Nobody waits for the tools of a cancelled answer, and an answer cut by its length may hold half a call.
        let reason = if calls.is_empty() || was_cancelled { usage.reason } else { FinishReason::ToolCalls };
        if reason == FinishReason::ToolCalls && !calls.is_empty() {
            events.push(ChatEvent::ToolCalls(calls));
        }
        events.push(ChatEvent::Finished(Usage { reason, ..usage }));
        events
    }

    fn events_of(&mut self, pieces: Vec<Piece>) -> Vec<ChatEvent> {
        let mut events = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match (piece, &mut self.text_calls) {
                (Piece::Thought(text), _) => events.push(ChatEvent::Thinking(text)),
                (Piece::Said(text), None) => events.push(ChatEvent::Text(text)),
                (Piece::Said(text), Some(text_calls)) => {
                    let text = text_calls.push(&text);
                    if !text.is_empty() {
                        events.push(ChatEvent::Text(text));
                    }
                }
            }
        }
        events
    }

    fn push_call(&mut self, id: Option<String>, name: String, arguments: Map<String, Value>) {
        let number = self.calls_before + self.calls.len();
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
        Usage { prompt_tokens: 9, cached_prompt_tokens: None, completion_tokens: 2, reason }
    }

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: ToolCallId(id.into()),
            name: "get_weather".into(),
            arguments: json!({ "city": "Leeds" }),
        }
    }

    #[test]
    fn a_call_written_as_text_becomes_a_call() {
        let mut shaper = Shaper::of(&ChatRequest::new(vec![]).with_tools(vec![weather()]));

        let mut events = shaper.text(r#"<think>hm</think>{"name": "get_weather", "#);
        events.extend(shaper.text(r#""arguments": {"city": "Leeds"}}"#));
        events.extend(shaper.finish(usage(FinishReason::Stop)));

        let expected = [
            ChatEvent::Thinking("hm".into()),
            ChatEvent::ToolCalls(vec![call("call_0")]),
            ChatEvent::Finished(usage(FinishReason::ToolCalls)),
        ];
        assert!(events == expected, "{events:?}");
    }

    #[test]
    fn calls_of_later_turns_get_other_numbers() {
        let before = Message::assistant_calls("", vec![call("call_0")]);
        let mut shaper = Shaper::of(&ChatRequest::new(vec![before]).with_tools(vec![weather()]));

        shaper.call(None, "get_weather".into(), &json!({ "city": "Leeds" }));
        let events = shaper.finish(usage(FinishReason::Stop));

        assert!(events[0] == ChatEvent::ToolCalls(vec![call("call_1")]), "{events:?}");
    }

    #[test]
    fn without_tools_on_offer_json_is_an_answer() {
        let mut shaper = Shaper::of(&ChatRequest::new(vec![]));
        let text = r#"{"name": "get_weather", "arguments": {}}"#;

        assert!(shaper.text(text) == [ChatEvent::Text(text.into())]);
    }

    #[test]
    fn a_cancelled_answer_calls_nothing() {
        let mut shaper = Shaper::of(&ChatRequest::new(vec![]).with_tools(vec![weather()]));

        shaper.call(Some("a".into()), "get_weather".into(), &json!({}));
        let events = shaper.finish(usage(FinishReason::Cancelled));

        assert!(events == [ChatEvent::Finished(usage(FinishReason::Cancelled))], "{events:?}");
    }
}
