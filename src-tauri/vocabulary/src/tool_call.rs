//! The name of a tool call.

use serde::{Deserialize, Serialize};

/// Names a tool call, so that its result finds it. Made by the model's provider, or by us where it makes none.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolCallId(pub String);
