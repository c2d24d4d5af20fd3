//! Vectors of texts, in the formats of both servers.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::script::{Act, Shared, Watch, refusal};

/// `/api/embed`
pub(super) async fn ollama(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let model = body["model"].clone();
    let format = |vectors| json!({ "model": model, "embeddings": vectors, "total_duration": 1 });
    answered(shared, &headers, &body, format).await
}

/// `/v1/embeddings`. The vectors come in reverse: it is their numbers that count.
pub(super) async fn openai(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let model = body["model"].clone();
    let format = |vectors: Value| {
        let vectors = vectors.as_array().cloned().unwrap_or_default();
        let numbered = vectors
            .into_iter()
            .enumerate()
            .map(|(index, vector)| json!({ "object": "embedding", "index": index, "embedding": vector }));
        let data: Vec<_> = numbered.rev().collect();
        json!({ "object": "list", "model": model, "data": data, "usage": { "prompt_tokens": 1, "total_tokens": 1 } })
    };
    answered(shared, &headers, &body, format).await
}

async fn answered(
    shared: Arc<Shared>,
    headers: &HeaderMap,
    body: &Value,
    format: impl FnOnce(Value) -> Value,
) -> Response {
    let answer = match shared.next_answer(headers, body) {
        Ok(answer) => answer,
        Err(refusal) => return refusal,
    };
    let mut watch = Watch { shared, is_complete: false };
    tokio::time::sleep(answer.first_token).await;
    watch.completed();
    match answer.act {
        Act::Embeds(vectors) => Json(format(vectors)).into_response(),
        Act::Refuses { code, body } => refusal(code, &body),
        Act::Says { .. } | Act::Calls(_) => panic!("a chat was scripted, but vectors were asked for"),
    }
}
