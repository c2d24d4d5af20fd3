//! A step of a plan as a tool call, if the step says everything itself.
//!
//! Source: docs/behaviour/replying.md#plan.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::urls::{link_at, normalise_url_arguments};

/// The tools that may be called, each with the names of its arguments; none means that it declares none.
pub type DeclaredTools = BTreeMap<String, Vec<String>>;

/// The call that a step stands for: name and arguments. `None` when a model has to read it.
pub fn concrete_call(step: &str, declared: &DeclaredTools) -> Option<(String, Map<String, Value>)> {
    let step = step.trim();
    if has_placeholder(step) {
        return None;
    }
    let (first, rest) = step.split_once(char::is_whitespace).unwrap_or((step, ""));
    let name = first.strip_suffix(':').unwrap_or(first);
    let known = declared.get(name)?;
    if rest.trim().is_empty() {
        return Some((name.to_owned(), Map::new()));
    }
    let mut arguments = Map::new();
    for (key, value) in pairs(rest) {
        let key = match (known.contains(&key), known.as_slice()) {
            (true, _) | (false, []) => key,
            // Planners name the only argument of a tool as they like.
            (false, [only]) => only.clone(),
            (false, _) => return None,
        };
        // The last one of a name counts.
        arguments.insert(key, Value::String(value));
    }
    (!arguments.is_empty()).then(|| (name.to_owned(), normalise_url_arguments(arguments)))
}

/// Returns `true` if a value is left to an earlier step: `<city>`.
fn has_placeholder(step: &str) -> bool {
    step.find('<').is_some_and(|at| step[at..].contains('>'))
}

/// The `key='value'`, `key="value"` and `key=value` pairs of a text. What stands between them is skipped.
fn pairs(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('=') {
        let before = &rest[..at];
        let begin = before
            .rfind(|char| !is_key(char))
            .map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
        let key = &before[begin..];
        let (value, after) = value(&rest[at + 1..]);
        if !key.is_empty() && !value.is_empty() {
            pairs.push((key.to_owned(), value));
        }
        rest = after;
    }
    pairs
}

fn is_key(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

/// The value at the beginning of a text, and what follows it. A quote behind a backslash is part of the value.
fn value(text: &str) -> (String, &str) {
    let Some(quote) = text.chars().next().filter(|char| matches!(char, '\'' | '"')) else {
        // The text of a link may have spaces.
        let words = text.find(char::is_whitespace).unwrap_or(text.len());
        let end = link_at(text).map_or(words, |link| link.max(words));
        return (text[..end].trim_end_matches([',', ';']).to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' if text[at + 1..].starts_with([quote, '\\']) => {
                value.extend(chars.next().map(|(_, escaped)| escaped));
            }
            char if char == quote => return (value, &text[at + 1..]),
            char => value.push(char),
        }
    }
    // The quote is never closed.
    (value, "")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn declared() -> DeclaredTools {
        BTreeMap::from([
            ("getWeather".to_owned(), vec!["location".to_owned()]),
            ("localFiles".to_owned(), vec!["operation".to_owned(), "path".to_owned()]),
            ("fetchWebPage".to_owned(), vec!["url".to_owned(), "include_links".to_owned()]),
            ("stop".to_owned(), Vec::new()),
        ])
    }

    #[rstest]
    #[case::no_arguments("stop", Some(json!({})))]
    #[case::colon("getWeather: location='Leeds'", Some(json!({ "location": "Leeds" })))]
    #[case::double_quotes("getWeather location=\"New York\"", Some(json!({ "location": "New York" })))]
    #[case::bare("localFiles operation=read, path=~/a.txt", Some(json!({ "operation": "read", "path": "~/a.txt" })))]
    #[case::last_one_counts("getWeather location=A location=B", Some(json!({ "location": "B" })))]
    #[case::escaped_quote(r"getWeather location='King\'s Lynn'", Some(json!({ "location": "King's Lynn" })))]
    #[case::other_name_of_the_only_argument("getWeather city='Leeds'", Some(json!({ "location": "Leeds" })))]
    #[case::undeclared("localFiles operation=read folder=a", None)]
    #[case::placeholder("getWeather location='<city>'", None)]
    #[case::placeholder_among_words("fetchWebPage url='books by <author>'", None)]
    #[case::bare_domain("fetchWebPage url='example.org'", Some(json!({ "url": "https://example.org" })))]
    #[case::link("fetchWebPage url='[a page](https://example.org/a)'", Some(json!({ "url": "https://example.org/a" })))]
    #[case::bare_link("fetchWebPage url=[a page](https://example.org/a) include_links=true", Some(json!({ "url": "https://example.org/a", "include_links": "true" })))]
    #[case::place_is_no_address("getWeather location='St.Albans'", Some(json!({ "location": "St.Albans" })))]
    #[case::unknown_tool("callMum", None)]
    #[case::prose("getWeather for the town", None)]
    fn reads_a_step(#[case] step: &str, #[case] expected: Option<Value>) {
        let arguments = concrete_call(step, &declared()).map(|(_, arguments)| Value::Object(arguments));

        assert_eq!(arguments, expected);
    }
}
