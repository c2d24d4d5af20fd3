//! The connection to a scripted server on a scripted clock.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ::bridge::{
    Bridge, BridgeError, BridgeOptions, ChatFailure, ChatServer, DEFAULT_SYSTEM_PROMPT, FormatWish,
    ModelOptions, NoStart, PromptMemory, RunnerHost, ServerProcess, Supervisor, TEST_LIMIT, TestFailure,
    Timer,
};
use async_trait::async_trait;
use llm::ToolSpec;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::CONTEXT_CAP;
use super::scripted_tools::{Nobody, ScriptedTools, context};
use crate::suite::{block_on, read};

/// The tool that scripted calls name.
const TOOL: &str = "count";

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    loopback: bool,
    server: Server,
    #[serde(default)]
    start_succeeds: bool,
    #[serde(default)]
    polls_until_up: Option<u64>,
    #[serde(default)]
    down_before_prompts: Option<Vec<usize>>,
    prompts: usize,
    #[serde(default)]
    chat: Option<Vec<Chat>>,
    #[serde(default)]
    structured_output: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Server {
    Up,
    Down,
    Hang,
    Http500,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Chat {
    Text,
    ToolCall,
    Hang,
    #[serde(rename = "http404_model_missing")]
    ModelMissing,
    #[serde(rename = "http400_if_format")]
    RefusesFormat,
}

/// The server, its process and the clock.
struct World {
    is_loopback: bool,
    start_succeeds: bool,
    polls_until_up: Option<u64>,
    chat: Vec<Chat>,
    state: Mutex<State>,
}

struct State {
    server: Server,
    now: Duration,
    /// A process that was started here runs.
    has_own_process: bool,
    /// The next test belongs to a start: the clock was moved before it.
    is_polling: bool,
    polls_of_start: u64,
    starts: u64,
    polls: u64,
    killed: u64,
    first_test: Option<bool>,
    abort: Option<Duration>,
    formats: Vec<Option<&'static str>>,
}

pub(super) fn run(input: Value) -> Result<Value, String> {
    let input: Input = read(input)?;
    let tool = ToolSpec { name: TOOL.to_owned(), description: String::new(), parameters: json!({}) };
    let results = HashMap::from([(TOOL.to_owned(), "counted".to_owned())]);
    let tools = ScriptedTools::new(vec![with_number(tool)], &results)?;
    let world = Arc::new(World::new(&input));
    let (server, process, timer) = (Arc::clone(&world), Arc::clone(&world), Arc::clone(&world));
    let supervisor = Supervisor::new(server, process, timer);
    let format = if input.structured_output == Some(true) { FormatWish::Schema } else { FormatWish::Json };
    let model =
        ModelOptions { model: "model".into(), temperature: None, max_tokens: None, context_cap: CONTEXT_CAP };
    let options = BridgeOptions {
        model,
        system_prompt: DEFAULT_SYSTEM_PROMPT.to_owned(),
        keywords: None,
        format,
        memory: PromptMemory::default(),
    };
    let mut bridge = Bridge::new(options, Arc::clone(&world) as Arc<dyn ChatServer>, supervisor);
    let downs = input.down_before_prompts.unwrap_or_default();
    let prompts: Vec<Value> = block_on(async {
        let mut prompts = Vec::new();
        for at in 0..input.prompts {
            if downs.contains(&at) {
                world.goes_down();
            }
            let began = world.state.lock().now;
            let mut nobody = Nobody;
            let mut host = RunnerHost::new(&tools.runner, &tools.offered, context(), &mut nobody, false);
            let answer = bridge.ask("go on", &tools.offered.specs, &mut host).await;
            let after = (world.state.lock().now - began).as_secs_f64();
            prompts.push(
                json!({ "ok": answer.is_ok(), "error": answer.err().as_ref().map(label), "after_s": after }),
            );
        }
        if prompts.is_empty() {
            // The state of the server is asked for even if nothing is.
            let _ = world.test(TEST_LIMIT).await;
        }
        prompts
    });
    Ok(world.output(&prompts))
}

/// The tool with an argument: equal calls would count as repetitions.
fn with_number(tool: ToolSpec) -> ToolSpec {
    ToolSpec { parameters: json!({ "type": "object", "properties": { "n": { "type": "number" } } }), ..tool }
}

fn label(error: &BridgeError) -> &'static str {
    match error {
        BridgeError::Unreachable { .. } | BridgeError::ConnectionLost => "unreachable",
        BridgeError::StartFailed { .. } => "start_failed",
        BridgeError::RetriesExhausted => "retries_exhausted",
        BridgeError::TimedOut { .. } => "timeout",
        BridgeError::ModelMissing { .. } => "model_missing",
        BridgeError::Http { .. } | BridgeError::InvalidResponse => "http",
    }
}

impl World {
    fn new(input: &Input) -> Self {
        let state = State {
            server: input.server,
            now: Duration::ZERO,
            has_own_process: false,
            is_polling: false,
            polls_of_start: 0,
            starts: 0,
            polls: 0,
            killed: 0,
            first_test: None,
            abort: None,
            formats: Vec::new(),
        };
        Self {
            is_loopback: input.loopback,
            start_succeeds: input.start_succeeds,
            polls_until_up: input.polls_until_up,
            chat: input.chat.clone().unwrap_or_default(),
            state: Mutex::new(state),
        }
    }

    fn goes_down(&self) {
        let mut state = self.state.lock();
        state.server = Server::Down;
        state.has_own_process = false;
    }

    fn output(&self, prompts: &[Value]) -> Value {
        let state = self.state.lock();
        json!({
            "starts": state.starts,
            "polls": state.polls,
            "healthy": state.first_test.unwrap_or_default(),
            "test_abort_s": state.abort.map(|limit| limit.as_secs_f64()),
            "requests_sent": state.formats.len(),
            "killed": state.killed,
            "formats_tried": state.formats,
            "prompts": prompts,
        })
    }
}

#[async_trait]
impl ChatServer for World {
    async fn test(&self, limit: Duration) -> Result<(), TestFailure> {
        let mut state = self.state.lock();
        if std::mem::take(&mut state.is_polling) {
            state.polls += 1;
            state.polls_of_start += 1;
            if self.polls_until_up.is_some_and(|polls| state.polls_of_start >= polls) {
                state.server = Server::Up;
            }
        }
        let outcome = match state.server {
            Server::Up => Ok(()),
            Server::Down => Err(TestFailure::Refused),
            Server::Http500 => Err(TestFailure::Status(500)),
            Server::Hang => {
                state.now += limit;
                state.abort = Some(limit);
                Err(TestFailure::TimedOut)
            }
        };
        state.first_test.get_or_insert(outcome.is_ok());
        outcome
    }

    async fn chat(&self, body: &Map<String, Value>, limit: Duration) -> Result<Value, ChatFailure> {
        let mut state = self.state.lock();
        let at = state.formats.len();
        let format = match body.get("format") {
            None | Some(Value::Null) => None,
            Some(Value::String(_)) => Some("json"),
            Some(_) => Some("schema"),
        };
        state.formats.push(format);
        let says = |content: Value| Ok(json!({ "role": "assistant", "content": content.to_string() }));
        match self.chat.get(at).or(self.chat.last()).unwrap_or(&Chat::Text) {
            Chat::ToolCall => says(json!({ "name": TOOL, "arguments": { "n": at } })),
            Chat::Hang => {
                state.now += limit;
                Err(ChatFailure::TimedOut)
            }
            Chat::ModelMissing => Err(ChatFailure::ModelMissing),
            Chat::RefusesFormat if format.is_some() => {
                let detail = "cannot unmarshal the field format".to_owned();
                Err(ChatFailure::Status { code: 400, detail })
            }
            Chat::Text | Chat::RefusesFormat => says(json!({ "response": "Done." })),
        }
    }
}

#[async_trait]
impl ServerProcess for World {
    async fn may_start(&self) -> Result<(), NoStart> {
        if self.is_loopback { Ok(()) } else { Err(NoStart::Remote) }
    }

    async fn start(&self) -> Result<(), String> {
        let mut state = self.state.lock();
        state.starts += 1;
        state.polls_of_start = 0;
        state.has_own_process = self.start_succeeds;
        if self.start_succeeds { Ok(()) } else { Err("the script says so".into()) }
    }

    async fn end_own(&self) {
        let mut state = self.state.lock();
        state.killed += u64::from(std::mem::take(&mut state.has_own_process));
    }
}

#[async_trait]
impl Timer for World {
    async fn sleep(&self, pause: Duration) {
        let mut state = self.state.lock();
        state.now += pause;
        state.is_polling = true;
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn input(changes: Value) -> Value {
        let mut input = json!({
            "loopback": true, "server": "down", "start_succeeds": true, "polls_until_up": 3,
            "down_before_prompts": [], "prompts": 1, "chat": ["text"], "structured_output": false,
        });
        for (key, value) in changes.as_object().unwrap() {
            input[key] = value.clone();
        }
        input
    }

    /// The prompts of an output in short: `ok`, or the label of the error, with the seconds.
    fn prompts(output: &Value) -> Vec<String> {
        let prompts = output["prompts"].as_array().unwrap().iter();
        prompts.map(|it| format!("{} {}", it["error"].as_str().unwrap_or("ok"), it["after_s"])).collect()
    }

    #[rstest]
    #[case::up(json!({"server": "up"}), true, (0, 0, 1), &["ok 0.0"])]
    #[case::started(json!({}), false, (1, 3, 1), &["ok 3.0"])]
    #[case::last_poll(json!({"polls_until_up": 10}), false, (1, 10, 1), &["ok 10.0"])]
    #[case::too_slow(json!({"polls_until_up": 11}), false, (1, 10, 0), &["start_failed 10.0"])]
    #[case::never_up(json!({"polls_until_up": null, "prompts": 5}), false, (3, 30, 0),
        &["start_failed 10.0", "start_failed 10.0", "start_failed 10.0", "retries_exhausted 0.0", "retries_exhausted 0.0"])]
    #[case::start_fails(json!({"start_succeeds": false, "prompts": 4}), false, (3, 0, 0),
        &["start_failed 0.0", "start_failed 0.0", "start_failed 0.0", "retries_exhausted 0.0"])]
    #[case::remote_is_never_started(json!({"loopback": false, "prompts": 5}), false, (0, 0, 0), &["unreachable 0.0"; 5])]
    #[case::each_success_resets_the_count(json!({"server": "up", "polls_until_up": 1, "prompts": 6, "down_before_prompts": [0, 1, 2, 3, 4, 5]}),
        false, (6, 6, 6), &["ok 1.0"; 6])]
    #[case::hangs(json!({"server": "hang", "polls_until_up": 2}), false, (1, 2, 1), &["ok 12.0"])]
    #[case::remote_hangs(json!({"server": "hang", "loopback": false}), false, (0, 0, 0), &["unreachable 5.0"])]
    #[case::fails(json!({"server": "http500", "loopback": false}), false, (0, 0, 0), &["unreachable 0.0"])]
    #[case::no_prompt(json!({"prompts": 0}), false, (0, 0, 0), &[])]
    #[case::request_hangs(json!({"server": "up", "chat": ["hang", "text"], "prompts": 2}), true, (0, 0, 2), &["timeout 300.0", "ok 0.0"])]
    #[case::no_model(json!({"server": "up", "chat": ["http404_model_missing"]}), true, (0, 0, 1), &["model_missing 0.0"])]
    #[case::tools(json!({"server": "up", "chat": ["tool_call", "tool_call", "text"]}), true, (0, 0, 3), &["ok 0.0"])]
    #[case::tools_without_end(json!({"server": "up", "chat": ["tool_call"]}), true, (0, 0, 7), &["ok 0.0"])]
    fn connection_is_supervised(
        #[case] changes: Value,
        #[case] is_healthy: bool,
        #[case] (starts, polls, requests): (u64, u64, u64),
        #[case] expected: &[&str],
    ) {
        let output = run(input(changes)).unwrap();

        assert_eq!(prompts(&output), expected);
        let counts = ["starts", "polls", "requests_sent", "killed"].map(|key| output[key].as_u64().unwrap());
        assert_eq!((&output["healthy"], counts), (&json!(is_healthy), [starts, polls, requests, 0]));
    }

    #[rstest]
    #[case::schema(true, 1, json!(["schema", "json", null]))]
    #[case::json(false, 1, json!(["json", null]))]
    #[case::refused_formats_are_not_sent_again(true, 2, json!(["schema", "json", null, null]))]
    fn refused_format_falls_back_to_the_next(
        #[case] is_structured: bool,
        #[case] asked: u64,
        #[case] formats: Value,
    ) {
        let changes = json!({
            "server": "up", "chat": ["http400_if_format"], "structured_output": is_structured, "prompts": asked,
        });

        let output = run(input(changes)).unwrap();

        assert_eq!((&output["formats_tried"], &output["prompts"][0]["ok"]), (&formats, &json!(true)));
    }

    #[test]
    fn test_is_given_up_after_five_seconds() {
        let output = run(input(json!({"server": "hang", "loopback": false}))).unwrap();

        assert_eq!(output["test_abort_s"], 5.0);
    }
}
