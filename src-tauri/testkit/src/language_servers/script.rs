//! What a test scripts: the answers of a server, and what it noticed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// What a server does with one request.
#[derive(Debug, Clone)]
pub struct ScriptedAnswer {
    pub(super) act: Act,
    pub(super) first_token: Duration,
    pub(super) each_token: Duration,
}

#[derive(Debug, Clone)]
pub(super) enum Act {
    Says { text: String, thinking: Option<String>, ends: Ending },
    Calls(Vec<(String, Value)>),
    Embeds(Value),
    Refuses { code: u16, body: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Complete,
    /// The connection breaks.
    Cut,
    /// The connection stays, nothing comes any more.
    Silent,
    /// A line that belongs to no wire format.
    Garbage,
    /// An error object in the middle of the answer, as a server sends whose model crashed.
    Error,
}

impl ScriptedAnswer {
    /// Says `text`, a word at a time.
    pub fn says(text: impl Into<String>) -> Self {
        Self::ending(text, Ending::Complete)
    }

    /// Calls a tool, natively.
    pub fn calls(name: impl Into<String>, arguments: Value) -> Self {
        Self::of(Act::Calls(vec![(name.into(), arguments)]))
    }

    /// Answers a request for vectors with these, such as `json!([[0.6, 0.8]])`.
    pub fn embeds(vectors: Value) -> Self {
        Self::of(Act::Embeds(vectors))
    }

    /// Refuses with a status and a body.
    pub fn refuses(code: u16, body: impl Into<String>) -> Self {
        Self::of(Act::Refuses { code, body: body.into() })
    }

    /// Says `text`, then breaks the connection.
    pub fn breaks_off_after(text: impl Into<String>) -> Self {
        Self::ending(text, Ending::Cut)
    }

    /// Says `text`, then nothing any more, for ever.
    pub fn falls_silent_after(text: impl Into<String>) -> Self {
        Self::ending(text, Ending::Silent)
    }

    /// Says `text`, then a line that belongs to no wire format.
    pub fn babbles_after(text: impl Into<String>) -> Self {
        Self::ending(text, Ending::Garbage)
    }

    /// Says `text`, then reports an error in the format of the server.
    pub fn fails_after(text: impl Into<String>) -> Self {
        Self::ending(text, Ending::Error)
    }

    /// The same after this thinking.
    pub fn after_thinking(mut self, thought: impl Into<String>) -> Self {
        if let Act::Says { thinking, .. } = &mut self.act {
            *thinking = Some(thought.into());
        }
        self
    }

    /// The same with so much time before the first word.
    pub fn with_first_token_after(mut self, delay: Duration) -> Self {
        self.first_token = delay;
        self
    }

    /// The same with so much time before every further word.
    pub fn with_token_every(mut self, delay: Duration) -> Self {
        self.each_token = delay;
        self
    }

    fn ending(text: impl Into<String>, ends: Ending) -> Self {
        Self::of(Act::Says { text: text.into(), thinking: None, ends })
    }

    fn of(act: Act) -> Self {
        Self { act, first_token: Duration::ZERO, each_token: Duration::ZERO }
    }
}

/// What a server is: its models, and what it answers.
#[derive(Debug, Clone)]
pub struct ServerScript {
    pub(super) answers: VecDeque<ScriptedAnswer>,
    pub(super) models: Vec<String>,
    pub(super) api_key: Option<String>,
    /// Optional fields of a request that this server refuses, each with the reason it gives.
    pub(super) refused_fields: Vec<(String, String)>,
}

impl ServerScript {
    /// A server with the model `test-model`, which gives these answers one after the other, and the last again and
    /// again.
    pub fn new(answers: impl IntoIterator<Item = ScriptedAnswer>) -> Self {
        Self {
            answers: answers.into_iter().collect(),
            models: vec!["test-model".to_owned()],
            api_key: None,
            refused_fields: Vec::new(),
        }
    }

    /// The same with these models.
    pub fn with_models(mut self, models: &[&str]) -> Self {
        self.models = models.iter().map(ToString::to_string).collect();
        self
    }

    /// The same, answering only who brings this key.
    pub fn with_api_key(mut self, key: &str) -> Self {
        self.api_key = Some(key.to_owned());
        self
    }

    /// The same, refusing requests with a field, as old servers and plain models do.
    pub fn refusing(mut self, field: &str, reason: &str) -> Self {
        self.refused_fields.push((field.to_owned(), reason.to_owned()));
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

pub(super) struct Shared {
    pub(super) script: Mutex<ServerScript>,
    pub(super) asked: Mutex<Vec<Value>>,
    pub(super) abandoned: tokio::sync::watch::Sender<usize>,
}

impl Shared {
    /// What to do with a request, or why it is refused before that.
    #[expect(clippy::result_large_err, reason = "made once a request, in a test")]
    pub(super) fn next_answer(&self, headers: &HeaderMap, body: &Value) -> Result<ScriptedAnswer, Response> {
        let mut script = locked(&self.script);
        if let Some(refusal) = refused_key(&script, headers) {
            return Err(refusal);
        }
        locked(&self.asked).push(body.clone());
        let model = body["model"].as_str().unwrap_or_default();
        let has_model = script.models.iter().any(|name| name == model || *name == format!("{model}:latest"));
        if !has_model {
            let reason = json!({ "error": format!("model '{model}' not found") });
            return Err((StatusCode::NOT_FOUND, Json(reason)).into_response());
        }
        if let Some((_, reason)) =
            script.refused_fields.iter().find(|(field, _)| body.get(field.as_str()).is_some())
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

/// Counts answers that the client did not want to the end.
pub(super) struct Watch {
    pub(super) shared: Arc<Shared>,
    pub(super) is_complete: bool,
}

impl Watch {
    pub(super) fn completed(&mut self) {
        self.is_complete = true;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.is_complete {
            self.shared.abandoned.send_modify(|count| *count += 1);
        }
    }
}

pub(super) fn refusal(code: u16, body: &str) -> Response {
    let code = StatusCode::from_u16(code).expect("a scripted status is one");
    (code, body.to_owned()).into_response()
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does this request only want the model loaded? It asks for a single token, and uses up no answer.
pub fn is_warming_up(body: &Value) -> bool {
    body["options"]["num_predict"] == 1 || body["max_tokens"] == 1
}

pub(super) fn refused_key(script: &ServerScript, headers: &HeaderMap) -> Option<Response> {
    let key = script.api_key.as_ref()?;
    let brought = headers.get("authorization").and_then(|value| value.to_str().ok());
    let is_right = brought == Some(&format!("Bearer {key}"));
    let reason = json!({ "error": { "message": "invalid key", "type": "authentication_error" } });
    (!is_right).then(|| (StatusCode::UNAUTHORIZED, Json(reason)).into_response())
}
