//! Finds tool calls in the text of a model.
//!
//! Small models write calls as plain JSON, as JSON in a Markdown code block, or as JSON between `<tool_call>` tags.
//! Few servers recognise all three formats. Only calls of offered tools count, so other JSON stays text.
//!
//! Source: docs/behaviour/bridge.md#replies; runs of Qwen2.5-Coder, which writes plain objects and code blocks.

use serde_json::{Map, Value};

use super::thinking_splitter::possible_prefix_len;

/// Starts a call in most chat templates with tools.
const OPEN_TAG: &str = "<tool_call>";

/// Ends a call.
const CLOSE_TAG: &str = "</tool_call>";

/// Starts and ends a Markdown code block.
const FENCE: &str = "```";

/// Labels of code blocks that may contain a call. Code blocks with other labels are text.
const FENCE_LABELS: [&str; 5] = ["", "json", "tool_call", "tool_calls", "tool_code"];

/// Maximum length of text that is held back as a possible call. Longer text is passed on, so that it is not delayed.
const MAX_HELD_BYTES: usize = 16 * 1024;

/// Name of an offered tool, and arguments.
pub(super) type ParsedCall = (String, Map<String, Value>);

/// Finds calls in streamed text. Holds back text that may be a call, and passes the rest on.
#[derive(Debug)]
pub(super) struct TextToolCallParser {
    tool_names: Vec<String>,
    /// Text not passed on yet: the possible start of a call, or a call in progress if `held_format` is set.
    pending: String,
    held_format: Option<CallFormat>,
    /// `true` if only white space follows the last line break: plain JSON starts only there.
    at_line_start: bool,
    found: Vec<ParsedCall>,
}

/// The format of the possible call, known from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallFormat {
    Tagged,
    Fenced,
    PlainJson,
}

impl TextToolCallParser {
    /// Finds calls of the tools with these names.
    pub(super) fn new(tool_names: Vec<String>) -> Self {
        Self { tool_names, pending: String::new(), held_format: None, at_line_start: true, found: Vec::new() }
    }

    /// Adds text. Returns the text that is certainly not part of a call.
    pub(super) fn push(&mut self, text: &str) -> String {
        self.pending.push_str(text);
        let mut out = String::new();
        while self.advance(&mut out) {}
        out
    }

    /// Ends the text. Returns the held text that is no call, and the calls.
    pub(super) fn finish(&mut self) -> (String, Vec<ParsedCall>) {
        let mut out = String::new();
        let rest = std::mem::take(&mut self.pending);
        // Models that stop right after the JSON object often omit the closing tag or fence.
        let inner = match self.held_format.take() {
            Some(CallFormat::Tagged) => &rest[OPEN_TAG.len()..],
            Some(CallFormat::Fenced) => rest.split_once('\n').map_or("", |(_, inner)| inner),
            Some(CallFormat::PlainJson) => rest.as_str(),
            None => "",
        };
        match parse_calls(inner, &self.tool_names) {
            Some(calls) => self.add_calls(calls),
            None => self.emit(&rest, &mut out),
        }
        (out, std::mem::take(&mut self.found))
    }

    /// Processes the pending text by one step. Returns `false` if more text is needed.
    fn advance(&mut self, out: &mut String) -> bool {
        match self.held_format {
            None => self.find_start(out),
            Some(format) => self.find_end(format, out),
        }
    }

    fn find_start(&mut self, out: &mut String) -> bool {
        if let Some((at, format)) = self.start() {
            let held_format = self.pending.split_off(at);
            let before = std::mem::replace(&mut self.pending, held_format);
            self.emit(&before, out);
            self.held_format = Some(format);
            return true;
        }
        let waiting = possible_prefix_len(&self.pending, &[OPEN_TAG]).max(self.possible_fence());
        let rest = self.pending.split_off(self.pending.len() - waiting);
        let certain = std::mem::replace(&mut self.pending, rest);
        self.emit(&certain, out);
        false
    }

    /// Position and format of the next possible call.
    fn start(&self) -> Option<(usize, CallFormat)> {
        let tag = self.pending.find(OPEN_TAG).map(|at| (at, CallFormat::Tagged));
        let mut at_line_start = self.at_line_start;
        let mut line = None;
        for (at, character) in self.pending.char_indices() {
            if at_line_start && matches!(character, '{' | '[') {
                line = Some((at, CallFormat::PlainJson));
                break;
            }
            if at_line_start && self.pending[at..].starts_with(FENCE) {
                line = Some((at, CallFormat::Fenced));
                break;
            }
            at_line_start = character == '\n' || (at_line_start && character.is_whitespace());
        }
        [tag, line].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    /// Number of bytes at the end that may be the start of a fence at the start of a line.
    fn possible_fence(&self) -> usize {
        let line = self.pending.rsplit_once('\n').map(|(_, line)| line);
        let starts_a_line = line.is_some() || self.at_line_start;
        let line = line.unwrap_or(&self.pending).trim_start();
        if starts_a_line && (line == "`" || line == "``") { line.len() } else { 0 }
    }

    fn find_end(&mut self, format: CallFormat, out: &mut String) -> bool {
        let Some((inner, end)) = self.complete_block(format) else {
            if self.pending.len() > MAX_HELD_BYTES || (format == CallFormat::Fenced && self.is_other_fence())
            {
                self.release(self.pending.len(), out);
                return true;
            }
            return false;
        };
        match parse_calls(&inner, &self.tool_names) {
            Some(calls) => {
                self.add_calls(calls);
                self.pending.drain(..end);
                self.held_format = None;
                self.at_line_start = true;
            }
            None => self.release(end, out),
        }
        true
    }

    /// If the held text is complete: the JSON in it, and the end position of the whole.
    fn complete_block(&self, format: CallFormat) -> Option<(String, usize)> {
        let text = &self.pending;
        match format {
            CallFormat::Tagged => {
                let end = text.find(CLOSE_TAG)?;
                Some((text[OPEN_TAG.len()..end].to_owned(), end + CLOSE_TAG.len()))
            }
            CallFormat::Fenced => {
                let start = text.find('\n')? + 1;
                let end = start + text[start..].find(FENCE)?;
                Some((text[start..end].to_owned(), end + FENCE.len()))
            }
            CallFormat::PlainJson => {
                let end = json_end(text)?;
                Some((text[..end].to_owned(), end))
            }
        }
    }

    /// Adds calls without duplicates, because small models repeat the same call.
    fn add_calls(&mut self, calls: Vec<ParsedCall>) {
        for call in calls {
            if !self.found.contains(&call) {
                self.found.push(call);
            }
        }
    }

    fn is_other_fence(&self) -> bool {
        let label = self.pending.split_once('\n').map(|(line, _)| line[FENCE.len()..].trim().to_lowercase());
        label.is_some_and(|label| !FENCE_LABELS.contains(&label.as_str()))
    }

    /// Passes on the held text up to `end`, because it is no call.
    fn release(&mut self, end: usize, out: &mut String) {
        let rest = self.pending.split_off(end);
        let text = std::mem::replace(&mut self.pending, rest);
        self.held_format = None;
        self.emit(&text, out);
    }

    fn emit(&mut self, text: &str, out: &mut String) {
        // Text after a call is dropped: the model guesses the result of the tool.
        if self.found.is_empty() {
            out.push_str(text);
        }
        let line = text.rsplit_once('\n').map(|(_, line)| line);
        let starts_a_line = line.is_some() || self.at_line_start;
        self.at_line_start = starts_a_line && line.unwrap_or(text).trim().is_empty();
    }
}

/// The calls in `text`, if its first JSON value consists of calls of offered tools.
fn parse_calls(text: &str, tool_names: &[String]) -> Option<Vec<ParsedCall>> {
    let start = text.find(['{', '['])?;
    let end = start + json_end(&text[start..])?;
    let value = serde_json::from_str(&text[start..end]).ok()?;
    calls_in_value(&value, tool_names).filter(|calls| !calls.is_empty())
}

fn calls_in_value(value: &Value, tool_names: &[String]) -> Option<Vec<ParsedCall>> {
    let all = |list: &Vec<Value>| {
        let each: Option<Vec<_>> = list.iter().map(|item| calls_in_value(item, tool_names)).collect();
        each.map(|calls| calls.into_iter().flatten().collect())
    };
    match value {
        Value::Array(list) => all(list),
        Value::Object(fields) => {
            if let Some(Value::Array(list)) = fields.get("tool_calls") {
                return all(list);
            }
            let wrapped = ["tool_call", "function"].iter().find_map(|key| fields.get(*key)?.as_object());
            Some(vec![call_in_object(wrapped.unwrap_or(fields), tool_names)?])
        }
        _ => None,
    }
}

fn call_in_object(fields: &Map<String, Value>, tool_names: &[String]) -> Option<ParsedCall> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| fields.get(*key));
    let name = matching_tool(first(&["name", "tool_name", "function", "tool"])?.as_str()?, tool_names)?;
    let arguments = first(&["arguments", "parameters", "args", "tool_args"])?;
    Some((name, arguments_of(arguments)?))
}

/// The arguments as an object. Some models and servers write the object as a string.
pub(super) fn arguments_of(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(arguments) => Some(arguments.clone()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        Value::String(text) => serde_json::from_str(text).ok(),
        Value::Null => Some(Map::new()),
        _ => None,
    }
}

/// The offered tool with this name: exactly, else ignoring case and with spaces and hyphens as underscores.
fn matching_tool(name: &str, tool_names: &[String]) -> Option<String> {
    let fold = |text: &str| text.trim().to_lowercase().replace([' ', '-'], "_");
    let exact = tool_names.iter().find(|tool| *tool == name);
    exact.or_else(|| tool_names.iter().find(|tool| fold(tool) == fold(name))).cloned()
}

/// End position of the JSON value at the start of `text`; `None` if it is incomplete.
fn json_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const LEEDS: &str = r#"get_weather {"city":"Leeds"}"#;

    /// Parses `text` character by character, the hardest way to split it.
    fn parse(text: &str) -> (String, Vec<String>) {
        let mut calls = TextToolCallParser::new(vec!["get_weather".into(), "set_timer".into()]);
        let mut output: String = text.chars().map(|character| calls.push(&character.to_string())).collect();
        let (rest, found) = calls.finish();
        output.push_str(&rest);
        (
            output,
            found
                .into_iter()
                .map(|(name, arguments)| format!("{name} {}", Value::Object(arguments)))
                .collect(),
        )
    }

    #[rstest]
    #[case::bare(r#"{"name": "get_weather", "arguments": {"city": "Leeds"}}"#, "", &[LEEDS])]
    #[case::spread_over_lines("\n{\n \"name\": \"get_weather\",\n \"arguments\": {\"city\": \"Leeds\"}\n}\n", "\n", &[LEEDS])]
    #[case::fenced("```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Leeds\"}}\n```", "", &[LEEDS])]
    #[case::tagged("<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Leeds\"}}\n</tool_call>", "", &[LEEDS])]
    #[case::tag_never_closed(r#"<tool_call>{"name": "get_weather", "arguments": {"city": "Leeds"}}"#, "", &[LEEDS])]
    #[case::fence_never_closed("```\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Leeds\"}}", "", &[LEEDS])]
    #[case::after_prose("Let me look.\n```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Leeds\"}}\n```", "Let me look.\n", &[LEEDS])]
    #[case::tag_within_a_line(r#"Sure. <tool_call>{"name": "get_weather", "arguments": {"city": "Leeds"}}</tool_call>"#, "Sure. ", &[LEEDS])]
    #[case::a_guess_at_the_result_is_dropped("{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Leeds\"}}\nIt rains.", "", &[LEEDS])]
    #[case::two_calls(r#"[{"name": "get_weather", "arguments": {"city": "Leeds"}}, {"name": "set_timer", "arguments": {}}]"#, "", &[LEEDS, "set_timer {}"])]
    #[case::the_same_call_again("{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Leeds\"}}\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Leeds\"}}\n", "", &[LEEDS])]
    #[case::wrapped(r#"{"tool_calls": [{"type": "function", "function": {"name": "get_weather", "arguments": "{\"city\": \"Leeds\"}"}}]}"#, "", &[LEEDS])]
    #[case::parameters(r#"{"name": "get_weather", "parameters": {"city": "Leeds"}}"#, "", &[LEEDS])]
    #[case::old_shape(r#"{"tool_name": "get_weather", "tool_args": {"city": "Leeds"}}"#, "", &[LEEDS])]
    #[case::folded_name(r#"{"name": "Get-Weather", "arguments": {"city": "Leeds"}}"#, "", &[LEEDS])]
    #[case::braces_in_strings(r#"{"name": "get_weather", "arguments": {"city": "L}e\"{eds"}}"#, "", &["get_weather {\"city\":\"L}e\\\"{eds\"}"])]
    fn calls_of_offered_tools_are_found_in_text(
        #[case] text: &str,
        #[case] expected_text: &str,
        #[case] expected_calls: &[&str],
    ) {
        let (rest, calls) = parse(text);

        let expected_calls = expected_calls.iter().map(ToString::to_string).collect();
        assert_eq!((rest.as_str(), calls), (expected_text, expected_calls));
    }

    #[rstest]
    #[case::words("It rains in Leeds.")]
    #[case::unknown_tool(r#"{"name": "Ada", "arguments": {"city": "Leeds"}}"#)]
    #[case::a_person(r#"{"name": "get_weather"}"#)]
    #[case::other_json("Here:\n{\"a\": [1, 2]}\nDone.")]
    #[case::code("```python\nprint({})\n```\nThat is all.")]
    #[case::code_of_no_language("```\nls -l\n```\nThat is all.")]
    #[case::a_link("[Leeds](https://example.org) is wet.")]
    #[case::never_closed("{\"a\": ")]
    #[case::back_ticks("Use `ls`.\n`")]
    #[case::less_than("1 < 2 <tool")]
    #[case::broken_json("{\"name\": \"get_weather\", \"arguments\": {city}}")]
    fn text_without_tool_calls_is_not_changed(#[case] text: &str) {
        let (rest, calls) = parse(text);

        assert_eq!((rest.as_str(), calls), (text, vec![]));
    }

    #[test]
    fn plain_text_is_passed_on_at_once() {
        let mut calls = TextToolCallParser::new(vec!["get_weather".into()]);

        assert_eq!(calls.push("It rains"), "It rains");
        assert_eq!(calls.push(" in Leeds."), " in Leeds.");
    }
}
