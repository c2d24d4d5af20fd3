//! The secrets in the settings of a server, kept out of logs, errors, pages and what models read.

use serde_json::Value;
use url::Url;

/// The shortest text that counts as a secret. A shorter one stands in every other sentence.
const MIN_SECRET_CHARS: usize = 6;
/// The longest text of an error, in characters. A server can put a whole message into one.
const MAX_ERROR_CHARS: usize = 500;
/// The text in place of a secret.
const HIDDEN: &str = "[hidden]";
/// Parts of the names of variables and headers whose values are secrets.
const SECRET_NAMES: [&str; 7] = ["key", "token", "secret", "passw", "auth", "credential", "cookie"];

/// Texts that must not be shown. Its `Debug` hides them.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    /// Adds a text, unless it is too short to be a secret.
    pub fn add(&mut self, text: &str) {
        if text.chars().count() >= MIN_SECRET_CHARS && !self.0.iter().any(|known| known == text) {
            self.0.push(text.to_owned());
            // The longest first: a secret that contains another one is hidden whole.
            self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// Adds the value of a header, and what follows a word such as `Bearer` in it.
    pub fn add_header(&mut self, value: &str) {
        self.add(value);
        if let Some((_, rest)) = value.split_once(' ') {
            self.add(rest.trim());
        }
    }

    /// Adds the password, the query and the fragment of an address. A user without a password is a key.
    pub fn add_address(&mut self, url: &Url) {
        let password = url.password().unwrap_or_else(|| url.username());
        for part in [Some(password), url.query(), url.fragment()].into_iter().flatten() {
            self.add(part);
        }
        // Other values are words such as `mode=full`, which results contain too.
        for (_, value) in url.query_pairs().filter(|(name, _)| is_secret_name(name)) {
            self.add(&value);
        }
    }

    /// The text without secrets.
    pub fn hidden_in(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), HIDDEN))
    }

    /// The text of an error: without secrets, and not longer than a person reads.
    pub fn error_text(&self, text: &str) -> String {
        // Cut before the search as well: a server can send megabytes. The end of the first cut may split a secret.
        let margin = MAX_ERROR_CHARS * 20;
        let bounded: String = text.chars().take(margin).collect();
        let hidden = self.hidden_in(&bounded);
        match hidden.char_indices().nth(MAX_ERROR_CHARS) {
            Some((at, _)) => format!("{}…", &hidden[..at]),
            None => hidden,
        }
    }

    /// Takes the secrets out of all texts of a value.
    pub fn hide_in(&self, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        match value {
            Value::String(text) => {
                if self.0.iter().any(|secret| text.contains(secret.as_str())) {
                    *text = self.hidden_in(text);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.hide_in(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.hide_in(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

/// Returns `true` if the name of a variable says that its value is a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// The address without user, password, query and fragment.
pub(super) fn shown_address(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

/// The same of a text that is no address.
pub(super) fn shown_text(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    match text.split_once("://") {
        Some((scheme, rest)) => {
            format!("{scheme}://{}", rest.rsplit_once('@').map_or(rest, |(_, place)| place))
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::query("https://example.org/mcp?key=s3cret", "https://example.org/mcp")]
    #[case::user("https://ann:s3cret@example.org:8443/mcp#top", "https://example.org:8443/mcp")]
    #[case::address_of_this_machine("http://[::1]:9000/", "http://[::1]:9000/")]
    fn address_is_shown_without_what_may_be_secret(#[case] url: &str, #[case] expected: &str) {
        assert_eq!(shown_address(&Url::parse(url).unwrap()), expected);
        assert_eq!(shown_text(url), expected);
    }

    #[test]
    fn secrets_are_hidden_in_texts_values_and_debug() {
        let mut secrets = Secrets::default();
        secrets.add_address(
            &Url::parse("https://user-ann:pass12@example.org/?key=abc%20def&mode=fullest").unwrap(),
        );
        secrets.add_header("Bearer t0ken1");

        let text =
            secrets.error_text("abc def, key=abc%20def&mode=fullest, pass12, t0ken1, user-ann, fullest");
        let mut value = json!({ "content": [{ "text": "it is t0ken1" }] });
        secrets.hide_in(&mut value);

        assert_eq!(text, "[hidden], [hidden], [hidden], [hidden], user-ann, fullest");
        assert_eq!(value, json!({ "content": [{ "text": "it is [hidden]" }] }));
        assert!(!format!("{secrets:?}").contains("t0ken1"));
    }

    #[test]
    fn error_of_a_server_is_cut_to_what_a_person_reads() {
        let text = Secrets::default().error_text(&"x".repeat(10_000_000));

        assert_eq!(text.chars().count(), MAX_ERROR_CHARS + 1);
    }
}
