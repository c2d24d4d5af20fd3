//! Finds the JSON in the text of a model: the whole text, one Markdown fence, or the first object after prose.

use serde_json::Value;

/// Marks the beginning and the end of a block of code.
const FENCE: &str = "```";

/// Keys of a call, with quotation marks: an object behind prose that is cut off counts only with one of them.
const CALL_KEYS: [&str; 4] = ["\"name\"", "\"tool_call", "\"arguments\"", "\"tool_name\""];

/// Finds the first JSON value in a text.
#[derive(Debug, PartialEq)]
pub(super) enum JsonInText<'t> {
    /// The text is nothing else.
    Whole {
        value: Value,
        /// As the model wrote it.
        source: &'t str,
    },
    /// The first object behind other words.
    Within { value: Value },
    /// The text is, or ends with, JSON that is not complete.
    CutOff,
    /// There is none.
    None,
}

impl JsonInText<'_> {
    /// The value, if there is one.
    pub(super) fn value(&self) -> Option<&Value> {
        match self {
            Self::Whole { value, .. } | Self::Within { value } => Some(value),
            Self::CutOff | Self::None => None,
        }
    }
}

pub(super) fn find(text: &str) -> JsonInText<'_> {
    let whole = text.trim_start_matches('\u{feff}').trim();
    for source in [Some(whole), inside_fence(whole)].into_iter().flatten() {
        match serde_json::from_str(source) {
            Ok(value) => return JsonInText::Whole { value, source },
            Err(error) if error.is_eof() && looks_cut_off(source) => return JsonInText::CutOff,
            Err(_) => {}
        }
    }
    first_object(whole)
}

/// The inside of a fence that is the whole text. Its end may be missing.
fn inside_fence(text: &str) -> Option<&str> {
    let inside = text.strip_prefix(FENCE)?;
    let inside = inside.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let inside = inside.trim();
    let inside = inside.strip_suffix(FENCE).unwrap_or(inside).trim();
    (!inside.is_empty() && !inside.contains(FENCE)).then_some(inside)
}

/// Returns `true` if a text that ends too early began as JSON, not as prose with a brace or a quotation mark.
fn looks_cut_off(text: &str) -> bool {
    let begins_key = |inside: &str| inside.is_empty() || inside.starts_with('"');
    match text.strip_prefix('[') {
        Some(inside) => {
            inside.trim_start().strip_prefix('{').is_some_and(|inside| begins_key(inside.trim_start()))
        }
        None => text.strip_prefix('{').is_some_and(|inside| begins_key(inside.trim_start())),
    }
}

/// The first object of the text that is JSON. Braces of prose are passed over.
fn first_object(text: &str) -> JsonInText<'_> {
    for (at, _) in text.match_indices('{') {
        let rest = &text[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => return JsonInText::Within { value },
            Some(Err(error)) if error.is_eof() && looks_cut_off(rest) => {
                let is_call = CALL_KEYS.iter().any(|key| rest.contains(key));
                return if is_call { JsonInText::CutOff } else { JsonInText::None };
            }
            _ => {}
        }
    }
    JsonInText::None
}
