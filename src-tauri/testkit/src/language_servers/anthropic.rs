//! The wire format of the Anthropic API.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::script::{Action, ServerState, error_response, key_error, locked};
use super::streaming::{StreamEnd, argument_chunks, split_words, stream_end, stream_response};

/// Without a limit, the server lists this many models. Source: the reference of the Anthropic API, "List models".
const LISTED: usize = 20;

pub(super) async fn models(
    State(shared): State<Arc<ServerState>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let script = locked(&shared.script);
    if let Some(error_response) = version_error(&headers).or_else(|| key_error(&script, &as_bearer(headers)))
    {
        return error_response;
    }
    let limit =
        query.as_deref().and_then(|query| query.strip_prefix("limit=")?.parse().ok()).unwrap_or(LISTED);
    let model = |name: &String| json!({ "type": "model", "id": name, "display_name": name });
    let data: Vec<Value> = script.models.iter().take(limit).map(model).collect();
    Json(json!({ "data": data, "has_more": script.models.len() > limit })).into_response()
}

pub(super) async fn messages(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    if let Some(error_response) = version_error(&headers).or_else(|| body_error(&body)) {
        return error_response;
    }
    let answer = match shared.next_answer(&as_bearer(headers), &body) {
        Ok(answer) => answer,
        Err(error_response) => return error_response,
    };
    let mut chunks = vec![event(json!({
        "type": "message_start",
        "message": { "type": "message", "role": "assistant", "content": [], "usage": { "input_tokens": 7, "output_tokens": 1 } },
    }))];
    chunks.push(event(json!({ "type": "ping" })));
    let end = match &answer.action {
        Action::Refuses { code, body, retry_after } => return error_response(*code, body, *retry_after),
        Action::Embeds(_) => panic!("the script has vectors, but the request is a chat"),
        Action::Says { text, thinking, ending } => {
            if let Some(thinking) = thinking {
                chunks.extend(thinking_block(thinking));
            }
            chunks.extend(text_block(usize::from(thinking.is_some()), text));
            let error = json!({ "type": "overloaded_error", "message": "the model runner has ended" });
            stream_end(*ending, ending_text("end_turn"), event(json!({ "type": "error", "error": error })))
        }
        Action::Calls(calls) => {
            let blocks = calls.iter().enumerate();
            chunks.extend(blocks.flat_map(|(index, (name, arguments))| call_block(index, name, arguments)));
            StreamEnd::Text(ending_text("tool_use"))
        }
    };
    stream_response("text/event-stream", (chunks, end), &answer, shared)
}

/// The script compares keys as bearer tokens; this API has a header of its own for them.
fn as_bearer(mut headers: HeaderMap) -> HeaderMap {
    headers.remove("authorization");
    let key = headers.get("x-api-key").and_then(|key| key.to_str().ok());
    if let Some(bearer) = key.and_then(|key| HeaderValue::try_from(format!("Bearer {key}")).ok()) {
        headers.insert("authorization", bearer);
    }
    headers
}

fn version_error(headers: &HeaderMap) -> Option<Response> {
    let has_version = headers.get("anthropic-version").is_some_and(|version| version == "2023-06-01");
    (!has_version).then(|| invalid_request("anthropic-version: header is required"))
}

/// The rules of the API that a request must follow.
fn body_error(body: &Value) -> Option<Response> {
    let roles = body["messages"].as_array().into_iter().flatten().map(|message| &message["role"]);
    let alternates = roles.enumerate().all(|(at, role)| role == ["user", "assistant"][at % 2]);
    if body["messages"].as_array().is_none_or(Vec::is_empty) {
        Some(invalid_request("messages: at least one message is required"))
    } else if !alternates {
        Some(invalid_request("messages: roles must alternate"))
    } else if !body["max_tokens"].is_u64() {
        Some(invalid_request("max_tokens: Field required"))
    } else {
        None
    }
}

fn invalid_request(message: &str) -> Response {
    let error = json!({ "type": "invalid_request_error", "message": message });
    (StatusCode::BAD_REQUEST, Json(json!({ "type": "error", "error": error }))).into_response()
}

fn event(data: Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}

fn block(index: usize, start: Value, deltas: impl Iterator<Item = Value>) -> Vec<String> {
    let start = json!({ "type": "content_block_start", "index": index, "content_block": start });
    let delta = |delta| event(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
    let stop = event(json!({ "type": "content_block_stop", "index": index }));
    std::iter::once(event(start)).chain(deltas.map(delta)).chain([stop]).collect()
}

fn text_block(index: usize, text: &str) -> Vec<String> {
    let deltas = split_words(text).map(|word| json!({ "type": "text_delta", "text": word }));
    block(index, json!({ "type": "text", "text": "" }), deltas)
}

fn thinking_block(thinking: &str) -> Vec<String> {
    let deltas = [
        json!({ "type": "thinking_delta", "thinking": thinking }),
        json!({ "type": "signature_delta", "signature": "EqQB" }),
    ];
    block(0, json!({ "type": "thinking", "thinking": "", "signature": "" }), deltas.into_iter())
}

fn call_block(index: usize, name: &str, arguments: &Value) -> Vec<String> {
    let start = json!({ "type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": {} });
    // The first chunk is empty.
    let chunks = std::iter::once(String::new()).chain(argument_chunks(arguments));
    block(index, start, chunks.map(|chunk| json!({ "type": "input_json_delta", "partial_json": chunk })))
}

fn ending_text(reason: &str) -> String {
    let end = json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": { "output_tokens": 3 } });
    format!("{}{}", event(end), event(json!({ "type": "message_stop" })))
}
