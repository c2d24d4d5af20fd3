//! Addresses in the arguments of a call, as a tool can use them.
//!
//! Source: docs/behaviour/replying.md#addresses-in-steps. `location` is no such key: it names towns.

use serde_json::{Map, Value};

/// Keys whose values are addresses, lower case.
const KEYS: [&str; 9] =
    ["url", "uri", "href", "link", "address", "target_url", "targeturl", "page_url", "pageurl"];

/// The arguments with their addresses normalised.
pub fn normalise_url_arguments(arguments: Map<String, Value>) -> Map<String, Value> {
    let normalise = |(key, value): (String, Value)| match value {
        Value::String(text) if KEYS.contains(&key.to_lowercase().as_str()) => {
            (key, Value::String(normalise_url(&text)))
        }
        value => (key, value),
    };
    arguments.into_iter().map(normalise).collect()
}

/// The address in a Markdown link that is the whole value; a bare domain with `https://` before it; else the value.
pub fn normalise_url(value: &str) -> String {
    let trimmed = value.trim();
    if let Some(address) = address_of_link(trimmed) {
        return address.to_owned();
    }
    if is_bare_domain(trimmed) { format!("https://{trimmed}") } else { value.to_owned() }
}

fn address_of_link(value: &str) -> Option<&str> {
    let link = value.get(..link_at(value)?)?;
    let (_, address) = link.strip_suffix(')')?.split_once("](")?;
    (link.len() == value.len()).then_some(address.trim())
}

/// The end of the Markdown link that a text begins with, if it leads to a web address.
pub(super) fn link_at(text: &str) -> Option<usize> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let address = &rest[..rest.find(')')?];
    let lower = address.trim().to_ascii_lowercase();
    let is_address = lower.starts_with("http://") || lower.starts_with("https://");
    let is_whole = !label.contains([']', '\n']) && !address.trim().contains(char::is_whitespace);
    (is_address && is_whole).then(|| 1 + label.len() + 2 + address.len() + 1)
}

/// Labels with at least one dot between them, and perhaps a path, a query or a fragment.
fn is_bare_domain(value: &str) -> bool {
    let end = value.find(['/', '?', '#']).unwrap_or(value.len());
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let domain = &value[..end];
    domain.contains('.') && domain.split('.').all(is_label) && !value.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::link("[the page](https://example.org/a)", "https://example.org/a")]
    #[case::link_with_blanks("[the page]( https://example.org/a )", "https://example.org/a")]
    #[case::link_to_no_address("[the page](example.org)", "[the page](example.org)")]
    #[case::domain(" example.org ", "https://example.org")]
    #[case::path("example.org/a?b#c", "https://example.org/a?b#c")]
    #[case::complete("http://example.org", "http://example.org")]
    #[case::one_label("localhost", "localhost")]
    #[case::words("see example.org", "see example.org")]
    #[case::link_in_text("see [a](https://example.org)", "see [a](https://example.org)")]
    fn normalises_addresses(#[case] value: &str, #[case] expected: &str) {
        assert_eq!(normalise_url(value), expected);
    }

    #[test]
    fn only_values_of_address_keys_change() {
        let arguments =
            json!({ "URL": "example.org", "location": "St.Albans", "text": "example.org", "link": 3 });
        let Value::Object(arguments) = arguments else { unreachable!("it is an object") };

        let expected = json!({ "URL": "https://example.org", "location": "St.Albans", "text": "example.org", "link": 3 });
        assert_eq!(Value::Object(normalise_url_arguments(arguments)), expected);
    }
}
