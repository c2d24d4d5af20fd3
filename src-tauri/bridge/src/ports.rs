//! The ports of a bridge: a server, the process behind it, the tools, and time.

use std::time::Duration;

use async_trait::async_trait;
use llm::ToolCall;
use serde_json::{Map, Value};

/// The server that completes chats.
#[async_trait]
pub trait ChatServer: Send + Sync {
    /// Asks for the list of models; success is a status of 2xx within `limit`.
    ///
    /// # Errors
    ///
    /// [`TestFailure`]: the server cannot be used.
    async fn test(&self, limit: Duration) -> Result<(), TestFailure>;

    /// Posts a completion request and returns the `message` of the response.
    ///
    /// # Errors
    ///
    /// [`ChatFailure`]: there is no message.
    async fn chat(&self, body: &Map<String, Value>, limit: Duration) -> Result<Value, ChatFailure>;
}

/// A reason why a test of the connection failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TestFailure {
    /// No connection.
    #[error("nothing listens there")]
    Refused,
    /// No answer in time.
    #[error("it did not answer in time")]
    TimedOut,
    /// Another status than 2xx.
    #[error("it answered with status {0}")]
    Status(u16),
}

/// A reason why a completion request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatFailure {
    /// No connection, or it was lost.
    Refused,
    /// No answer in time.
    TimedOut,
    /// The server has no such model.
    ModelMissing,
    /// Any other status than 2xx.
    Status {
        /// The status.
        code: u16,
        /// The words of the server.
        detail: String,
    },
    /// The response is not in the format of a chat.
    Invalid,
}

/// The process of a server on this machine.
#[async_trait]
pub trait ServerProcess: Send + Sync {
    /// Agrees that the server is started. Asks the user if nobody has decided yet.
    async fn may_start(&self) -> Result<(), NoStart>;

    /// Runs the server, without waiting until it answers.
    ///
    /// # Errors
    ///
    /// The words of the system.
    async fn start(&self) -> Result<(), String>;

    /// Ends the process that [`ServerProcess::start`] made, if it still runs. Never another one.
    async fn end_own(&self);
}

/// A reason why a server is not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoStart {
    /// It is on another machine.
    #[error("it is on another machine; start it there")]
    Remote,
    /// The program is not there.
    #[error("the program `ollama` was not found; install it")]
    NotInstalled,
    /// The user did not agree.
    #[error("Jarvis may not start it; run `ollama serve`, or allow it with --start-server")]
    NotAllowed,
}

/// Pauses.
#[async_trait]
pub trait Timer: Send + Sync {
    /// Waits.
    async fn sleep(&self, pause: Duration);
}

/// The tools that a prompt may use.
#[async_trait]
pub trait ToolHost: Send {
    /// Runs a call of a known tool. There is always a text for the model.
    async fn call(&mut self, call: &ToolCall) -> ToolAnswer;
}

/// The result of a call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The text of the tool, raw, or what went wrong.
    pub text: String,
    /// The result, or the reason why there is none.
    pub outcome: ToolOutcome,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutcome {
    /// The tool did it.
    Done,
    /// The tool failed, or was not allowed to run.
    Failed,
    /// The arguments do not fit the schema of the tool, which was not run.
    InvalidArguments,
}
