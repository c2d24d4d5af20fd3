//! Errors on the wire: always JSON, in the form of the interface that was called.

use std::borrow::Cow;

use assistant::ReplyRefused;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use command_center::{Detail, MalformedBody};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// The form of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    /// `{"detail": …}`, as in the protocol of Command Centers.
    Detail,
    /// `{"error": "validation_error", "details": […]}`, as that protocol tells what is wrong in a body.
    Malformed,
    /// `{"error": {"message": …}}`, as in the OpenAI interface.
    OpenAi,
}

impl ErrorForm {
    /// The form of the interface that a path belongs to.
    pub fn from_path(path: &str) -> Self {
        if path.starts_with("/v1/") { Self::OpenAi } else { Self::Detail }
    }

    /// The form in which that interface tells what is wrong in a body.
    pub fn of_bodies(path: &str) -> Self {
        if path.starts_with("/api/v0/") { Self::Malformed } else { Self::from_path(path) }
    }
}

/// An error of the OpenAI interface.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OpenAiError {
    error: OpenAiErrorBody,
}

/// The error.
#[derive(Debug, Serialize, ToSchema)]
struct OpenAiErrorBody {
    /// The trouble and its remedy.
    message: String,
    /// The kind of the error.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    kind: String,
    /// The field that it is about.
    #[schema(required)]
    param: Option<String>,
    /// Always `null`.
    #[schema(required)]
    code: Option<String>,
}

/// A failure of a route of nodes.
pub(crate) struct NodeFailure {
    failure: Failure,
    form: ErrorForm,
}

impl NodeFailure {
    /// A failure that is about no body.
    pub fn in_words(failure: Failure) -> Self {
        Self { failure, form: ErrorForm::Detail }
    }
}

/// A failure of a route of the OpenAI interface.
pub(crate) struct OpenAiFailure(Failure);

impl From<Failure> for NodeFailure {
    fn from(failure: Failure) -> Self {
        let is_of_body = failure.status == StatusCode::BAD_REQUEST;
        Self { failure, form: if is_of_body { ErrorForm::Malformed } else { ErrorForm::Detail } }
    }
}

impl From<Failure> for OpenAiFailure {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl IntoResponse for NodeFailure {
    fn into_response(self) -> Response {
        self.failure.into_response(self.form)
    }
}

impl IntoResponse for OpenAiFailure {
    fn into_response(self) -> Response {
        self.0.into_response(ErrorForm::OpenAi)
    }
}

/// A request that is not answered, or not as it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The status code of the answer.
    pub status: StatusCode,
    /// One or two sentences: what is wrong, and what to do.
    pub message: String,
    /// The field that it is about.
    pub field: Option<Cow<'static, str>>,
    /// Seconds after which it is worth asking again.
    pub retry_after: Option<u64>,
}

impl Failure {
    /// A failure without a field.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), field: None, retry_after: None }
    }

    /// The request is wrong in this field.
    pub fn bad(field: &'static str, message: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(StatusCode::BAD_REQUEST, message) }
    }

    /// The assistant does not take the question.
    pub fn refused(refused: &ReplyRefused) -> Self {
        let status = match refused {
            ReplyRefused::TooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            ReplyRefused::Busy { .. } => StatusCode::TOO_MANY_REQUESTS,
            ReplyRefused::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
        };
        let retry_after = matches!(refused, ReplyRefused::Busy { .. }).then_some(1);
        let message = format!("{refused}. {}", refused.trouble().remedy);
        Self { retry_after, ..Self::new(status, message) }
    }

    /// The program may not do this.
    pub fn forbidden(what: &str) -> Self {
        let message =
            format!("The key does not allow this: give it the scope {what} in the settings of Jarvis.");
        Self::new(StatusCode::FORBIDDEN, message)
    }

    /// The body in the form of an interface.
    pub fn body(&self, form: ErrorForm) -> Value {
        match form {
            ErrorForm::Detail => json!(Detail { detail: self.message.clone() }),
            ErrorForm::Malformed => {
                let place = self.field.as_ref().map_or_else(String::new, |field| format!(" -> {field}"));
                json!(MalformedBody::new(vec![format!("body{place}: {}", self.message)]))
            }
            ErrorForm::OpenAi => json!(OpenAiError {
                error: OpenAiErrorBody {
                    message: self.message.clone(),
                    kind: kind(self.status).to_owned(),
                    param: self.field.clone().map(Cow::into_owned),
                    code: None,
                },
            }),
        }
    }

    /// The answer in the form of an interface.
    pub fn into_response(self, form: ErrorForm) -> Response {
        if self.status.is_server_error() {
            tracing::warn!(status = self.status.as_u16(), reason = self.message, "a program got no answer");
        }
        let body = self.body(form);
        let mut response = (self.status, Json(body)).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// A JSON body that cannot be read. A body of the wrong shape is the caller's mistake, as is one that is no JSON.
pub(crate) fn malformed(refused: &JsonRejection) -> Failure {
    let status = match refused.status() {
        StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
        other => other,
    };
    let text = refused.body_text();
    Failure { field: wrong_field(&text).map(|field| field.to_owned().into()), ..Failure::new(status, text) }
}

/// The place of the wrong value in the reason why a body has the wrong shape: `messages[0].role: unknown variant …`.
fn wrong_field(reason: &str) -> Option<&str> {
    let reason = reason.strip_prefix("Failed to deserialize the JSON body into the target type: ")?;
    match reason.strip_prefix("missing field `") {
        Some(missing) => Some(missing.split_once('`')?.0),
        None => Some(reason.split_once(": ")?.0).filter(|place| !place.contains(' ')),
    }
}

/// The name of a kind of error in the OpenAI interface.
fn kind(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::NOT_FOUND => "not_found_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_server_error() => "server_error",
        _ => "invalid_request_error",
    }
}
