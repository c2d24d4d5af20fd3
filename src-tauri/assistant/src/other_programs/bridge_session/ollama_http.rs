//! An Ollama server over HTTP.

use std::time::Duration;

use async_trait::async_trait;
use bridge::{CHAT_PATH, ChatFailure, ChatServer, ServerAddress, TestFailure};
use net::{Http, NetError, Purpose};
use serde_json::{Map, Value};

/// The path that a test asks for. Source: docs/behaviour/bridge.md#connection.
const TEST_PATH: &str = "/api/tags";

/// The longest words of a server in an error, in characters.
const MAX_DETAIL_CHARS: usize = 200;

/// An Ollama server.
pub(super) struct OllamaHttp {
    http: Http,
    address: ServerAddress,
}

impl OllamaHttp {
    /// The user configured the address, so requests to its origin are allowed.
    pub fn new(http: &Http, address: ServerAddress) -> Self {
        let http = http.for_purpose(Purpose::LanguageModel);
        http.allow_origin(address.url());
        Self { http, address }
    }
}

#[async_trait]
impl ChatServer for OllamaHttp {
    async fn test(&self, limit: Duration) -> Result<(), TestFailure> {
        let request = self.http.get(&self.address.endpoint(TEST_PATH));
        match request.silence_timeout(limit).time_limit(limit).send().await {
            Ok(_) => Ok(()),
            Err(NetError::TimedOut { .. } | NetError::TookTooLong { .. }) => Err(TestFailure::TimedOut),
            Err(NetError::Status { code, .. }) => Err(TestFailure::Status(code)),
            Err(_) => Err(TestFailure::Refused),
        }
    }

    async fn chat(&self, body: &Map<String, Value>, limit: Duration) -> Result<Value, ChatFailure> {
        let request = self.http.post_json(&self.address.endpoint(CHAT_PATH), body);
        let response = request.silence_timeout(limit).time_limit(limit).send().await.map_err(failure)?;
        let mut response: Value = response.json().await.map_err(failure)?;
        match response.get_mut("message").map(Value::take) {
            Some(message @ Value::Object(_)) => Ok(message),
            _ => Err(ChatFailure::Invalid),
        }
    }
}

fn failure(error: NetError) -> ChatFailure {
    match error {
        NetError::TimedOut { .. } | NetError::TookTooLong { .. } => ChatFailure::TimedOut,
        NetError::Status { code, excerpt, .. } => status_failure(code, &excerpt),
        NetError::InvalidJson { .. } | NetError::TooLarge { .. } => ChatFailure::Invalid,
        _ => ChatFailure::Refused,
    }
}

fn status_failure(code: u16, body: &str) -> ChatFailure {
    let written =
        serde_json::from_str(body).ok().and_then(|body: Value| body["error"].as_str().map(str::to_owned));
    let words = written.unwrap_or_else(|| body.to_owned());
    let detail: String =
        words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_DETAIL_CHARS).collect();
    let names_model = detail.to_lowercase().contains("model");
    if code == 404 && names_model { ChatFailure::ModelMissing } else { ChatFailure::Status { code, detail } }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::model(
        404,
        r#"{"error":"model \"x\" not found, try pulling it first"}"#,
        ChatFailure::ModelMissing
    )]
    #[case::path(404, "404 page not found", ChatFailure::Status { code: 404, detail: "404 page not found".into() })]
    #[case::format(400, r#"{"error":"cannot  unmarshal"}"#, ChatFailure::Status { code: 400, detail: "cannot unmarshal".into() })]
    #[case::no_words(500, "", ChatFailure::Status { code: 500, detail: String::new() })]
    fn words_of_the_server_are_read(#[case] code: u16, #[case] body: &str, #[case] expected: ChatFailure) {
        assert_eq!(status_failure(code, body), expected);
    }
}
