//! What Jarvis can do besides talking.
//!
//! A call comes in as a name and arguments, a [`ToolResult`] goes out. Every call passes one choke point, whoever made
//! it. No prompts and no dialogue in here.
//!
//! Source: behaviour reference, section 4.

mod tool; // the port: start here
mod tool_result;
pub mod builtin; // the tools of Jarvis itself

pub use tool::{Declaration, Effect, Example, Tool, ToolContext, ToolSource};
pub use tool_result::{ToolResult, Transition};
