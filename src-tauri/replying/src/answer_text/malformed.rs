//! Malformed answers: leaked tool calls, specifications, raw data.
//!
//! Source: docs/behaviour/replying.md#malformed-answers.

use serde_json::{Map, Value};

/// Fields in which models put their answer, best first.
const SPOKEN_FIELDS: [&str; 7] = ["response", "message", "text", "content", "answer", "reply", "error"];

/// Beginnings of leaked tool calls, lower case.
const LEAKED_BEGINNINGS: [&str; 3] = ["tool_calls:", "tool_code", "tool_output"];

/// Characters of the longest of them: text that is longer is decided.
const LONGEST_BEGINNING: usize = 16;

/// Pieces of specifications and raw data that no answer contains.
const RAW_DATA: [&str; 17] = [
    "\"specVersion\":",
    "\"openapi\":",
    "\"swagger\":",
    "\"apis\":",
    "\"endpoints\":",
    "\"paths\":",
    "\"api.github.com\"",
    "\"host\":",
    "\"basePath\":",
    "\"site\":",
    "\"location\":",
    "\"forecast\":",
    "\"current_date\":",
    "\"high\":",
    "\"low\":",
    "\"lang\": \"json\"",
    "\"section\":",
];

/// Returns `true` if this must not be shown or spoken. Empty text is fine.
pub fn is_malformed(content: &str) -> bool {
    let content = content.trim();
    if content.is_empty() {
        return false;
    }
    let is_object = content.starts_with('{');
    let is_cut_off = is_object && !content.ends_with('}');
    let names_no_spoken_field =
        is_object && !SPOKEN_FIELDS.iter().any(|field| content.contains(&format!("\"{field}\"")));
    let lower = beginning_of(content);
    is_cut_off
        || names_no_spoken_field
        || LEAKED_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning))
        || holds_raw_data(content)
}

/// Returns `true` if a piece of an answer is raw data, wherever it stands.
pub(crate) fn holds_raw_data(content: &str) -> bool {
    holds_unused_token(content) || RAW_DATA.iter().any(|piece| content.contains(piece))
}

/// Returns `true` if text with this beginning may turn out to be malformed. Then it is held back until it is complete.
pub(crate) fn may_become_malformed(content: &str) -> bool {
    let content = content.trim_start();
    let lower = beginning_of(content);
    let could_be = |beginning: &str| lower.starts_with(beginning) || beginning.starts_with(&lower);
    content.starts_with(['{', '['])
        || content.starts_with("```")
        || could_be("tool_call\n")
        || LEAKED_BEGINNINGS.iter().any(|b| could_be(b))
}

fn beginning_of(content: &str) -> String {
    content.chars().take(LONGEST_BEGINNING).collect::<String>().to_lowercase()
}

fn holds_unused_token(content: &str) -> bool {
    content.match_indices("<unused").any(|(at, token)| {
        let rest = &content[at + token.len()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with('>')
    })
}

fn object_in(content: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(content.trim()).ok()
}

/// Returns `true` if the whole answer is a call that was not understood as one. The reference lets some of them pass.
pub(crate) fn is_leaked_call(content: &str) -> bool {
    let beginning = beginning_of(content.trim_start());
    ["[tool_call", "tool_call"].iter().any(|marker| beginning.starts_with(marker))
        || object_in(content).is_some_and(|object| calls_a_tool(&object))
}

fn calls_a_tool(object: &Map<String, Value>) -> bool {
    let holds = |keys: [&str; 2]| keys.iter().any(|key| object.contains_key(*key));
    holds(["name", "tool"]) && holds(["arguments", "args"])
}

/// Returns the text of an answer that is a JSON object: its text-like field, else its longest text. A tool
/// call means to say nothing.
pub fn rescue_from_json(content: &str) -> Option<String> {
    let object = object_in(content).filter(|object| !calls_a_tool(object))?;
    let named = SPOKEN_FIELDS.iter().find_map(|field| object.get(*field)?.as_str());
    let longest = || object.values().filter_map(Value::as_str).max_by_key(|text| text.chars().count());
    let text = named.or_else(longest)?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::an_answer("It is raining.", false)]
    #[case::empty("  ", false)]
    #[case::cut_off_object("{\"message\": \"hi\"", true)]
    #[case::object_with_a_spoken_field("{\"message\": \"hi\"}", false)]
    #[case::object_without_one("{\"name\": \"get_weather\"}", true)]
    #[case::leaked_call("Tool_calls: []", true)]
    #[case::unused_token("well <unused42> then", true)]
    #[case::no_unused_token("an <unused> thing", false)]
    #[case::specification("see \"openapi\": \"3.0\"", true)]
    fn knows_what_is_no_answer(#[case] content: &str, #[case] expected: bool) {
        assert_eq!(is_malformed(content), expected);
    }

    #[rstest]
    #[case::call_with_a_text("{\"tool\": \"addTodo\", \"arguments\": {\"text\": \"milk\"}}", true)]
    #[case::marked("[tool_call\n{\"name\": \"getDate\"}]", true)]
    #[case::object_with_a_text("{\"text\": \"milk\"}", false)]
    #[case::prose("[1] is a footnote.", false)]
    fn knows_a_leaked_call(#[case] content: &str, #[case] expected: bool) {
        assert_eq!(is_leaked_call(content), expected);
    }

    #[rstest]
    #[case::named_field("{\"x\": \"longer than the other\", \"answer\": \"Noon.\"}", Some("Noon."))]
    #[case::longest_text("{\"a\": \"Noon.\", \"b\": \"Noon already.\", \"c\": 3}", Some("Noon already."))]
    #[case::no_text("{\"a\": 3}", None)]
    #[case::tool_call("{\"name\": \"get_weather\", \"arguments\": {}}", None)]
    #[case::no_object("Noon.", None)]
    fn rescues_what_was_meant(#[case] content: &str, #[case] expected: Option<&str>) {
        assert_eq!(rescue_from_json(content).as_deref(), expected);
    }
}
