//! The name of a tool call, and how it ended.

use serde::{Deserialize, Serialize};

/// Names a tool call, so that its result finds it. Made by the model's provider, or by us where it makes none.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolCallId(pub String);

/// The way a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// It did what was asked.
    Succeeded,
    /// It was tried and went wrong.
    Failed,
    /// The user or a permission did not allow it.
    Denied,
}
