//! A call that the engine asks for.

use serde_json::{Map, Value};

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// Unique within its conversation.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The decoded arguments.
    pub arguments: Map<String, Value>,
}
