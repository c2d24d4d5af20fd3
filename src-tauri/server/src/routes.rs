//! The routes.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};

use crate::door::Door;
use crate::failure::{ErrorForm, Failure};
use crate::gate;
use crate::{mcp, nodes, openai, speech};

/// Longest body of a request without sound. Source: two hundred tools with long descriptions are a quarter of it.
const MAX_BODY: usize = 1024 * 1024;

/// Longest recording. Source: the limit of common services.
const MAX_RECORDING: usize = 25 * 1024 * 1024;

/// All routes, behind the gate.
pub(crate) fn router(door: Arc<Door>) -> Router {
    let recordings = Router::new()
        .route("/v1/audio/transcriptions", post(speech::transcriptions))
        .route("/api/v0/media/whisper/transcribe", post(speech::transcribe))
        .layer(DefaultBodyLimit::max(MAX_RECORDING));
    let others = Router::new()
        .route("/v1/models", get(openai::models))
        .route("/v1/models/{model}", get(openai::model))
        .route("/v1/chat/completions", post(openai::chat_completions))
        .route("/v1/audio/speech", post(speech::speech))
        .route("/api/v0/media/tts/speak", post(speech::speak))
        .route("/api/v0/media/tts/speak/stream", post(speech::speak_stream))
        .route("/api/v0/generate/date-context", get(nodes::date_context))
        .route("/api/v0/wake-response", post(nodes::wake_response))
        .route("/api/v0/chat", post(nodes::chat))
        .route("/api/v0/lightweight/chat", post(nodes::chat))
        .route("/api/v0/voice/command/stream", post(nodes::command_stream))
        .route("/api/v0/voice/command/continue/stream", post(nodes::continue_stream))
        .nest_service("/mcp", mcp::service(&door))
        .fallback(nodes::protocol)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY));
    others.merge(recordings).layer(from_fn_with_state(Arc::clone(&door), gate::pass)).with_state(door)
}

async fn wrong_method(request: Request) -> Response {
    let failure = Failure::new(StatusCode::METHOD_NOT_ALLOWED, "This route takes another method.");
    failure.into_response(ErrorForm::of(request.uri().path()))
}
