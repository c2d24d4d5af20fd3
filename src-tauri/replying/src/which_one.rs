//! A call that fits several things: the user was asked which one, and the next sentence names it.

use serde_json::{Map, Value, json};
use vocabulary::Language;

use crate::fast_path::{NamedBy, named_thing};
use crate::tool_run_result::ToolRunResult;
use crate::tool_talk::scrubbed_value;

/// A call that waits for the user to say which of several things is meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChoiceCall {
    /// The name of the tool that waits.
    pub tool: String,
    /// Its arguments, redacted.
    arguments: Map<String, Value>,
    /// The names of the things; empty for one without a name.
    names: Vec<String>,
}

impl ChoiceCall {
    /// The call that waits after this result; `None` if the tool did not ask which one.
    pub fn new(tool: &str, ran: &ToolRunResult) -> Option<Self> {
        let Value::Object(arguments) = scrubbed_value(Value::Object(ran.arguments.clone())) else {
            return None;
        };
        let names = ran.choices.clone();
        (names.len() > 1).then(|| Self { tool: tool.to_owned(), arguments, names })
    }

    /// The arguments with what the sentence says; `None` if it names none of the things, and so is another request.
    pub fn chosen(&self, text: &str, language: &Language, names: &[&str]) -> Option<Map<String, Value>> {
        let (by, seconds_key, name_key) = match self.tool.as_str() {
            "cancelTimer" => (NamedBy::Duration, "seconds", "label"),
            "changeTimer" => (NamedBy::Duration, "set_for", "label"),
            "cancelReminder" => (NamedBy::Time, "seconds", "label"),
            "finishTodo" => (NamedBy::Words, "seconds", "text"),
            _ => return None,
        };
        let thing = named_thing(text, by, language, names)?;
        let name = match thing.words.as_slice() {
            [] => None,
            words => Some(self.only_with(words)?),
        };
        let mut arguments = self.arguments.clone();
        let mut put = |key: &str, value: Option<Value>| {
            arguments.extend(value.map(|value| (key.to_owned(), value)));
        };
        put(name_key, name.map(|name| json!(name)));
        put(seconds_key, thing.seconds.map(|seconds| json!(seconds)));
        put("time", thing.time.map(|time| json!(time)));
        put("date", thing.date.map(|date| json!(date)));
        (arguments != self.arguments).then_some(arguments)
    }

    /// The only name with all these words.
    fn only_with(&self, words: &[String]) -> Option<&String> {
        let has_all = |name: &&String| {
            let known = languages::folded_words(name);
            words.iter().all(|word| known.contains(word))
        };
        let mut fitting = self.names.iter().filter(has_all);
        fitting.next().filter(|_| fitting.next().is_none())
    }
}
