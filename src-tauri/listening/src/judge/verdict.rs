//! The answer of the intent judge.

use serde_json::{Map, Value};

use super::aliases::with_name_for_aliases;

/// The answer of the intent judge.
#[derive(Clone, PartialEq, Eq)]
pub struct IntentVerdict {
    /// The utterance was meant for us.
    pub is_directed: bool,
    /// The complete query; may be empty.
    pub query: String,
    /// The user wants silence.
    pub is_stop: bool,
    /// `high`, `medium`, `low`, or another word, in lower case.
    pub confidence: String,
    /// The reason in a few words.
    pub reasoning: String,
}

impl std::fmt::Debug for IntentVerdict {
    /// Hides the words: they must not reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IntentVerdict")
            .field("is_directed", &self.is_directed)
            .field("is_stop", &self.is_stop)
            .field("confidence", &self.confidence)
            .finish_non_exhaustive()
    }
}

impl IntentVerdict {
    /// Reads the answer of a model. A missing field is false, empty, or of low confidence. `None` when the answer holds no
    /// object.
    pub fn parse(answer: &str, name: &str, aliases: &[String]) -> Option<Self> {
        let object: Map<String, Value> = serde_json::from_str(first_object(answer)?).ok()?;
        let field = |key: &str| object.get(key).filter(|value| !value.is_null());
        let is_set = |key: &str| field(key).is_some_and(is_true);
        let words = |key: &str| field(key).and_then(words_of);
        let query = words("query").unwrap_or_default();
        Some(Self {
            is_directed: is_set("directed"),
            query: with_name_for_aliases(query.trim(), name, aliases),
            is_stop: is_set("stop"),
            confidence: words("confidence").unwrap_or_else(|| "low".into()).trim().to_lowercase(),
            reasoning: words("reasoning").unwrap_or_default(),
        })
    }

    /// Returns `true` if the judge is sure.
    pub fn is_confident(&self) -> bool {
        self.confidence == "high"
    }

    /// Returns `true` if the judge took the utterance for our own voice.
    pub(crate) fn suspects_echo(&self) -> bool {
        self.reasoning.to_lowercase().contains("echo")
    }
}

/// Small models write flags as text and numbers.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

fn words_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The source text of the first object whose braces balance. Braces in strings do not count.
pub fn first_object(text: &str) -> Option<&str> {
    let from = text.find('{')?;
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (at, c) in text[from..].char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if in_string => is_escaped = true,
            '"' => in_string = !in_string,
            '{' if !in_string => depth += 1,
            '}' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[from..=from + at]);
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

    #[rstest]
    #[case::between_words(r#"Sure: {"a": 1} done"#, Some(r#"{"a": 1}"#))]
    #[case::first_of_two(r#"{"a": 1}{"b": 2}"#, Some(r#"{"a": 1}"#))]
    #[case::nested(r#"{"a": {"b": {}}} }"#, Some(r#"{"a": {"b": {}}}"#))]
    #[case::brace_in_a_string(r#"{"a": "}{"}"#, Some(r#"{"a": "}{"}"#))]
    #[case::escaped_quote(r#"{"a": "\"}"} x"#, Some(r#"{"a": "\"}"}"#))]
    #[case::escaped_backslash(r#"{"a": "\\"} "}"#, Some(r#"{"a": "\\"}"#))]
    #[case::code_fence("```json\n{}\n```", Some("{}"))]
    #[case::letters_of_several_bytes("é{\"ü\": \"ß\"}ö", Some("{\"ü\": \"ß\"}"))]
    #[case::not_closed(r#"{"a": 1"#, None)]
    #[case::none("no", None)]
    fn first_balanced_object_is_found(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(first_object(text), expected);
    }

    fn verdict(is_directed: bool, query: &str, is_stop: bool, confidence: &str) -> Option<IntentVerdict> {
        let (query, confidence) = (query.to_owned(), confidence.to_owned());
        Some(IntentVerdict { is_directed, query, is_stop, confidence, reasoning: String::new() })
    }

    #[rstest]
    #[case::complete(
        r#"{"directed": true, "query": "what time is it", "stop": false, "confidence": "HIGH", "reasoning": ""}"#,
        verdict(true, "what time is it", false, "high")
    )]
    #[case::nothing_in_it("{}", verdict(false, "", false, "low"))]
    #[case::null_fields(
        r#"{"directed": null, "query": null, "stop": null, "confidence": null, "reasoning": null}"#,
        verdict(false, "", false, "low")
    )]
    #[case::flags_as_text(r#"{"directed": "false", "stop": ""}"#, verdict(true, "", false, "low"))]
    #[case::flags_as_numbers(r#"{"directed": 1, "stop": 0.0}"#, verdict(true, "", false, "low"))]
    #[case::query_as_a_number(r#"{"directed": true, "query": 42}"#, verdict(true, "42", false, "low"))]
    #[case::alias_in_the_query(
        r#"{"query": "who is jervis"}"#,
        verdict(false, "who is Jarvis", false, "low")
    )]
    #[case::words_around_it("Well {\"stop\": true} ok", verdict(false, "", true, "low"))]
    #[case::not_json("{directed: true}", None)]
    #[case::no_object("yes", None)]
    #[case::nothing("", None)]
    fn answers_of_models_are_read_leniently(#[case] answer: &str, #[case] expected: Option<IntentVerdict>) {
        assert!(IntentVerdict::parse(answer, "Jarvis", &["jervis".into()]) == expected);
    }
}
