//! The tools that may run: their servers, their permissions, and what they did.

pub(crate) mod tool_servers; // servers of tools, as the settings name them
pub(crate) mod tool_permissions; // which tools may run, in the settings
pub(crate) mod tool_pins; // how servers described their tools
pub(crate) mod call_log; // calls of tools
