//! Voice nodes and bots: the protocol of Command Centers.

use std::sync::Arc;
use std::time::Instant;

use assistant::Messages;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use command_center::{API_KEY_HEADER, NodeRequest, NodeResponse};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;
use settings::Scope;

use crate::answer::answer;
use crate::door::Door;
use crate::failure::{ErrorForm, Failure, malformed};
use crate::gate::key;
use crate::programs::Program;
use crate::speech::{pcm_response, said};

/// A request of the protocol that has no handler of its own, or of no route at all.
pub(crate) async fn protocol(
    State(door): State<Arc<Door>>,
    program: Option<Extension<Program>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if ErrorForm::of(uri.path()) == ErrorForm::OpenAi {
        let failure = Failure::new(StatusCode::NOT_FOUND, "There is no such route.");
        return failure.into_response(ErrorForm::OpenAi);
    }
    if let Some(refused) = refused(program.as_deref(), uri.path()) {
        return refused.into_response(ErrorForm::Detail);
    }
    match answered(&door, method, uri.path(), &headers, body).await {
        Ok(answer) => response(answer),
        Err(failure) => failure.into_response(ErrorForm::Detail),
    }
}

/// An utterance whose answer is sound, where it needs nothing of the node.
pub(crate) async fn command_stream(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    uri: Uri,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if let Some(refused) = refused(Some(&program), uri.path()) {
        return refused.into_response(ErrorForm::Detail);
    }
    match answered(&door, Method::POST, uri.path(), &headers, body).await {
        Ok(answer) => spoken(&door, &program, answer).await,
        Err(failure) => failure.into_response(ErrorForm::Detail),
    }
}

/// Results whose answer is sound, where it needs nothing more of the node.
pub(crate) async fn continue_stream(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if let Some(refused) = refused(Some(&program), "") {
        return refused.into_response(ErrorForm::Detail);
    }
    match answered(&door, Method::POST, "/api/v0/voice/command/continue", &headers, body).await {
        // The node reads the answer of this route as JSON: it does not send the results a second time.
        Ok(NodeResponse { status: 200, body }) => {
            spoken(&door, &program, NodeResponse { status: 202, body }).await
        }
        Ok(answer) => response(answer),
        Err(failure) => failure.into_response(ErrorForm::Detail),
    }
}

/// The routes of the protocol that ask.
fn refused(program: Option<&Program>, path: &str) -> Option<Failure> {
    // Without a program the path is one of those that need no key.
    let program = program?;
    (!program.may(Scope::Ask) && path != "/api/v0/generate/date-context").then(|| Failure::forbidden("ask"))
}

async fn answered(
    door: &Door,
    method: Method,
    path: &str,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<NodeResponse, Failure> {
    let body = body.map_err(|refused| Failure::new(refused.status(), refused.body_text()))?;
    // A bearer token is the same key. The gate has looked at host and origin.
    let host = headers.get("host").and_then(|host| host.to_str().ok()).map(str::to_owned);
    let carried = [("host", host), (API_KEY_HEADER, key(headers))];
    let headers = carried.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let request = NodeRequest {
        method: method.to_string(),
        path: path.to_owned(),
        headers: headers.collect(),
        body: body.to_vec(),
    };
    Ok(door.nodes.handle(&request, Instant::now()).await)
}

fn response(answer: NodeResponse) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(answer.body)).into_response()
}

/// The answer as sound if it is complete, the program may have sound, and there is a voice; else as it is.
async fn spoken(door: &Door, program: &Program, answer: NodeResponse) -> Response {
    let text = answer.body["assistant_message"].as_str().unwrap_or_default().to_owned();
    let is_complete = answer.status == 202 && answer.body["stop_reason"] == "complete";
    if !is_complete || text.trim().is_empty() || !program.may(Scope::Audio) {
        return response(answer);
    }
    match said(door, &text, None, None, 1.0).await {
        Ok(sounds) => pcm_response(sounds, &text),
        Err(failure) => {
            tracing::warn!(reason = failure.message, "an answer to a node is not spoken");
            response(answer)
        }
    }
}

/// The query of the date context.
#[derive(Debug, Deserialize)]
pub(crate) struct DateContextQuery {
    timezone: Option<String>,
}

/// The meaning of expressions of time now.
pub(crate) async fn date_context(
    State(door): State<Arc<Door>>,
    Query(query): Query<DateContextQuery>,
) -> Response {
    let zone = match query.timezone.as_deref().filter(|name| !name.trim().is_empty()) {
        None => Ok(TimeZone::system()),
        Some(name) => TimeZone::get(name),
    };
    match zone {
        Ok(zone) => Json(command_center::date_context(door.assistant.now(), &zone)).into_response(),
        Err(_) => {
            let message = "The time zone is unknown: use a name such as Europe/London.";
            Failure::bad("timezone", message).into_response(ErrorForm::Detail)
        }
    }
}

/// A few words for a node that was woken.
pub(crate) async fn wake_response(Extension(program): Extension<Program>) -> Response {
    match refused(Some(&program), "") {
        Some(refused) => refused.into_response(ErrorForm::Detail),
        None => Json(json!({ "text": Messages::english().node_woken() })).into_response(),
    }
}

/// A question without a conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct ChatBody {
    message: String,
}

/// Answers a question without a conversation and without tools of the caller. What needs a permission is not done.
pub(crate) async fn chat(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    body: Result<Json<ChatBody>, JsonRejection>,
) -> Response {
    let answered = async {
        let Json(ChatBody { message }) = body.map_err(|refused| malformed(&refused))?;
        if message.trim().is_empty() {
            return Err(Failure::bad("message", "The message is empty."));
        }
        answer(&door, &program, &message).await
    };
    if let Some(refused) = refused(Some(&program), "") {
        return refused.into_response(ErrorForm::Detail);
    }
    match answered.await {
        Ok(text) => Json(json!({ "response": text })).into_response(),
        Err(failure) => failure.into_response(ErrorForm::Detail),
    }
}
