//! The entry of a call in the log.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use llm::ToolCall;
use serde_json::{Map, Value};
use tokio::time::Instant;
use vocabulary::{ConversationId, Origin, Private};

use super::outcome::{CallOutcome, CallStatus};
use crate::approval::without_hidden_signs;
use crate::audit::{AuditLog, AuditedCall, Decision};
use crate::permissions::Grounds;
use crate::tool::{Effect, ToolContext};

/// The entry of a call under way. It is noted when it is dropped, so a call that nobody waits for is in the log as well.
pub(super) struct AuditEntry<'c> {
    log: Arc<dyn AuditLog>,
    call: &'c ToolCall,
    at: Timestamp,
    origin: Origin,
    conversation: ConversationId,
    started: Option<Instant>,
    ended: Option<(CallStatus, Duration, Map<String, Value>)>,
    /// The effect of the call; `None` if there is no such tool.
    pub effect: Option<Effect>,
    /// The decision about the call.
    pub decision: Decision,
    /// Its reason.
    pub grounds: Option<Grounds>,
}

impl<'c> AuditEntry<'c> {
    pub fn new(log: &Arc<dyn AuditLog>, call: &'c ToolCall, context: &ToolContext) -> Self {
        Self {
            log: Arc::clone(log),
            call,
            at: context.now,
            origin: context.origin.clone(),
            conversation: context.conversation.clone(),
            started: None,
            ended: None,
            effect: None,
            decision: Decision::None,
            grounds: None,
        }
    }

    /// The tool begins to run.
    pub fn begin(&mut self) {
        self.started = Some(Instant::now());
    }

    /// The call ended.
    pub fn end(&mut self, outcome: &CallOutcome) {
        self.ended = Some((outcome.status, outcome.elapsed, outcome.arguments.0.clone()));
    }
}

impl Drop for AuditEntry<'_> {
    fn drop(&mut self) {
        let (status, elapsed, arguments) = self.ended.take().unwrap_or_else(|| {
            let elapsed = self.started.map(|started| started.elapsed()).unwrap_or_default();
            let arguments = self.call.arguments.as_object().cloned().unwrap_or_default();
            (CallStatus::Stopped, elapsed, arguments)
        });
        self.log.note(AuditedCall {
            at: self.at,
            tool: shortened(&redaction::scrub(&beginning(&self.call.name)), MAX_NAME),
            effect: self.effect,
            arguments: Private(in_short(&arguments)),
            decision: self.decision,
            grounds: self.grounds,
            origin: self.origin.clone(),
            conversation: self.conversation.clone(),
            status,
            elapsed,
        });
    }
}

/// Arguments that an entry names.
const MAX_ARGUMENTS: usize = 8;

/// The longest value in an entry, in characters.
const MAX_VALUE: usize = 80;

/// The longest name in an entry, in characters: a model may invent one.
const MAX_NAME: usize = 128;

/// Characters of a value that are searched for secrets. What follows is not shown.
const MAX_SEARCHED: usize = 4_000;

/// The arguments in one line: `label: tea, minutes: 4`. Secrets are taken out before a value is shortened: half of one would
/// not be found.
fn in_short(arguments: &Map<String, Value>) -> String {
    let told: Vec<_> = arguments.iter().filter(|(_, value)| !value.is_null()).collect();
    let shown = told.iter().take(MAX_ARGUMENTS).map(|(key, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let line = beginning(&format!("{key}: {value}")).split_whitespace().collect::<Vec<_>>().join(" ");
        shortened(&redaction::scrub(&line), MAX_VALUE)
    });
    let mut shown: Vec<String> = shown.collect();
    if told.len() > MAX_ARGUMENTS {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

/// The beginning of a text on one line, without signs that hide some of it.
fn beginning(text: &str) -> String {
    let on_one_line = |sign: char| if sign.is_whitespace() { ' ' } else { sign };
    without_hidden_signs(&text.chars().take(MAX_SEARCHED).map(on_one_line).collect::<String>())
}

fn shortened(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::nothing(json!({}), "")]
    #[case::values(json!({"label": "tea", "minutes": 4, "loud": true}), "label: tea, loud: true, minutes: 4")]
    #[case::value_left_out(json!({"label": null, "minutes": 4}), "minutes: 4")]
    #[case::lines(json!({"text": "milk\neggs"}), "text: milk eggs")]
    #[case::secret(json!({"url": "https://example.org/?api_key=sk-abcdefghijklmnopqrstuvwxyz123456"}), "url: https://example.org/?api_key=[REDACTED]")]
    #[case::password(json!({"password": "hunter2hunter2"}), "password=[REDACTED]")]
    #[case::many(json!({"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}), "a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, …")]
    fn arguments_are_told_in_short_without_secrets(#[case] arguments: Value, #[case] expected: &str) {
        let mut sorted: Vec<(String, Value)> = arguments.as_object().unwrap().clone().into_iter().collect();
        sorted.sort_by(|one, other| one.0.cmp(&other.0));

        assert_eq!(in_short(&sorted.into_iter().collect()), expected);
    }

    #[test]
    fn secret_at_the_cut_is_not_shown_in_half() {
        let text = format!("{} my card is 4111 1111 1111 1111", "x".repeat(60));

        let shown = in_short(json!({ "text": text }).as_object().unwrap());

        assert!(!shown.contains("4111"), "{shown}");
    }

    #[test]
    fn long_value_is_shortened() {
        let shown = in_short(json!({ "text": "x".repeat(10_000_000) }).as_object().unwrap());

        assert!(shown.chars().count() <= MAX_VALUE + 1, "{shown}");
    }
}
