//! The Ollama bridge: a local model that calls tools in JSON.
//!
//! A prompt goes in, an answer comes out. The tool that a prompt seems to mean is hinted in a system message of this prompt
//! alone; calls are read in every form that models write, and run through the choke point of `tools`; results are cleaned.
//! The server, its process and the time are ports, so that no HTTP and no process is in here.
//!
//! Source: docs/behaviour/bridge.md.

mod bridge; // one prompt after the other: start here
mod completion; // one request, in the form that the server accepts
mod rounds; // when the model has to answer
mod supervisor; // the connection to the server
mod ports;
mod tool_host; // the tools of the registry
mod error;
mod keywords; // the tool that a prompt means
mod hint; // the words for the model
mod examples; // example arguments
mod payload; // the body of a request
mod reply; // the message of a model
mod result; // the result of a tool
mod config; // `bridge_config.json`
mod address;

pub use address::ServerAddress;
pub use bridge::{Bridge, BridgeAnswer, BridgeOptions, FormatWish, PromptMemory};
pub use config::{BridgeConfig, ConfigReport, ConfiguredServer};
pub use error::BridgeError;
pub use examples::example_arguments;
pub use hint::{DEFAULT_SYSTEM_PROMPT, hint, reply_schema};
pub use keywords::{KeywordMode, detect, keywords};
pub use payload::{CHAT_PATH, ModelOptions};
pub use ports::{
    ChatFailure, ChatServer, NoStart, ServerProcess, TestFailure, Timer, ToolAnswer, ToolHost, ToolOutcome,
};
pub use reply::{Reply, ReplyCall, ReplyContent, read_reply};
pub use result::{CleanResult, clean};
pub use supervisor::{Supervisor, TEST_LIMIT};
pub use tool_host::{OfferedTools, ReadTexts, RunnerHost};
