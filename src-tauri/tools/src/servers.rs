//! Servers of tools that speak the Model Context Protocol (MCP).
//!
//! Each server has a task of its own, which starts it when a tool is needed, runs one call after the other, and ends it when
//! it was idle for long. A server that fails touches no other one. Its tools are in the registry under `server__tool`.
//!
//! Source: docs/behaviour/tools.md#servers; MCP specification 2025-11-25.

mod secrets; // kept out of logs, errors, pages and what models read
mod config; // what the settings say of a server
mod command; // which program a command means
mod content; // what a server returns: text and files
mod session_error; // why a server could not be used
mod stderr; // what a server writes beside the protocol
mod lines; // none of them too long
mod program; // a server that is a program
mod reach; // which servers may be contacted
mod sign_in; // signing in at a server with an address
mod http; // a server with an address
mod plain_line; // a text of a server for the user
mod elicitation; // a server that asks the user
mod ongoing; // the call that is under way
mod sampling; // a server that asks our language model
mod handler; // what a server is told of us
mod resources; // what a server has besides tools
mod prompts; // texts that it offers to users
mod request; // what is asked of a server
mod session; // an open connection
mod listing; // the tools that a server named
mod status; // a server, as its user sees it
mod server_task; // the life of one server
mod claimed_effect; // what a call of a tool does, by its hints and its name
mod remote_tool; // a tool of a server, for the registry
mod pins; // whether a server still describes its tools as the user knows them
mod neutral; // a changed tool without its new words
mod tool_list; // the tools of one server in the registry
mod manager; // all servers
mod refresh; // the tool that lists them anew

pub use claimed_effect::Hints;
pub use command::{Platform, Surroundings, resolve_command};
pub use config::ServerValues;
pub use content::{flatten_content, server_result};
pub use manager::{ServerPorts, ToolServers};
pub use pins::{Fingerprint, Pin, PinStore, fingerprint};
pub use prompts::{ServerPrompt, ServerPromptArgument};
pub use refresh::RefreshServers;
pub use session::{CallLimits, Connections};
pub use sign_in::{SignInError, SignInStore};
pub use status::{ServerPhase, ServerStatus};
