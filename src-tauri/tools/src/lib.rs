//! The tools of Jarvis.
//!
//! A call comes in as a name and arguments, a [`CallOutcome`] with a [`ToolResult`] goes out. Every call passes one choke
//! point, [`ToolRunner`], whoever made it. [`selection`] narrows a large catalogue to the tools that fit a query. No
//! prompts and no dialogue in here.
//!
//! Source: docs/behaviour/tools.md.

mod tool; // the port: start here
mod tool_result;
pub mod attachments; // files in results
mod name;
mod registry; // which tools there are
mod config;
mod permissions; // which of them may run
mod private_words; // which words must not go out
mod policy_replay; // the same, asked out of a file
mod stored_secrets; // those that a tool cannot work without
mod inquiry; // a question of a tool to the user
mod approval; // asking the user
pub mod arguments; // checked and repaired
mod output;
pub mod recall; // what of the memory a model is shown
mod fence; // around text from elsewhere
mod audit; // the log of all calls
mod runner; // the one choke point
pub mod selection; // which tools fit a query
mod tool_search; // a tool that finds tools
pub mod meals; // read by a model, told in rounded amounts
mod ring_control; // what rings now
mod voice_settings; // how loud the assistant speaks
pub mod web; // searching it, its pages, the weather
pub mod desktop; // links, programs, clipboard, what plays
pub mod files; // of the user, in the home folder
pub mod servers; // servers of tools (MCP)
pub mod builtin; // the tools of Jarvis itself

/// The tool that takes back what an earlier call set.
pub const TAKE_BACK: &str = "takeBack";

pub use approval::{Approval, ApprovalAnswer, ApprovalRequest};
pub use audit::{AuditLog, AuditedCall, Decision};
pub use config::{ToolsConfig, WebConfig};
pub use fence::unfenced;
pub use inquiry::{Inquiries, Inquiry};
pub use name::{split_tool_name, tool_name_in_words};
pub use permissions::{Grounds, Permission, PermissionChoice, PermissionStore, Permissions, Taint};
pub use policy_replay::replay;
pub use private_words::{ReplyTexts, WordSources};
pub use registry::{Catalogue, RegisteredTool, RegistryError, ToolRegistry};
pub use ring_control::{RingControl, SNOOZE};
pub use runner::{CallOutcome, CallStatus, ToolRunner, is_told_to_models};
pub use stored_secrets::StoredSecrets;
pub use tool::{Declaration, Effect, Example, Tool, ToolContext, ToolSource};
pub use tool_result::{Choice, ToolResult, Transition};
pub use tool_search::ToolSearch;
pub use voice_settings::VoiceSettings;
