//! Maps errors of a server to [`LlmError`].

use net::{NetError, Url};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::error::is_about_length;
use crate::{ChatRequest, LlmError, ProviderKind};

/// Maximum length of a server message within an error.
const MAX_DETAIL_CHARS: usize = 160;

/// A server message quotes the dialogue if both contain the same sequence of this many characters.
const QUOTE_CHARS: usize = 16;

/// The server and the model that a request went to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) provider: ProviderKind,
    pub(super) base_url: &'a Url,
    pub(super) model: &'a str,
}

/// The parts of a request that matter for its errors.
#[derive(Debug, Clone)]
pub(super) struct RequestContent<'a> {
    /// Texts of the user, which no error may quote.
    pub(super) texts: Vec<&'a str>,
    pub(super) has_tools: bool,
}

impl<'a> From<&'a ChatRequest> for RequestContent<'a> {
    fn from(request: &'a ChatRequest) -> Self {
        let texts = request.messages.iter().map(|message| message.content.as_str()).collect();
        Self { texts, has_tools: !request.tools.is_empty() }
    }
}

impl Target<'_> {
    /// Maps the error of a request with content `sent`.
    pub(super) fn failure(&self, error: NetError, sent: &RequestContent<'_>) -> LlmError {
        match error {
            NetError::Status { code, excerpt, .. } => {
                self.server_error(code, without_texts(detail_of(&excerpt), &sent.texts), sent.has_tools)
            }
            NetError::TimedOut { silence: after, .. } | NetError::TookTooLong { limit: after, .. } => {
                LlmError::TimedOut { after }
            }
            NetError::ConnectionLost { .. } => LlmError::Incomplete,
            NetError::InvalidJson { source, .. } => invalid_response(&source),
            NetError::TooLarge { .. } => {
                LlmError::InvalidResponse { what: "the response is too long".into() }
            }
            NetError::UnsupportedScheme { .. }
            | NetError::BadRequest { .. }
            | NetError::TooManyRedirects { .. } => {
                LlmError::BadAddress { address: self.address(), reason: error.to_string() }
            }
            NetError::Unreachable { .. }
            | NetError::AddressNotAllowed { .. }
            | NetError::Offline { .. }
            | NetError::TlsUnavailable(_) => LlmError::Unreachable {
                provider: self.provider,
                address: self.address(),
                source: Some(error.into()),
            },
        }
    }

    fn server_error(&self, code: u16, detail: String, has_tools: bool) -> LlmError {
        let names_the_model = detail.to_lowercase().contains("model");
        match code {
            401 | 403 => LlmError::KeyRefused { code },
            404 if names_the_model => {
                LlmError::ModelMissing { provider: self.provider, model: self.model.to_owned() }
            }
            // A dialogue that is too long is too long without tools as well.
            400 if has_tools && !is_about_length(&detail) => {
                LlmError::ToolsRefused { model: self.model.to_owned(), detail }
            }
            _ => LlmError::Status { code, detail },
        }
    }

    /// The address of the server for display.
    pub(super) fn address(&self) -> String {
        self.base_url.as_str().trim_end_matches('/').to_owned()
    }
}

/// Maps a parse error, without the text it quotes. Incomplete JSON means an incomplete response.
pub(super) fn invalid_response(error: &serde_json::Error) -> LlmError {
    match error.classify() {
        Category::Eof => LlmError::Incomplete,
        Category::Data => LlmError::InvalidResponse { what: "the JSON has an unexpected structure".into() },
        Category::Syntax | Category::Io => LlmError::InvalidResponse { what: "a line is not JSON".into() },
    }
}

/// An error that the server reports within a response.
pub(super) fn reported_error(error: &Value) -> LlmError {
    LlmError::Failed { detail: shorten(&message_of(error).unwrap_or_default()) }
}

/// The message in the body of an error: Ollama writes `{"error": "…"}`, others `{"error": {"message": "…"}}`.
pub(super) fn detail_of(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let message = match &json {
        Some(json) => json.get("error").and_then(message_of).or_else(|| message_of(json)),
        // HTML pages contain no useful message.
        None => Some(body.to_owned()).filter(|text| !text.contains('<')),
    };
    shorten(&message.unwrap_or_default())
}

fn message_of(error: &Value) -> Option<String> {
    let text =
        error.as_str().or_else(|| error.get("message")?.as_str()).or_else(|| error.get("detail")?.as_str());
    text.map(str::to_owned)
}

fn shorten(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.is_empty() {
        return "no reason given".into();
    }
    one_line.chars().take(MAX_DETAIL_CHARS).collect()
}

/// Removes a message that quotes a text of the user, because such texts must not appear in errors and logs.
fn without_texts(detail: String, texts: &[&str]) -> String {
    let characters: Vec<char> = detail.chars().collect();
    let quotes = characters.windows(QUOTE_CHARS).any(|window| {
        let piece: String = window.iter().collect();
        texts.iter().any(|text| text.contains(&piece))
    });
    if quotes { "its message quotes the request and is not shown".into() } else { detail }
}

/// Removes a field that the server rejects, so that the request can be repeated without it. Returns whether a field
/// was changed. A schema in `format` is first replaced by `json`, which old servers accept.
pub(super) fn remove_rejected_field(
    body: &mut Map<String, Value>,
    detail: &str,
    optional: &[(&str, &str)],
) -> bool {
    let detail = detail.to_lowercase();
    let rejected = optional.iter().find(|(field, word)| body.contains_key(*field) && detail.contains(word));
    let Some((field, _)) = rejected else { return false };
    if *field == "format" && body["format"].is_object() {
        body.insert("format".into(), "json".into());
    } else {
        body.shift_remove(*field);
    }
    true
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::ollama(r#"{"error":"model 'x' not found"}"#, "model 'x' not found")]
    #[case::openai(
        r#"{"error":{"message":"The model does not exist","code":404}}"#,
        "The model does not exist"
    )]
    #[case::plain_words("Service  Unavailable\n", "Service Unavailable")]
    #[case::a_page("<html><body>502</body></html>", "no reason given")]
    #[case::nothing("", "no reason given")]
    fn message_is_found_in_the_body_of_an_error(#[case] body: &str, #[case] expected: &str) {
        assert_eq!(detail_of(body), expected);
    }

    #[test]
    fn message_that_quotes_the_user_is_removed() {
        let said = ["my neighbour's name is Ada"];

        let shown = without_texts("cannot read \"my neighbour's name is Ada\"".into(), &said);

        assert!(!shown.contains("Ada"), "{shown}");
        assert_eq!(without_texts("out of memory".into(), &said), "out of memory");
    }

    #[test]
    fn rejected_field_is_removed_and_a_schema_becomes_json() {
        let mut body = json!({ "think": false, "format": { "type": "object" } }).as_object().unwrap().clone();
        let optional = [("think", "think"), ("format", "format")];

        assert!(remove_rejected_field(&mut body, "x does not support thinking", &optional));
        assert!(remove_rejected_field(&mut body, "cannot unmarshal format", &optional));
        assert_eq!(Value::Object(body.clone()), json!({ "format": "json" }));
        assert!(remove_rejected_field(&mut body, "cannot unmarshal format", &optional));
        assert!(!remove_rejected_field(&mut body, "cannot unmarshal format", &optional));
    }
}
