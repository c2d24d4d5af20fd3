//! Reads the message of a model: calls of tools in every accepted form, or an answer.
//!
//! Source: docs/behaviour/bridge.md#replies.

mod call_forms; // which JSON is a call
mod json_in_text; // where the JSON stands in a text
mod answer; // the text for the user

use serde_json::{Map, Value};

use call_forms::WrittenCall;
use json_in_text::JsonInText;

/// A message of a model, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The words of the model.
    pub content: ReplyContent,
    /// The reason that the model gives under `thoughts`.
    pub thoughts: Option<String>,
}

/// The content of a message of a model.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyContent {
    /// Calls of known tools, in order.
    ToolCalls(Vec<ReplyCall>),
    /// An answer.
    Text(String),
    /// Nothing.
    Empty,
    /// A call of a tool that does not exist.
    UnknownTool {
        /// As the model wrote it.
        name: String,
    },
    /// A call of a known tool whose arguments are not an object.
    BadArguments {
        /// The tool.
        name: String,
    },
    /// JSON that ends before it is complete.
    Truncated,
}

/// A call of a known tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyCall {
    /// The tool, as it is registered.
    pub name: String,
    /// The arguments as an object.
    pub arguments: Map<String, Value>,
}

/// Reads a message in the format of Ollama. Never fails: what is no call is text.
pub fn read_reply(message: &Value, known_tools: &[String]) -> Reply {
    let native = call_forms::native_calls(message);
    let content = content_of(message);
    if !native.is_empty() {
        let thoughts = json_in_text::find(&content).value().and_then(answer::thoughts);
        return Reply { content: judged(native, known_tools), thoughts };
    }
    let text = without_thinking(&content);
    if text.trim().is_empty() {
        return Reply { content: ReplyContent::Empty, thoughts: None };
    }
    match json_in_text::find(text) {
        JsonInText::Whole { value, source } => read_json(&value, source, known_tools),
        JsonInText::Within { value, .. } => {
            let calls = call_forms::calls(&value).filter(|_| !known_tools.is_empty());
            match calls {
                Some(calls) => read_calls(calls, &value, known_tools),
                None => Reply { content: ReplyContent::Text(text.to_owned()), thoughts: None },
            }
        }
        JsonInText::CutOff => Reply { content: ReplyContent::Truncated, thoughts: None },
        JsonInText::None => Reply { content: ReplyContent::Text(text.to_owned()), thoughts: None },
    }
}

/// Reads a message that is JSON and nothing else. Where no tool was offered nothing is a call: answers may have such keys.
fn read_json(value: &Value, source: &str, known_tools: &[String]) -> Reply {
    match call_forms::calls(value).filter(|_| !known_tools.is_empty()) {
        Some(calls) => read_calls(calls, value, known_tools),
        None => {
            let text = answer::text(value, source);
            let content = if text.trim().is_empty() { ReplyContent::Empty } else { ReplyContent::Text(text) };
            Reply { content, thoughts: answer::thoughts(value) }
        }
    }
}

fn read_calls(calls: Vec<WrittenCall<'_>>, value: &Value, known_tools: &[String]) -> Reply {
    let own = calls.iter().find_map(|call| answer::thoughts(call.object));
    Reply { thoughts: answer::thoughts(value).or(own), content: judged(calls, known_tools) }
}

/// All calls, or the first one that is wrong.
fn judged(calls: Vec<WrittenCall<'_>>, known_tools: &[String]) -> ReplyContent {
    let mut read = Vec::with_capacity(calls.len());
    for call in calls {
        let Some(name) = registered_name(call.name, known_tools) else {
            return ReplyContent::UnknownTool { name: call.name.to_owned() };
        };
        let Some(arguments) = arguments(call.arguments) else {
            return ReplyContent::BadArguments { name: name.to_owned() };
        };
        read.push(ReplyCall { name: name.to_owned(), arguments });
    }
    ReplyContent::ToolCalls(read)
}

/// The registered spelling of a name; `None` if no tool or several tools may be meant.
fn registered_name<'t>(written: &str, known_tools: &'t [String]) -> Option<&'t str> {
    if let Some(tool) = known_tools.iter().find(|tool| *tool == written) {
        return Some(tool);
    }
    let folded = |name: &str| {
        name.trim().replace(['-', ' '], "_").chars().flat_map(char::to_lowercase).collect::<String>()
    };
    let wanted = folded(written);
    let mut meant = known_tools.iter().filter(|tool| folded(tool) == wanted);
    match (meant.next(), meant.next()) {
        (Some(tool), None) => Some(tool),
        _ => None,
    }
}

/// The arguments as an object; missing ones and null are none, a text is read as JSON.
fn arguments(written: Option<&Value>) -> Option<Map<String, Value>> {
    match written {
        None | Some(Value::Null) => Some(Map::new()),
        Some(Value::Object(arguments)) => Some(arguments.clone()),
        Some(Value::String(text)) => match serde_json::from_str(text.trim()) {
            Ok(Value::Object(arguments)) => Some(arguments),
            _ => None,
        },
        Some(_) => None,
    }
}

/// The text of a message. Content of another type is read as the JSON that it is.
fn content_of(message: &Value) -> String {
    match message
        .as_str()
        .map(|text| Value::String(text.to_owned()))
        .as_ref()
        .or_else(|| message.get("content"))
    {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// The text without the thinking before it. A model may leave out the mark that opens it.
fn without_thinking(text: &str) -> &str {
    const OPEN: &str = "<think>";
    const CLOSE: &str = "</think>";
    let begun = text.trim_start();
    let is_open = begun.starts_with(OPEN);
    match begun.split_once(CLOSE) {
        Some((thinking, rest)) if is_open || !thinking.contains(['{', '`']) => rest.trim_start(),
        _ if is_open => "",
        _ => text,
    }
}

#[cfg(test)]
mod tests;
