//! Pulls of models by a fake Ollama server.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

use super::script::{ScriptedAnswer, ServerState, error_response, key_error, locked};
use super::scripted_pull::{PullEnd, ScriptedPull};
use super::streaming::{StreamEnd, stream_response};

pub(super) async fn pull(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let scripted = {
        let mut script = locked(&shared.script);
        if let Some(error_response) = key_error(&script, &headers) {
            return error_response;
        }
        locked(&shared.pulls).push(body.clone());
        let is_last = script.pulls.len() == 1;
        if is_last { script.pulls.front().cloned() } else { script.pulls.pop_front() }
    };
    let ScriptedPull { lines, end, each_line } = scripted.unwrap_or_else(ScriptedPull::unknown);
    let line = |json: Value| format!("{json}\n");
    let last = lines.last().cloned().map(line).unwrap_or_default();
    let end = match end {
        PullEnd::Refuses { code, error } => {
            return error_response(code, &json!({ "error": error }).to_string(), None);
        }
        PullEnd::Success => {
            let (name, shared) = (body["model"].as_str().unwrap_or_default().to_owned(), Arc::clone(&shared));
            let then = Box::new(move || locked(&shared.script).models.push(name));
            StreamEnd::Then { text: line(json!({ "status": "success" })), then }
        }
        PullEnd::Repeat => StreamEnd::Repeat(last),
        PullEnd::Error(error) => StreamEnd::Text(line(json!({ "error": error }))),
        PullEnd::Stall => StreamEnd::Stall,
        PullEnd::Disconnect => StreamEnd::Disconnect,
        PullEnd::InvalidData => StreamEnd::Text("<html>no line of a pull</html>\n".to_owned()),
        PullEnd::Early => StreamEnd::Text(String::new()),
    };
    let pace = ScriptedAnswer::says("").with_token_delay(each_line);
    stream_response("application/x-ndjson", (lines.into_iter().map(line).collect(), end), &pace, shared)
}
