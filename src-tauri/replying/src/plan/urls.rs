//! Addresses in the arguments of a call, as a tool can use them.
//!
//! Source: behaviour reference, section 2.5, "URL normalisation". `location` is no such key: it names towns.

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
    let (text, address) = value.strip_prefix('[')?.strip_suffix(')')?.split_once("](")?;
    let is_address = address.starts_with("http://") || address.starts_with("https://");
    let is_whole = !text.contains(']') && !address.contains([')', ' ']);
    (is_address && is_whole).then_some(address)
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
