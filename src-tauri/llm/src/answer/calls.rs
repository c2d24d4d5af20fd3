//! Finds tool calls that a model wrote into its text.
//!
//! Small models answer with a bare JSON object, one in a Markdown fence, or one between `<tool_call>` tags, and few
//! servers recognise all three. Only calls of tools that were offered count, so an answer about JSON stays an answer.
//!
//! Source: bridge reference, section 7.2; our own runs of Qwen2.5-Coder, which writes bare objects and fences.

use serde_json::{Map, Value};

use super::thinking::possible_start;

/// Opens a call in most chat templates that know tools.
const OPEN_TAG: &str = "<tool_call>";

/// Closes it.
const CLOSE_TAG: &str = "</tool_call>";

/// Opens and closes a block in Markdown.
const FENCE: &str = "```";

/// What an opening fence may say for its content to be a call; a fence of Python or Rust is an answer.
const FENCE_LABELS: [&str; 5] = ["", "json", "tool_call", "tool_calls", "tool_code"];

/// Text held back while it could be a call. A longer one is taken for an answer: nobody should wait for it.
const MAX_HELD_BYTES: usize = 16 * 1024;

/// A call as it was found: name as the tool is really called, arguments.
pub(super) type ProbeResult = (String, Map<String, Value>);

/// Reads text piece by piece, holds back what could be a call, and gives the rest on.
#[derive(Debug)]
pub(super) struct TextCalls {
    known: Vec<String>,
    /// Text not given on yet: a possible tag, or a call under way when `held` says so.
    pending: String,
    held: Option<Shape>,
    /// Only blanks since the last line break: here a bare object may start.
    at_line_start: bool,
    found: Vec<ProbeResult>,
}

/// How the text held back began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Tagged,
    Fenced,
    Bare,
}

impl TextCalls {
    /// Looks for calls of the tools named.
    pub(super) fn of(known: Vec<String>) -> Self {
        Self { known, pending: String::new(), held: None, at_line_start: true, found: Vec::new() }
    }

    /// Takes more text, gives back what certainly is no call.
    pub(super) fn push(&mut self, text: &str) -> String {
        self.pending.push_str(text);
        let mut out = String::new();
        while self.step(&mut out) {}
        out
    }

    /// The text is complete: gives what was held back in vain, and the calls.
    pub(super) fn finish(&mut self) -> (String, Vec<ProbeResult>) {
        let mut out = String::new();
        let rest = std::mem::take(&mut self.pending);
        // Models that stop right after the object often leave the closing tag or fence away.
        let inner = match self.held.take() {
            Some(Shape::Tagged) => &rest[OPEN_TAG.len()..],
            Some(Shape::Fenced) => rest.split_once('\n').map_or("", |(_, inner)| inner),
            Some(Shape::Bare) => rest.as_str(),
            None => "",
        };
        match calls_in(inner, &self.known) {
            Some(calls) => self.add(calls),
            None => self.give(&rest, &mut out),
        }
        (out, std::mem::take(&mut self.found))
    }

    /// One decision; false when more text is needed.
    fn step(&mut self, out: &mut String) -> bool {
        match self.held {
            None => self.look_for_a_start(out),
            Some(shape) => self.look_for_the_end(shape, out),
        }
    }

    fn look_for_a_start(&mut self, out: &mut String) -> bool {
        if let Some((at, shape)) = self.start() {
            let held = self.pending.split_off(at);
            let before = std::mem::replace(&mut self.pending, held);
            self.give(&before, out);
            self.held = Some(shape);
            return true;
        }
        let waiting = possible_start(&self.pending, &[OPEN_TAG]).max(self.possible_fence());
        let rest = self.pending.split_off(self.pending.len() - waiting);
        let certain = std::mem::replace(&mut self.pending, rest);
        self.give(&certain, out);
        false
    }

    /// Where a call may begin, and how.
    fn start(&self) -> Option<(usize, Shape)> {
        let tag = self.pending.find(OPEN_TAG).map(|at| (at, Shape::Tagged));
        let mut at_line_start = self.at_line_start;
        let mut line = None;
        for (at, letter) in self.pending.char_indices() {
            if at_line_start && matches!(letter, '{' | '[') {
                line = Some((at, Shape::Bare));
                break;
            }
            if at_line_start && self.pending[at..].starts_with(FENCE) {
                line = Some((at, Shape::Fenced));
                break;
            }
            at_line_start = letter == '\n' || (at_line_start && letter.is_whitespace());
        }
        [tag, line].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    /// Bytes at the end that could be the beginning of a fence at a line's start.
    fn possible_fence(&self) -> usize {
        let line = self.pending.rsplit_once('\n').map(|(_, line)| line);
        let starts_a_line = line.is_some() || self.at_line_start;
        let line = line.unwrap_or(&self.pending).trim_start();
        if starts_a_line && (line == "`" || line == "``") { line.len() } else { 0 }
    }

    fn look_for_the_end(&mut self, shape: Shape, out: &mut String) -> bool {
        let Some((inner, end)) = self.complete(shape) else {
            if self.pending.len() > MAX_HELD_BYTES || (shape == Shape::Fenced && self.fence_is_no_call()) {
                self.release(self.pending.len(), out);
                return true;
            }
            return false;
        };
        match calls_in(&inner, &self.known) {
            Some(calls) => {
                self.add(calls);
                self.pending.drain(..end);
                self.held = None;
                self.at_line_start = true;
            }
            None => self.release(end, out),
        }
        true
    }

    /// What is held, if its end has come: the JSON inside, and where the whole ends.
    fn complete(&self, shape: Shape) -> Option<(String, usize)> {
        let text = &self.pending;
        match shape {
            Shape::Tagged => {
                let end = text.find(CLOSE_TAG)?;
                Some((text[OPEN_TAG.len()..end].to_owned(), end + CLOSE_TAG.len()))
            }
            Shape::Fenced => {
                let start = text.find('\n')? + 1;
                let end = start + text[start..].find(FENCE)?;
                Some((text[start..end].to_owned(), end + FENCE.len()))
            }
            Shape::Bare => {
                let end = end_of_json(text)?;
                Some((text[..end].to_owned(), end))
            }
        }
    }

    /// Small models write the same call over and over; nobody means that.
    fn add(&mut self, calls: Vec<ProbeResult>) {
        for call in calls {
            if !self.found.contains(&call) {
                self.found.push(call);
            }
        }
    }

    fn fence_is_no_call(&self) -> bool {
        let label = self.pending.split_once('\n').map(|(line, _)| line[FENCE.len()..].trim().to_lowercase());
        label.is_some_and(|label| !FENCE_LABELS.contains(&label.as_str()))
    }

    /// What was held is no call: it is said after all.
    fn release(&mut self, end: usize, out: &mut String) {
        let rest = self.pending.split_off(end);
        let said = std::mem::replace(&mut self.pending, rest);
        self.held = None;
        self.give(&said, out);
    }

    fn give(&mut self, text: &str, out: &mut String) {
        // What a model adds after it called a tool is a guess at the result.
        if self.found.is_empty() {
            out.push_str(text);
        }
        let line = text.rsplit_once('\n').map(|(_, line)| line);
        let starts_a_line = line.is_some() || self.at_line_start;
        self.at_line_start = starts_a_line && line.unwrap_or(text).trim().is_empty();
    }
}

/// The calls in `text`, if its first JSON value is one or more calls of known tools.
fn calls_in(text: &str, known: &[String]) -> Option<Vec<ProbeResult>> {
    let start = text.find(['{', '['])?;
    let end = start + end_of_json(&text[start..])?;
    let value = serde_json::from_str(&text[start..end]).ok()?;
    calls_of(&value, known).filter(|calls| !calls.is_empty())
}

fn calls_of(value: &Value, known: &[String]) -> Option<Vec<ProbeResult>> {
    let all = |list: &Vec<Value>| {
        let each: Option<Vec<_>> = list.iter().map(|item| calls_of(item, known)).collect();
        each.map(|calls| calls.into_iter().flatten().collect())
    };
    match value {
        Value::Array(list) => all(list),
        Value::Object(fields) => {
            if let Some(Value::Array(list)) = fields.get("tool_calls") {
                return all(list);
            }
            let wrapped = ["tool_call", "function"].iter().find_map(|key| fields.get(*key)?.as_object());
            Some(vec![call_of(wrapped.unwrap_or(fields), known)?])
        }
        _ => None,
    }
}

fn call_of(fields: &Map<String, Value>, known: &[String]) -> Option<ProbeResult> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| fields.get(*key));
    let name = known_as(first(&["name", "tool_name", "function", "tool"])?.as_str()?, known)?;
    let arguments = first(&["arguments", "parameters", "args", "tool_args"])?;
    Some((name, arguments_of(arguments)?))
}

/// The arguments as an object: some models and servers write the object into a string.
pub(super) fn arguments_of(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(arguments) => Some(arguments.clone()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        Value::String(text) => serde_json::from_str(text).ok(),
        Value::Null => Some(Map::new()),
        _ => None,
    }
}

/// The known tool that is meant: by its exact name, else with case, blanks and hyphens folded.
fn known_as(name: &str, known: &[String]) -> Option<String> {
    let fold = |text: &str| text.trim().to_lowercase().replace([' ', '-'], "_");
    let exact = known.iter().find(|tool| *tool == name);
    exact.or_else(|| known.iter().find(|tool| fold(tool) == fold(name))).cloned()
}

/// Where the JSON value at the start of `text` ends, once it does.
fn end_of_json(text: &str) -> Option<usize> {
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

    /// Feeds `text` letter by letter, the hardest way to cut it.
    fn read(text: &str) -> (String, Vec<String>) {
        let mut calls = TextCalls::of(vec!["get_weather".into(), "set_timer".into()]);
        let mut said: String = text.chars().map(|letter| calls.push(&letter.to_string())).collect();
        let (rest, found) = calls.finish();
        said.push_str(&rest);
        (
            said,
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
    fn finds_calls_of_known_tools(#[case] text: &str, #[case] said: &str, #[case] expected: &[&str]) {
        let (rest, found) = read(text);

        assert_eq!((rest.as_str(), found), (said, expected.iter().map(ToString::to_string).collect()));
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
    fn leaves_every_other_text_as_it_is(#[case] text: &str) {
        let (said, found) = read(text);

        assert_eq!((said.as_str(), found), (text, vec![]));
    }

    #[test]
    fn plain_words_are_never_held_back() {
        let mut calls = TextCalls::of(vec!["get_weather".into()]);

        assert_eq!(calls.push("It rains"), "It rains");
        assert_eq!(calls.push(" in Leeds."), " in Leeds.");
    }
}
