//! Servers of tools that speak the Model Context Protocol (MCP).
//!
//! Each server has a task of its own, which starts it when a tool is needed, runs one call after the other, and ends it when
//! it was idle for long. A server that fails touches no other one. Its tools are in the registry under `server__tool`.
//!
//! Source: behaviour reference, section 4.12; MCP specification 2025-11-25.

mod config; // what the settings say of a server
mod command; // which program a command means
mod remote_tool; // a tool of a server, for the registry
mod pins; // whether a server still describes its tools as the user knows them
mod session; // an open connection
mod stderr; // what a server writes beside the protocol
mod server_task; // the life of one server
mod manager; // all servers
mod refresh; // the tool that lists them anew

pub use command::resolve_command;
pub use config::{ServerConfig, ServerConfigError, Transport};
pub use manager::ToolServers;
pub use pins::{Fingerprint, PinStore, fingerprint};
pub use refresh::RefreshServers;
pub use server_task::{ServerPhase, ServerStatus};
pub use session::Connections;
