//! Embeddings in the formats of both servers.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::script::{Action, ConnectionWatch, ServerState, error_response};

/// Handles `/api/embed`.
pub(super) async fn ollama(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let model = body["model"].clone();
    let format = |vectors| json!({ "model": model, "embeddings": vectors, "total_duration": 1 });
    respond(shared, &headers, &body, format).await
}

/// Handles `/v1/embeddings`. Sends the vectors in reverse order, because only their index counts.
pub(super) async fn openai(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let model = body["model"].clone();
    let format = |vectors: Value| {
        let vectors = vectors.as_array().cloned().unwrap_or_default();
        let indexed = vectors
            .into_iter()
            .enumerate()
            .map(|(index, vector)| json!({ "object": "embedding", "index": index, "embedding": vector }));
        let data: Vec<_> = indexed.rev().collect();
        json!({ "object": "list", "model": model, "data": data, "usage": { "prompt_tokens": 1, "total_tokens": 1 } })
    };
    respond(shared, &headers, &body, format).await
}

async fn respond(
    shared: Arc<ServerState>,
    headers: &HeaderMap,
    body: &Value,
    format: impl FnOnce(Value) -> Value,
) -> Response {
    let answer = match shared.next_answer(headers, body) {
        Ok(answer) => answer,
        Err(error_response) => return error_response,
    };
    let mut connection_watch = ConnectionWatch { shared, is_complete: false };
    tokio::time::sleep(answer.first_token).await;
    connection_watch.complete();
    match answer.action {
        Action::Embeds(vectors) => Json(format(vectors)).into_response(),
        Action::Refuses { code, body, retry_after } => error_response(code, &body, retry_after),
        Action::Says { .. } | Action::Calls(_) => {
            panic!("the script has a chat, but the request is for vectors")
        }
    }
}
