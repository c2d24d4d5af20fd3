//! The OpenAI interface: models, and chat completions with tools of the client.

mod request; // what clients send
mod limits; // where an answer ends
mod completion; // what they get: at once, or as it is made
mod bodies; // its form

use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::{Extension, Json};
use settings::Scope;

use crate::door::Door;
use crate::failure::{Failure, OpenAiError, OpenAiFailure, malformed};
use crate::programs::Program;
use bodies::{ChatChunk, ChatCompletion, MODEL, ModelEntry, ModelList};
use completion::{Completion, Head};
use request::{Chat, ChatRequest};

/// Lists the one model.
#[utoipa::path(get, path = "/v1/models", tag = "OpenAI",
    responses((status = 200, description = "The models", body = ModelList)))]
pub(crate) async fn models() -> Json<ModelList> {
    Json(ModelList::new())
}

/// Shows a model.
#[utoipa::path(get, path = "/v1/models/{model}", tag = "OpenAI",
    params(("model" = String, Path, description = "The name of a model")),
    responses(
        (status = 200, description = "The model", body = ModelEntry),
        (status = 400, description = "The name is no text", body = OpenAiError),
        (status = 404, description = "There is no such model", body = OpenAiError),
    ))]
pub(crate) async fn model(
    name: Result<Path<String>, PathRejection>,
) -> Result<Json<ModelEntry>, OpenAiFailure> {
    let Path(name) = name.map_err(|refused| Failure::new(refused.status(), refused.body_text()))?;
    known_model(&name)?;
    Ok(Json(ModelEntry::new()))
}

fn known_model(name: &str) -> Result<(), Failure> {
    if name == MODEL {
        return Ok(());
    }
    let message = format!("There is one model here, named {MODEL}.");
    Err(Failure { field: Some("model".into()), ..Failure::new(StatusCode::NOT_FOUND, message) })
}

/// Answers the newest message of the user, whole or as it is made. A call of a tool of the client ends the answer; a request
/// with its result goes on.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "OpenAI",
    request_body = ChatRequest,
    responses(
        (status = 200, description = "The answer", content(
            (ChatCompletion = "application/json"), (ChatChunk = "text/event-stream"),
        )),
        (status = 404, description = "There is no such model", body = OpenAiError),
        (status = 502, description = "The language model failed", body = OpenAiError),
        (status = 503, description = "Jarvis shuts down", body = OpenAiError),
    ))]
pub(crate) async fn chat_completions(
    State(door): State<Arc<Door>>,
    Extension(program): Extension<Program>,
    body: Result<Json<ChatRequest>, JsonRejection>,
) -> Result<Response, OpenAiFailure> {
    let (completion, is_streamed) = begin(&door, &program, body).await?;
    match is_streamed {
        true => Ok(completion.stream()),
        false => Ok(completion.whole().await),
    }
}

/// Begins a reply. Returns `true` with it if it is to be sent as it is made.
async fn begin(
    door: &Arc<Door>,
    program: &Program,
    body: Result<Json<ChatRequest>, JsonRejection>,
) -> Result<(Completion, bool), Failure> {
    if !program.may(Scope::Ask) {
        return Err(Failure::forbidden("ask"));
    }
    let Json(request) = body.map_err(|refused| malformed(&refused))?;
    known_model(&request.model)?;
    let is_streamed = request.stream.unwrap_or(false);
    let tells_usage = request.stream_options.as_ref().and_then(|options| options.include_usage);
    let mut chat = request.read()?;
    let limits = std::mem::take(&mut chat.limits);
    let own_tools = if is_streamed { own_tools(door, program, &chat) } else { Vec::new() };
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
    let head = Head::new(door.assistant.now(), tells_usage.unwrap_or(false));
    let program = program.name.clone();
    let completion = Completion { door: Arc::clone(door), program, handle, head, limits, own_tools };
    Ok((completion, is_streamed))
}

/// The names of the tools of Jarvis that a reply may call, without those whose place a tool of the client takes.
fn own_tools(door: &Door, program: &Program, chat: &Chat) -> Vec<String> {
    if !program.may(Scope::Tools) {
        return Vec::new();
    }
    let mut names = door.assistant.tool_names(program.may(Scope::Memory));
    names.retain(|name| !chat.has_tool(name));
    names
}
