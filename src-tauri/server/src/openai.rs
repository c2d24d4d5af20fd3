//! The OpenAI interface: models, and chat completions with tools of the client.

mod request; // what clients send
mod completion; // what they get: at once, or as it is made

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde_json::{Value, json};
use settings::Scope;

use crate::door::Door;
use crate::failure::{ErrorForm, Failure, malformed};
use crate::programs::Program;
use completion::{Completion, Head, MODEL};
use request::ChatRequest;

/// `GET /v1/models`
pub(crate) async fn models() -> Json<Value> {
    Json(json!({ "object": "list", "data": [model_entry()] }))
}

/// `GET /v1/models/{model}`
pub(crate) async fn model(Path(name): Path<String>) -> Response {
    match known_model(&name) {
        Ok(()) => Json(model_entry()).into_response(),
        Err(failure) => failure.into_response(ErrorForm::OpenAi),
    }
}

fn model_entry() -> Value {
    json!({ "id": MODEL, "object": "model", "created": 0, "owned_by": "user" })
}

fn known_model(name: &str) -> Result<(), Failure> {
    if name == MODEL {
        return Ok(());
    }
    let message = format!("There is one model here, named {MODEL}.");
    Err(Failure { field: Some("model"), ..Failure::new(StatusCode::NOT_FOUND, message) })
}

/// `POST /v1/chat/completions`
pub(crate) async fn chat_completions(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    body: Result<Json<ChatRequest>, JsonRejection>,
) -> Response {
    match begin(&door, &program, body).await {
        Ok((completion, Streaming { is_wanted: true, with_usage })) => completion.stream(with_usage),
        Ok((completion, _)) => completion.whole().await,
        Err(failure) => failure.into_response(ErrorForm::OpenAi),
    }
}

/// The way of sending an answer: as it is made or not, with its usage or without.
struct Streaming {
    is_wanted: bool,
    with_usage: bool,
}

async fn begin(
    door: &Arc<Door>,
    program: &Program,
    body: Result<Json<ChatRequest>, JsonRejection>,
) -> Result<(Completion, Streaming), Failure> {
    if !program.may(Scope::Ask) {
        return Err(Failure::forbidden("ask"));
    }
    let Json(request) = body.map_err(|refused| malformed(&refused))?;
    known_model(&request.model)?;
    let streaming = Streaming {
        is_wanted: request.stream.unwrap_or(false),
        with_usage: request.stream_options.as_ref().is_some_and(|options| options.include_usage),
    };
    let chat = request.read()?;
    let resumed = chat.results.iter().find_map(|result| {
        let handle = door.open_calls.resume(&program.name, &result.call, &result.text)?;
        Some(handle)
    });
    let handle = match resumed {
        Some(handle) => handle,
        None => {
            let opened = door.assistant.open_reply(chat.into_request(door, program)).await;
            let mut handle = opened.map_err(|refused| Failure::refused(&refused))?;
            handle.answers_nothing();
            handle
        }
    };
    let head = Head::new(door.assistant.now());
    Ok((Completion { door: Arc::clone(door), program: program.name.clone(), handle, head }, streaming))
}
