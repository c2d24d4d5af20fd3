//! A scripted server with its process, on a scripted clock.

use std::time::Duration;

use ::bridge::{ChatFailure, ChatServer, NoStart, ServerProcess, TestFailure, Timer};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::suite::or_default;

/// The tool that scripted calls name. Each call has another argument: equal ones would count as repetitions.
pub(super) const TOOL: &str = "count";

/// The behaviour of the server.
#[derive(Deserialize)]
pub(super) struct Script {
    #[serde(default, deserialize_with = "or_default")]
    loopback: bool,
    server: Server,
    #[serde(default, deserialize_with = "or_default")]
    start_succeeds: bool,
    #[serde(default)]
    polls_until_up: Option<u64>,
    #[serde(default)]
    chat: Option<Vec<Chat>>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Server {
    Up,
    Down,
    Hang,
    Http500,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Chat {
    Text,
    ToolCall,
    Hang,
    #[serde(rename = "http404_model_missing")]
    ModelMissing,
    #[serde(rename = "http400_if_format")]
    RefusesFormat,
}

/// The server, its process and the clock.
pub(super) struct World {
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

impl World {
    pub fn new(script: Script) -> Self {
        let state = State {
            server: script.server,
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
            is_loopback: script.loopback,
            start_succeeds: script.start_succeeds,
            polls_until_up: script.polls_until_up,
            chat: script.chat.unwrap_or_default(),
            state: Mutex::new(state),
        }
    }

    /// The time that has passed.
    pub fn now(&self) -> Duration {
        self.state.lock().now
    }

    pub fn goes_down(&self) {
        let mut state = self.state.lock();
        state.server = Server::Down;
        state.has_own_process = false;
    }

    /// The counts, with what became of the prompts.
    pub fn output(&self, prompts: &[Value]) -> Value {
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
