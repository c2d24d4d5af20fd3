//! What a server's refusal means.

use net::{NetError, Url};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::{ChatRequest, LlmError, ProviderKind};

/// The longest detail of a refusal that is passed on.
const MAX_DETAIL_CHARS: usize = 160;

/// So many letters in a row that also stand in the dialogue are no accident.
const QUOTED_CHARS: usize = 16;

/// The server and the model that a request went to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) provider: ProviderKind,
    pub(super) base_url: &'a Url,
    pub(super) model: &'a str,
}

/// What was sent, as far as a refusal may repeat it or be about it.
#[derive(Debug, Clone)]
pub(super) struct RequestContent<'a> {
    /// What people said or wrote.
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
    /// What it means that a request with `sent` failed with `error`.
    pub(super) fn failure(&self, error: NetError, sent: &RequestContent<'_>) -> LlmError {
        match error {
            NetError::Status { code, excerpt, .. } => {
                self.refusal(code, without_texts(detail_of(&excerpt), &sent.texts), sent.has_tools)
            }
            NetError::TimedOut { silence, .. } => LlmError::Silent { after: silence },
            NetError::ConnectionLost { .. } => LlmError::Cut,
            NetError::InvalidJson { source, .. } => garbage(&source),
            NetError::TooLarge { .. } => LlmError::Garbage { what: "an answer without end".into() },
            NetError::UnsupportedScheme { .. }
            | NetError::BadRequest { .. }
            | NetError::TooManyRedirects { .. } => {
                LlmError::BadAddress { address: self.address(), reason: error.to_string() }
            }
            NetError::Unreachable { .. }
            | NetError::AddressNotAllowed { .. }
            | NetError::TlsUnavailable(_) => LlmError::Unreachable {
                provider: self.provider,
                address: self.address(),
                source: Some(error.into()),
            },
        }
    }

    fn refusal(&self, code: u16, detail: String, has_tools: bool) -> LlmError {
        let names_the_model = detail.to_lowercase().contains("model");
        match code {
            401 | 403 => LlmError::KeyRefused { code },
            404 if names_the_model => {
                LlmError::ModelMissing { provider: self.provider, model: self.model.to_owned() }
            }
            400 if has_tools => LlmError::ToolsRefused { model: self.model.to_owned(), detail },
            _ => LlmError::Status { code, detail },
        }
    }

    /// Where the server is, as it is shown.
    pub(super) fn address(&self) -> String {
        self.base_url.as_str().trim_end_matches('/').to_owned()
    }
}

/// A parse error without the text it quotes; JSON that breaks off means that the connection did.
pub(super) fn garbage(error: &serde_json::Error) -> LlmError {
    match error.classify() {
        Category::Eof => LlmError::Cut,
        Category::Data => LlmError::Garbage { what: "JSON of another shape than expected".into() },
        Category::Syntax | Category::Io => LlmError::Garbage { what: "a line that is no JSON".into() },
    }
}

/// A server that reports an error in the middle of an answer.
pub(super) fn reported(error: &Value) -> LlmError {
    LlmError::Failed { detail: shortened(&message_of(error).unwrap_or_default()) }
}

/// What the body of a refusal says: Ollama writes `{"error": "…"}`, others `{"error": {"message": "…"}}`.
pub(super) fn detail_of(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let said = match &json {
        Some(json) => json.get("error").and_then(message_of).or_else(|| message_of(json)),
        // Pages for people say nothing that helps.
        None => Some(body.to_owned()).filter(|text| !text.contains('<')),
    };
    shortened(&said.unwrap_or_default())
}

fn message_of(error: &Value) -> Option<String> {
    let text =
        error.as_str().or_else(|| error.get("message")?.as_str()).or_else(|| error.get("detail")?.as_str());
    text.map(str::to_owned)
}

fn shortened(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.is_empty() {
        return "it gave no reason".into();
    }
    one_line.chars().take(MAX_DETAIL_CHARS).collect()
}

/// Servers quote what they could not read; what people said belongs into no message and no log.
fn without_texts(detail: String, texts: &[&str]) -> String {
    let letters: Vec<char> = detail.chars().collect();
    let quotes = letters.windows(QUOTED_CHARS).any(|window| {
        let piece: String = window.iter().collect();
        texts.iter().any(|text| text.contains(&piece))
    });
    if quotes { "its reason repeats what was said and is left out".into() } else { detail }
}

/// Drops a field that the server says it does not know, so that the request can be repeated without it. True when
/// there was one to drop. `format` first becomes a looser one: old servers take the word `json` but no schema.
pub(super) fn drop_refused_field(
    body: &mut Map<String, Value>,
    detail: &str,
    optional: &[(&str, &str)],
) -> bool {
    let detail = detail.to_lowercase();
    let refused = optional.iter().find(|(field, word)| body.contains_key(*field) && detail.contains(word));
    let Some((field, _)) = refused else { return false };
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
    #[case::a_page("<html><body>502</body></html>", "it gave no reason")]
    #[case::nothing("", "it gave no reason")]
    fn reads_the_reason_of_a_refusal(#[case] body: &str, #[case] expected: &str) {
        assert_eq!(detail_of(body), expected);
    }

    #[test]
    fn a_reason_that_repeats_what_was_said_is_left_out() {
        let said = ["my neighbour's name is Ada"];

        let shown = without_texts("cannot read \"my neighbour's name is Ada\"".into(), &said);

        assert!(!shown.contains("Ada"), "{shown}");
        assert_eq!(without_texts("out of memory".into(), &said), "out of memory");
    }

    #[test]
    fn a_refused_field_is_dropped_once_and_a_schema_loosened_first() {
        let mut body = json!({ "think": false, "format": { "type": "object" } }).as_object().unwrap().clone();
        let optional = [("think", "think"), ("format", "format")];

        assert!(drop_refused_field(&mut body, "x does not support thinking", &optional));
        assert!(drop_refused_field(&mut body, "cannot unmarshal format", &optional));
        assert_eq!(Value::Object(body.clone()), json!({ "format": "json" }));
        assert!(drop_refused_field(&mut body, "cannot unmarshal format", &optional));
        assert!(!drop_refused_field(&mut body, "cannot unmarshal format", &optional));
    }
}
