//! Voice nodes and bots: the protocol of Command Centers.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection, QueryRejection};
use axum::extract::{FromRequest, Query, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use command_center::{
    API_KEY_HEADER, AcknowledgeRequest, CommandAnswer, CommandRequest, ContinueRequest, ConversationAnswer,
    Detail, EndRequest, Health, MalformedBody, NodeRequest, NodeResponse, Pong, StartRequest, StreamRefusal,
    WireAttachment, Words,
};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use settings::Scope;
use tokio::time::Instant;
use utoipa::{IntoParams, ToSchema};
use vocabulary::Private;

use crate::answer::answer;
use crate::door::Door;
use crate::failure::{ErrorForm, Failure, NodeFailure, malformed};
use crate::gate::key;
use crate::programs::Program;
use crate::speech::{pcm_response, said};

/// A request of the Command Center protocol.
pub(crate) struct NodeCall {
    door: Arc<Door>,
    /// `None` on paths that need no key.
    program: Option<Program>,
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
}

impl FromRequest<Arc<Door>> for NodeCall {
    type Rejection = Infallible;

    async fn from_request(mut request: Request, door: &Arc<Door>) -> Result<Self, Infallible> {
        let program = request.extensions_mut().remove::<Program>();
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let headers = std::mem::take(request.headers_mut());
        let body = Bytes::from_request(request, door).await;
        Ok(Self { door: Arc::clone(door), program, method, path, headers, body })
    }
}

impl NodeCall {
    async fn answer(self) -> Result<Response, NodeFailure> {
        let path = self.path.clone();
        Ok(response(self.answer_of(&path).await?))
    }

    /// The answer of the Command Center protocol on this path.
    async fn answer_of(self, path: &str) -> Result<NodeResponse, Failure> {
        if let Some(program) = &self.program {
            may_ask(program)?;
        }
        let body = self.body.map_err(|refused| Failure::new(refused.status(), refused.body_text()))?;
        // A bearer token is the same key. The gate has looked at host and origin.
        let host = self.headers.get("host").and_then(|host| host.to_str().ok()).map(str::to_owned);
        let carried = [("host", host), (API_KEY_HEADER, key(&self.headers))];
        let headers = carried.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let request = NodeRequest {
            method: self.method.to_string(),
            path: path.to_owned(),
            headers: headers.collect(),
            body: body.into(),
        };
        Ok(self.door.nodes.handle(&request, Instant::now().into_std()).await)
    }
}

fn may_ask(program: &Program) -> Result<(), Failure> {
    if program.may(Scope::Ask) { Ok(()) } else { Err(Failure::forbidden("ask")) }
}

/// Begins a conversation, with the tools that the node runs.
#[utoipa::path(post, path = "/api/v0/conversation/start", tag = "nodes",
    request_body = StartRequest,
    responses(
        (status = 200, description = "It has begun", body = ConversationAnswer),
        (status = 400, description = "The body is malformed", body = MalformedBody),
        (status = 409, description = "Another request of this conversation is answered", body = Detail),
    ))]
pub(crate) async fn start(call: NodeCall) -> Result<Response, NodeFailure> {
    call.answer().await
}

/// Answers an utterance, or asks for calls of the node's tools, or for an answer of its user.
#[utoipa::path(post, path = "/api/v0/voice/command", tag = "nodes",
    request_body = CommandRequest,
    responses(
        (status = 200, description = "What the node is to do or say", body = CommandAnswer),
        (status = 400, description = "The body is malformed", body = MalformedBody),
        (status = 409, description = "Another request of this conversation is answered", body = Detail),
        (status = 422, description = "The conversation is unknown", body = Detail),
    ))]
pub(crate) async fn command(call: NodeCall) -> Result<Response, NodeFailure> {
    call.answer().await
}

/// Goes on with the results of calls, or with the answer of the user.
#[utoipa::path(post, path = "/api/v0/voice/command/continue", tag = "nodes",
    request_body = ContinueRequest,
    responses(
        (status = 200, description = "What the node is to do or say", body = CommandAnswer),
        (status = 400, description = "The body is malformed, or nothing waits for this", body = MalformedBody),
        (status = 409, description = "Another request of this conversation is answered", body = Detail),
        (status = 422, description = "The conversation is unknown", body = Detail),
    ))]
pub(crate) async fn go_on(call: NodeCall) -> Result<Response, NodeFailure> {
    call.answer().await
}

/// A few words for a user who waits.
#[utoipa::path(post, path = "/api/v0/voice/acknowledge", tag = "nodes",
    request_body = AcknowledgeRequest,
    responses(
        (status = 200, description = "The words", body = Words),
        (status = 400, description = "The body is malformed", body = MalformedBody),
    ))]
pub(crate) async fn acknowledge(call: NodeCall) -> Result<Response, NodeFailure> {
    call.answer().await
}

/// Ends a conversation.
#[utoipa::path(post, path = "/api/v0/conversation/end", tag = "nodes",
    request_body = EndRequest,
    responses(
        (status = 200, description = "It is over", body = ConversationAnswer),
        (status = 400, description = "The body is malformed", body = MalformedBody),
    ))]
pub(crate) async fn end(call: NodeCall) -> Result<Response, NodeFailure> {
    call.answer().await
}

/// Says that the door is open.
#[utoipa::path(get, path = "/health", tag = "nodes",
    responses((status = 200, description = "It is", body = Health)))]
pub(crate) async fn health(call: NodeCall) -> Result<Response, NodeFailure> {
    call.answer().await
}

/// Says that the door is open.
#[utoipa::path(get, path = "/api/v0/health", tag = "nodes",
    responses((status = 200, description = "It is", body = Health)))]
pub(crate) async fn health_of_nodes(call: NodeCall) -> Result<Response, NodeFailure> {
    call.answer().await
}

/// Answers a ping.
#[utoipa::path(get, path = "/api/v0/ping", tag = "nodes",
    responses((status = 200, description = "The pong", body = Pong)))]
pub(crate) async fn ping(call: NodeCall) -> Result<Response, NodeFailure> {
    call.answer().await
}

/// Answers an utterance as the route without a stream, and speaks an answer that needs nothing of the node.
#[utoipa::path(post, path = "/api/v0/voice/command/stream", tag = "nodes",
    request_body = CommandRequest,
    responses(
        (status = 200, description = "Samples of 16 bits; headers have the rate and the text", body = Vec<u8>, content_type = "audio/raw"),
        (status = 202, description = "What the node is to do or say", body = CommandAnswer),
        (status = 400, description = "The body is malformed, or the conversation is unknown", body = StreamRefusal),
        (status = 409, description = "Another request of this conversation is answered", body = Detail),
    ))]
pub(crate) async fn command_stream(call: NodeCall) -> Result<Response, NodeFailure> {
    streamed(call).await
}

async fn streamed(call: NodeCall) -> Result<Response, NodeFailure> {
    let (door, program, path) = (Arc::clone(&call.door), call.program.clone(), call.path.clone());
    let answer = call.answer_of(&path).await?;
    Ok(spoken(&door, program.as_ref(), answer).await)
}

/// Goes on as the route without a stream, and speaks an answer that needs nothing more of the node. Any other answer is given
/// again to the same results on the route without a stream.
#[utoipa::path(post, path = "/api/v0/voice/command/continue/stream", tag = "nodes",
    request_body = ContinueRequest,
    responses(
        (status = 200, description = "Samples of 16 bits; headers have the rate and the text", body = Vec<u8>, content_type = "audio/raw"),
        (status = 202, description = "What the node is to do or say", body = CommandAnswer),
        (status = 400, description = "The body is malformed, nothing waits for this, or the conversation is unknown", body = StreamRefusal),
        (status = 409, description = "Another request of this conversation is answered", body = Detail),
    ))]
pub(crate) async fn continue_stream(call: NodeCall) -> Result<Response, NodeFailure> {
    streamed(call).await
}

/// A request of no route.
pub(crate) async fn no_route(uri: Uri) -> Response {
    Failure::new(StatusCode::NOT_FOUND, "There is no such route.")
        .into_response(ErrorForm::from_path(uri.path()))
}

fn response(answer: NodeResponse) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(answer.body)).into_response()
}

/// The answer as sound if it is complete and has no files, the program may have sound, and there is a voice; else as it is.
async fn spoken(door: &Door, program: Option<&Program>, answer: NodeResponse) -> Response {
    let text = answer.body["assistant_message"].as_str().unwrap_or_default().to_owned();
    let is_complete = answer.status == 202 && answer.body["stop_reason"] == "complete";
    let may_hear = program.is_some_and(|program| program.may(Scope::Audio));
    // Sound has no room for files.
    let has_files = answer.body["attachments"].is_array();
    if !is_complete || has_files || text.trim().is_empty() || !may_hear {
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
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DateContextQuery {
    /// An IANA zone; that of this computer otherwise.
    timezone: Option<String>,
}

/// The meaning of expressions of time now.
#[utoipa::path(get, path = "/api/v0/generate/date-context", tag = "nodes",
    params(DateContextQuery),
    responses(
        (status = 200, description = "The time, and the days of each expression", body = Object),
        (status = 400, description = "The time zone is unknown", body = Detail),
    ))]
pub(crate) async fn date_context(
    State(door): State<Arc<Door>>,
    query: Result<Query<DateContextQuery>, QueryRejection>,
) -> Result<Response, NodeFailure> {
    let unreadable = |refused: QueryRejection| Failure::new(refused.status(), refused.body_text());
    let query = query.map_err(|refused| NodeFailure::in_words(unreadable(refused)))?;
    let zone = match query.timezone.as_deref().filter(|name| !name.trim().is_empty()) {
        None => TimeZone::system(),
        Some(name) => TimeZone::get(name).map_err(|_| {
            let words = "The time zone is unknown: use a name such as Europe/London.";
            NodeFailure::in_words(Failure::bad("timezone", words))
        })?,
    };
    Ok(Json(command_center::date_context(door.assistant.now(), &zone)).into_response())
}

/// A few words for a node that was woken, in the language of the user.
#[utoipa::path(post, path = "/api/v0/wake-response", tag = "nodes",
    responses((status = 200, description = "The words", body = Words)))]
pub(crate) async fn wake_response(call: NodeCall) -> Result<Response, NodeFailure> {
    call.answer().await
}

/// A question without a conversation.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ChatBody {
    /// The question.
    #[schema(min_length = 1, pattern = r"\S")]
    message: String,
}

/// The answer to a question without a conversation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatAnswer {
    response: String,
    /// Files and pictures; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    attachments: Vec<WireAttachment>,
}

/// Answers a question without a conversation and without tools of the caller. What needs a permission is not done.
#[utoipa::path(post, path = "/api/v0/chat", tag = "nodes",
    request_body = ChatBody,
    responses(
        (status = 200, description = "The answer", body = ChatAnswer),
        (status = 502, description = "The language model failed", body = Detail),
        (status = 503, description = "Jarvis shuts down", body = Detail),
    ))]
pub(crate) async fn chat(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    body: Result<Json<ChatBody>, JsonRejection>,
) -> Result<Json<ChatAnswer>, NodeFailure> {
    may_ask(&program)?;
    let Json(ChatBody { message }) = body.map_err(|refused| malformed(&refused))?;
    if message.trim().is_empty() {
        return Err(Failure::bad("message", "The message is empty.").into());
    }
    let answer = answer(&door, &program, &message).await?;
    Ok(Json(ChatAnswer {
        response: answer.text.map(|Private(text)| text).unwrap_or_default(),
        attachments: door.files.keep(&program.name, answer.attachments),
    }))
}

/// The same by its other name.
#[utoipa::path(post, path = "/api/v0/lightweight/chat", tag = "nodes",
    request_body = ChatBody,
    responses(
        (status = 200, description = "The answer", body = ChatAnswer),
        (status = 502, description = "The language model failed", body = Detail),
        (status = 503, description = "Jarvis shuts down", body = Detail),
    ))]
pub(crate) async fn lightweight_chat(
    door: State<Arc<Door>>,
    program: Extension<Program>,
    body: Result<Json<ChatBody>, JsonRejection>,
) -> Result<Json<ChatAnswer>, NodeFailure> {
    chat(door, program, body).await
}
