//! The recent dialogue: messages, tool calls and results between them, messages that wait for the diary.

use std::time::Duration;

use ::memory::{Dialogue, Memory, MemoryService, MessageContent, Participant, PendingMessage, is_due};
use ::replying::ConversationCache;
use ::replying::tool_talk::CarryOver;
use llm::Role;
use serde::Deserialize;
use serde_json::{Value, json};
use vocabulary::{ConversationId, Origin};

use crate::message::{WireMessage, message, wire};
use crate::suite::{Suite, read};

pub(super) fn suite(name: &str) -> Option<Suite> {
    Some(match name {
        "dialogue_memory.sequence" => sequence,
        _ => return None,
    })
}

/// Start time of every conversation, in microseconds since 1970 UTC. No answer depends on it.
const START_MICROS: i64 = 1_763_812_800_000_000;

/// The key of the warm profile in the requests.
const PROFILE: &str = "warm_profile_block";

/// More messages than a request has.
const ALL: usize = 100_000;

/// Time limit for writing to the temporary folder.
const WRITE_LIMIT: Duration = Duration::from_secs(5);

fn sequence(input: Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Input {
        window_sec: u64,
        ops: Vec<Value>,
    }
    let input: Input = read(input)?;
    let text_of = |error: &dyn std::error::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(|error| text_of(&error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| text_of(&error))?;
    runtime.block_on(async {
        let (service, opening) = MemoryService::start(&folder.path().join("probe.db"), |_| {});
        let (dialogue, writing) = Dialogue::start(&service);
        let storing = tokio::spawn(async { tokio::join!(opening, writing) });
        dialogue.opened(WRITE_LIMIT).await;
        let memory = service.memory().ok_or("the database did not open")?;
        let mut conversation = Conversation {
            dialogue,
            memory,
            window: Duration::from_secs(input.window_sec),
            now_micros: START_MICROS,
            tools: CarryOver::default(),
            scratch: ConversationCache::default(),
            snapshot: Vec::new(),
        };
        let mut answers = Vec::new();
        for op in input.ops {
            answers.extend(conversation.run_step(op).await?);
        }
        let Conversation { dialogue, memory, .. } = conversation;
        drop((dialogue, memory, service));
        storing.await.map_err(|error| text_of(&error))?;
        Ok(Value::Array(answers))
    })
}

/// One conversation and its clock.
struct Conversation {
    dialogue: Dialogue,
    memory: Memory,
    window: Duration,
    now_micros: i64,
    tools: CarryOver,
    scratch: ConversationCache,
    snapshot: Vec<i64>,
}

impl Conversation {
    /// Runs a step: a list whose first item is its name. A step that reads has an answer.
    async fn run_step(&mut self, op: Value) -> Result<Option<Value>, String> {
        let Value::Array(mut step) = op else { return Err(format!("a step is a list: {op}")) };
        let name = if step.is_empty() { Value::Null } else { step.remove(0) };
        let rest = Value::Array(step);
        match name.as_str().unwrap_or_default() {
            "say" => self.say(read(rest)?),
            "advance" => {
                let (secs,): (f64,) = read(rest)?;
                self.now_micros += (secs * 1e6) as i64;
            }
            "tool" => {
                let (messages,): (Vec<WireMessage>,) = read(rest)?;
                self.tools.record(messages.into_iter().map(message).collect(), &self.recent(), false);
            }
            "clear_tools" => self.tools.clear(),
            "snap" => self.snapshot = self.pending().await?.iter().map(|pending| pending.message).collect(),
            "mark" => {
                let marked = self.memory.skip_messages(std::mem::take(&mut self.snapshot), self.now_micros);
                marked.await.map_err(|error| error.to_string())?;
            }
            "put" => {
                let (key, value): (String, Value) = read(rest)?;
                self.scratch.put(key, value);
            }
            "clear_cache" => self.scratch.clear(),
            "inv" => self.scratch.remove(PROFILE),
            reader => return self.read(reader, rest).await.map(Some),
        }
        Ok(None)
    }

    async fn read(&mut self, what: &str, rest: Value) -> Result<Value, String> {
        Ok(match what {
            "recent" => self.recent().iter().map(spoken).collect(),
            "has" => json!(!self.recent().is_empty()),
            "get" => {
                let (replies, max_chars) = read(rest)?;
                self.tools.among(&self.recent(), replies, max_chars).iter().map(wire).collect()
            }
            "pending" => self.pending().await?.iter().map(|pending| line(&pending.content)).collect(),
            "should" => {
                let times: Vec<i64> =
                    self.pending().await?.iter().map(|pending| pending.content.at_micros).collect();
                let since = times.first().copied().zip(times.last().copied());
                json!(is_due(since, self.now_micros, self.window))
            }
            "cget" => {
                let (key,): (String,) = read(rest)?;
                self.scratch.get(&key).cloned().unwrap_or_default()
            }
            _ => return Err(format!("there is no such step: {what}")),
        })
    }

    fn say(&self, (speaker, text): (Participant, String)) {
        self.dialogue.say(&conversation(), &Origin::Program, speaker, &text, self.now_micros);
    }

    fn recent(&self) -> Vec<MessageContent> {
        self.dialogue.recent(&conversation(), self.window, self.now_micros)
    }

    /// The messages that wait for the diary, after all messages were written to disk.
    async fn pending(&self) -> Result<Vec<PendingMessage>, String> {
        self.dialogue.flush(WRITE_LIMIT).await;
        self.memory.pending_messages(ALL).await.map_err(|error| error.to_string())
    }
}

fn conversation() -> ConversationId {
    ConversationId("probe".into())
}

fn line(said: &MessageContent) -> Value {
    let who = match said.participant {
        Participant::User => "User",
        Participant::Assistant => "Assistant",
    };
    Value::String(format!("{who}: {}", said.text.as_str()))
}

fn spoken(said: &MessageContent) -> Value {
    let role = match said.participant {
        Participant::User => Role::User,
        Participant::Assistant => Role::Assistant,
    };
    json!({ "role": role, "content": said.text.as_str() })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn lookup() -> Value {
        json!(["tool", [
            { "role": "assistant", "content": "", "tool_calls": [
                { "id": "1", "type": "function", "function": { "name": "find", "arguments": { "who": "mara@example.org" } } }
            ] },
            { "role": "tool", "tool_call_id": "1", "tool_name": "find", "content": "Mara" }
        ]])
    }

    #[rstest]
    #[case::out_of_the_window(json!([["say", "user", " hi "], ["recent"], ["advance", 61], ["has"]]),
        json!([[{ "role": "user", "content": "hi" }], false]))]
    #[case::the_diary(json!([["say", "user", "hi"], ["should"], ["snap"], ["say", "assistant", "hello"], ["mark"], ["pending"],
        ["advance", 60.1], ["should"]]),
        json!([false, ["Assistant: hello"], true]))]
    #[case::scratch(json!([["put", "warm_profile_block", "tea"], ["put", "b", [1]], ["cget", "b"], ["inv"],
        ["cget", "warm_profile_block"], ["clear_cache"], ["cget", "b"]]),
        json!([[1], null, null]))]
    #[case::no_tools(json!([["tool", []], ["say", "user", "hi"], ["get", 2, 200]]),
        json!([[{ "role": "user", "content": "hi" }]]))]
    #[case::tools(json!([["say", "user", "who?"], lookup(), ["say", "assistant", "Mara."], ["get", 2, 200], ["clear_tools"],
        ["get", 0, 200]]),
        json!([[
            { "role": "user", "content": "who?" },
            { "role": "assistant", "content": "", "tool_calls": [
                { "id": "1", "type": "function", "function": { "name": "find", "arguments": { "who": "[REDACTED_EMAIL]" } } }
            ] },
            { "role": "tool", "content": "Mara", "tool_call_id": "1", "tool_name": "find" },
            { "role": "assistant", "content": "Mara." }
        ], [{ "role": "user", "content": "who?" }, { "role": "assistant", "content": "Mara." }]]))]
    fn sequence_of_steps_gives_the_expected_answers(#[case] ops: Value, #[case] expected: Value) {
        assert_eq!(sequence(json!({ "window_sec": 60, "ops": ops })), Ok(expected));
    }

    #[test]
    fn unknown_step_is_reported_by_its_name() {
        let answer = sequence(json!({ "window_sec": 60, "ops": [["dance"]] }));

        assert!(answer.unwrap_err().contains("dance"));
    }
}
