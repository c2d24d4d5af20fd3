//! The script of a fake server, and its recorded requests.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::scripted_pull::ScriptedPull;

/// A scripted response to one request.
#[derive(Debug, Clone)]
pub struct ScriptedAnswer {
    pub(super) action: Action,
    pub(super) first_token: Duration,
    pub(super) each_token: Duration,
    /// Every byte comes by itself.
    pub(super) is_trickled: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Action {
    Says { text: String, thinking: Option<String>, ending: Ending },
    Calls(Vec<(String, Value)>),
    Embeds(Value),
    Refuses { code: u16, body: String, retry_after: Option<u32> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Complete,
    /// The server closes the connection.
    Disconnect,
    /// The connection stays open without further data.
    Stall,
    /// A line that is invalid in all wire formats.
    InvalidData,
    /// Bytes that are not UTF-8.
    NoText,
    /// An error object within the response, as after a crash of the model.
    Error,
}

impl ScriptedAnswer {
    /// Sends `text` word by word.
    pub fn says(text: impl Into<String>) -> Self {
        Self::says_with_ending(text, Ending::Complete)
    }

    /// Sends a native tool call.
    pub fn calls(name: impl Into<String>, arguments: Value) -> Self {
        Self::from_action(Action::Calls(vec![(name.into(), arguments)]))
    }

    /// Responds to an embedding request with these vectors, such as `json!([[0.6, 0.8]])`.
    pub fn embeds(vectors: Value) -> Self {
        Self::from_action(Action::Embeds(vectors))
    }

    /// Responds with an error status and a body.
    pub fn refuses(code: u16, body: impl Into<String>) -> Self {
        Self::from_action(Action::Refuses { code, body: body.into(), retry_after: None })
    }

    /// Responds that it is busy, and that the client may ask again after so many seconds.
    pub fn is_busy_for(seconds: u32) -> Self {
        let body = r#"{"error":"busy"}"#.to_owned();
        Self::from_action(Action::Refuses { code: 429, body, retry_after: Some(seconds) })
    }

    /// Sends `text`, then closes the connection.
    pub fn disconnects_after(text: impl Into<String>) -> Self {
        Self::says_with_ending(text, Ending::Disconnect)
    }

    /// Sends `text`, then nothing more.
    pub fn stalls_after(text: impl Into<String>) -> Self {
        Self::says_with_ending(text, Ending::Stall)
    }

    /// Sends `text`, then a line that is invalid in all wire formats.
    pub fn sends_invalid_data_after(text: impl Into<String>) -> Self {
        Self::says_with_ending(text, Ending::InvalidData)
    }

    /// Sends `text`, then bytes that are not UTF-8.
    pub fn sends_no_text_after(text: impl Into<String>) -> Self {
        Self::says_with_ending(text, Ending::NoText)
    }

    /// Sends `text`, then an error in the format of the server.
    pub fn fails_after(text: impl Into<String>) -> Self {
        Self::says_with_ending(text, Ending::Error)
    }

    /// Sends this thinking before the text.
    pub fn after_thinking(mut self, text: impl Into<String>) -> Self {
        if let Action::Says { thinking, .. } = &mut self.action {
            *thinking = Some(text.into());
        }
        self
    }

    /// Sends every byte by itself.
    pub fn byte_by_byte(mut self) -> Self {
        self.is_trickled = true;
        self
    }

    /// Waits before the first word.
    pub fn with_first_token_delay(mut self, delay: Duration) -> Self {
        self.first_token = delay;
        self
    }

    /// Waits before every further word.
    pub fn with_token_delay(mut self, delay: Duration) -> Self {
        self.each_token = delay;
        self
    }

    fn says_with_ending(text: impl Into<String>, ending: Ending) -> Self {
        Self::from_action(Action::Says { text: text.into(), thinking: None, ending })
    }

    fn from_action(action: Action) -> Self {
        Self { action, first_token: Duration::ZERO, each_token: Duration::ZERO, is_trickled: false }
    }
}

/// The models and the responses of a fake server.
#[derive(Debug, Clone)]
pub struct ServerScript {
    pub(super) answers: VecDeque<ScriptedAnswer>,
    pub(super) models: Vec<String>,
    /// Their size, as Ollama tells it.
    pub(super) parameter_size: String,
    pub(super) api_key: Option<String>,
    /// Request fields that the server rejects, each with its error message.
    pub(super) rejected_fields: Vec<(String, String)>,
    /// The next pulls.
    pub(super) pulls: VecDeque<ScriptedPull>,
}

impl ServerScript {
    /// A server with the model `test-model` and these responses, in order. The last response is repeated.
    pub fn new(answers: impl IntoIterator<Item = ScriptedAnswer>) -> Self {
        Self {
            answers: answers.into_iter().collect(),
            models: vec!["test-model".to_owned()],
            parameter_size: "70B".to_owned(),
            api_key: None,
            rejected_fields: Vec::new(),
            pulls: VecDeque::new(),
        }
    }

    /// Sets the models.
    pub fn with_models(mut self, models: &[&str]) -> Self {
        self.models = models.iter().map(ToString::to_string).collect();
        self
    }

    /// Sets what Ollama tells of the size of its models, such as `7.6B`.
    pub fn with_parameter_size(mut self, size: &str) -> Self {
        size.clone_into(&mut self.parameter_size);
        self
    }

    /// Requires this API key.
    pub fn with_api_key(mut self, key: &str) -> Self {
        self.api_key = Some(key.to_owned());
        self
    }

    /// Pulls models in this way, in order; the last way is repeated. Without any, there is no model to pull.
    pub fn with_pulls(mut self, pulls: impl IntoIterator<Item = ScriptedPull>) -> Self {
        self.pulls = pulls.into_iter().collect();
        self
    }

    /// Rejects requests with this field, like old servers and simple models.
    pub fn rejecting(mut self, field: &str, reason: &str) -> Self {
        self.rejected_fields.push((field.to_owned(), reason.to_owned()));
        self
    }
}

impl From<ScriptedAnswer> for ServerScript {
    fn from(answer: ScriptedAnswer) -> Self {
        Self::new([answer])
    }
}

impl<const N: usize> From<[ScriptedAnswer; N]> for ServerScript {
    fn from(answers: [ScriptedAnswer; N]) -> Self {
        Self::new(answers)
    }
}

pub(super) struct ServerState {
    pub(super) script: Mutex<ServerScript>,
    pub(super) asked: Mutex<Vec<Value>>,
    pub(super) pulls: Mutex<Vec<Value>>,
    pub(super) abandoned: tokio::sync::watch::Sender<usize>,
}

impl ServerState {
    /// The response to a request, or an error response.
    #[expect(clippy::result_large_err, reason = "created once per request, in tests only")]
    pub(super) fn next_answer(&self, headers: &HeaderMap, body: &Value) -> Result<ScriptedAnswer, Response> {
        let mut script = locked(&self.script);
        if let Some(error_response) = key_error(&script, headers) {
            return Err(error_response);
        }
        locked(&self.asked).push(body.clone());
        let model = body["model"].as_str().unwrap_or_default();
        let has_model = script.models.iter().any(|name| name == model || *name == format!("{model}:latest"));
        if !has_model {
            let reason = json!({ "error": format!("model '{model}' not found") });
            return Err((StatusCode::NOT_FOUND, Json(reason)).into_response());
        }
        if let Some((_, reason)) =
            script.rejected_fields.iter().find(|(field, _)| body.get(field.as_str()).is_some())
        {
            return Err((StatusCode::BAD_REQUEST, Json(json!({ "error": reason }))).into_response());
        }
        if is_warming_up(body) {
            return Ok(ScriptedAnswer::says("x"));
        }
        let is_last = script.answers.len() == 1;
        let answer = if is_last { script.answers.front().cloned() } else { script.answers.pop_front() };
        Ok(answer.unwrap_or_else(|| ScriptedAnswer::says("")))
    }
}

/// Counts responses whose connection the client closed early.
pub(super) struct ConnectionWatch {
    pub(super) shared: Arc<ServerState>,
    pub(super) is_complete: bool,
}

impl ConnectionWatch {
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
    }
}

impl Drop for ConnectionWatch {
    fn drop(&mut self) {
        if !self.is_complete {
            self.shared.abandoned.send_modify(|count| *count += 1);
        }
    }
}

pub(super) fn error_response(code: u16, body: &str, retry_after: Option<u32>) -> Response {
    let code = StatusCode::from_u16(code).expect("the scripted status is valid");
    let mut response = (code, body.to_owned()).into_response();
    if let Some(seconds) = retry_after {
        response.headers_mut().insert("retry-after", seconds.into());
    }
    response
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> parking_lot::MutexGuard<'_, T> {
    mutex.lock()
}

/// Returns `true` if a request only loads the model. It requests a single token, and uses up no scripted response.
pub fn is_warming_up(body: &Value) -> bool {
    body["options"]["num_predict"] == 1 || body["max_tokens"] == 1
}

pub(super) fn key_error(script: &ServerScript, headers: &HeaderMap) -> Option<Response> {
    let key = script.api_key.as_ref()?;
    let sent = headers.get("authorization").and_then(|value| value.to_str().ok());
    let is_correct = sent == Some(&format!("Bearer {key}"));
    let reason = json!({ "error": { "message": "invalid key", "type": "authentication_error" } });
    (!is_correct).then(|| (StatusCode::UNAUTHORIZED, Json(reason)).into_response())
}
