//! The calls of the last reply, so that the next request can go on with them.

use memory::ItemId;
use serde_json::{Map, Value};

use crate::tool_talk::scrubbed_value;
use crate::toolbox::ToolRunResult;

/// A call that did what was asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeptCall {
    /// The name of the tool.
    pub tool: String,
    /// Its arguments, redacted like all dialogue.
    pub arguments: Map<String, Value>,
    /// The records that it made, changed or named.
    pub touched: Vec<ItemId>,
    /// The tool worded the answer, and will word the next one.
    pub is_worded: bool,
}

impl KeptCall {
    /// A kept call; `None` if it did not do what was asked.
    pub fn new(tool: &str, ran: &ToolRunResult) -> Option<Self> {
        let arguments = match scrubbed_value(Value::Object(ran.arguments.clone())) {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        ran.result.success.then(|| Self {
            tool: tool.to_owned(),
            arguments,
            touched: ran.touched.clone(),
            is_worded: ran.result.answer.is_some(),
        })
    }
}
