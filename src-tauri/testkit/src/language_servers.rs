//! Fake language model servers on loopback with the real wire formats and scripted responses.
//!
//! Each server has its own thread and runtime, so a paused clock of a test does not stop it. Dropping a server closes
//! all connections at once, like a killed server.

mod anthropic;
mod embedding;
mod pulling;
mod scripted_pull;
mod script;
mod streaming;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use self::script::{Action, Ending, ServerState, error_response, key_error, locked};
pub use self::script::{ScriptedAnswer, ServerScript, is_warming_up};
pub use self::scripted_pull::ScriptedPull;
use self::streaming::{StreamEnd, argument_chunks, split_words, stream_end, stream_response};

/// A fake Ollama server.
pub struct OllamaServer(RunningServer);

/// A fake server with the OpenAI API.
pub struct OpenAiServer(RunningServer);

/// A fake server with the Anthropic API.
pub struct AnthropicServer(RunningServer);

macro_rules! impl_server {
    ($server:ident, $router:ident) => {
        impl $server {
            /// Starts on a free loopback port.
            pub fn start(script: impl Into<ServerScript>) -> Self {
                Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), script)
            }

            /// Starts at an address, such as the address of a dropped server.
            pub fn start_at(address: SocketAddr, script: impl Into<ServerScript>) -> Self {
                Self(RunningServer::start(address, script.into(), $router))
            }

            /// The address of the server.
            pub fn address(&self) -> SocketAddr {
                self.0.address
            }

            /// The address as a URL, as in the settings.
            pub fn url(&self) -> String {
                format!("http://{}", self.0.address)
            }

            /// The bodies of all chat and embedding requests, oldest first.
            pub fn asked(&self) -> Vec<Value> {
                locked(&self.0.shared.asked).clone()
            }

            /// Waits until clients have closed this many connections before the response was complete.
            pub async fn abandoned(&self, answers: usize) {
                let mut abandoned = self.0.shared.abandoned.subscribe();
                abandoned.wait_for(|count| *count >= answers).await.expect("the server holds the sender");
            }
        }
    };
}

impl_server!(OllamaServer, ollama_router);
impl_server!(OpenAiServer, openai_router);
impl_server!(AnthropicServer, anthropic_router);

impl OllamaServer {
    /// The bodies of all pull requests, oldest first.
    pub fn pulls(&self) -> Vec<Value> {
        locked(&self.0.shared.pulls).clone()
    }
}

struct RunningServer {
    address: SocketAddr,
    shared: Arc<ServerState>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl RunningServer {
    fn start(address: SocketAddr, script: ServerScript, router: fn(Arc<ServerState>) -> Router) -> Self {
        let listener = std::net::TcpListener::bind(address).expect("loopback has a free port");
        listener.set_nonblocking(true).expect("a listener can be non-blocking");
        let address = listener.local_addr().expect("a bound listener has an address");
        let shared = Arc::new(ServerState {
            script: Mutex::new(script),
            asked: Mutex::default(),
            pulls: Mutex::default(),
            abandoned: tokio::sync::watch::Sender::new(0),
        });
        let (stop, stopped) = oneshot::channel();
        let app = router(Arc::clone(&shared));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("the runtime starts");
            runtime.block_on(async move {
                let listener =
                    tokio::net::TcpListener::from_std(listener).expect("the listener is non-blocking");
                tokio::select! {
                    served = axum::serve(listener, app) => served.expect("the server runs until it is stopped"),
                    _ = stopped => {}
                }
            });
            // Dropping the runtime here drops every connection.
        });
        Self { address, shared, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // Sending fails if the thread has panicked, which `join` reports.
        let _ = self.stop.take().map(|stop| stop.send(()));
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            assert!(!matches!(ended, Some(Err(_))), "the fake language model server panicked");
        }
    }
}

fn ollama_router(shared: Arc<ServerState>) -> Router {
    Router::new()
        .route("/api/version", get(|| async { Json(json!({ "version": "0.12.6" })) }))
        .route("/api/tags", get(ollama_tags))
        .route("/api/chat", post(ollama_chat))
        .route("/api/embed", post(embedding::ollama))
        .route("/api/pull", post(pulling::pull))
        .with_state(shared)
}

fn openai_router(shared: Arc<ServerState>) -> Router {
    Router::new()
        .route("/v1/models", get(openai_models))
        .route("/v1/chat/completions", post(openai_chat))
        .route("/v1/embeddings", post(embedding::openai))
        .with_state(shared)
}

fn anthropic_router(shared: Arc<ServerState>) -> Router {
    Router::new()
        .route("/v1/models", get(anthropic::models))
        .route("/v1/messages", post(anthropic::messages))
        .with_state(shared)
}

async fn ollama_tags(State(shared): State<Arc<ServerState>>) -> Json<Value> {
    let script = locked(&shared.script);
    let model = |name: &String| {
        json!({
            "name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1,
            "details": { "format": "gguf", "family": "test", "parameter_size": script.parameter_size },
        })
    };
    Json(json!({ "models": script.models.iter().map(model).collect::<Vec<_>>() }))
}

async fn openai_models(State(shared): State<Arc<ServerState>>, headers: HeaderMap) -> Response {
    let script = locked(&shared.script);
    if let Some(error_response) = key_error(&script, &headers) {
        return error_response;
    }
    let model = |name: &String| json!({ "id": name, "object": "model", "owned_by": "test" });
    Json(json!({ "object": "list", "data": script.models.iter().map(model).collect::<Vec<_>>() }))
        .into_response()
}

async fn ollama_chat(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let answer = match shared.next_answer(&headers, &body) {
        Ok(answer) => answer,
        Err(error_response) => return error_response,
    };
    let line = |message: Value, done: bool| {
        let mut line = json!({ "model": body["model"], "created_at": "2026-01-01T00:00:00Z" });
        line["message"] = message;
        line["done"] = done.into();
        if done {
            line["done_reason"] = "stop".into();
            line["prompt_eval_count"] = 7.into();
            line["eval_count"] = 3.into();
        }
        format!("{line}\n")
    };
    let message = |content: &str| json!({ "role": "assistant", "content": content });
    if body["stream"] == false
        && let Some(message) = whole_message(&answer.action)
    {
        return stream_response(
            "application/json",
            (vec![], StreamEnd::Text(line(message, true))),
            &answer,
            shared,
        );
    }
    let chunks = match &answer.action {
        Action::Refuses { code, body, retry_after } => return error_response(*code, body, *retry_after),
        Action::Embeds(_) => panic!("the script has vectors, but the request is a chat"),
        Action::Says { text, thinking, ending } => {
            let mut chunks = Vec::new();
            if let Some(thinking) = thinking {
                chunks.push(line(json!({ "role": "assistant", "content": "", "thinking": thinking }), false));
            }
            chunks.extend(split_words(text).map(|word| line(message(word), false)));
            let error = format!("{}\n", json!({ "error": "the model runner has ended" }));
            (chunks, stream_end(*ending, line(message(""), true), error))
        }
        Action::Calls(calls) => {
            let call = |(name, arguments): &(String, Value)| json!({ "function": { "name": name, "arguments": arguments } });
            let mut with_calls = message("");
            with_calls["tool_calls"] = calls.iter().map(call).collect();
            (vec![line(with_calls, false)], StreamEnd::Text(line(message(""), true)))
        }
    };
    stream_response("application/x-ndjson", chunks, &answer, shared)
}

/// The message of a response that is not streamed; `None` if it does not end well.
fn whole_message(action: &Action) -> Option<Value> {
    match action {
        Action::Says { text, thinking, ending: Ending::Complete } => {
            Some(json!({ "role": "assistant", "content": text, "thinking": thinking }))
        }
        Action::Calls(calls) => {
            let call = |(name, arguments): &(String, Value)| json!({ "function": { "name": name, "arguments": arguments } });
            Some(
                json!({ "role": "assistant", "content": "", "tool_calls": calls.iter().map(call).collect::<Vec<_>>() }),
            )
        }
        _ => None,
    }
}

async fn openai_chat(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let answer = match shared.next_answer(&headers, &body) {
        Ok(answer) => answer,
        Err(error_response) => return error_response,
    };
    let event = |delta: Value, reason: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        format!("data: {}\n\n", json!({ "object": "chat.completion.chunk", "choices": [choice] }))
    };
    let ending_text = |reason: &str| {
        let usage = json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 });
        let usage = format!("data: {}\n\n", json!({ "choices": [], "usage": usage }));
        format!("{}{usage}data: [DONE]\n\n", event(json!({}), Some(reason)))
    };
    let chunks = match &answer.action {
        Action::Refuses { code, body, retry_after } => return error_response(*code, body, *retry_after),
        Action::Embeds(_) => panic!("the script has vectors, but the request is a chat"),
        Action::Says { text, thinking, ending } => {
            let mut chunks = vec![event(json!({ "role": "assistant", "content": null }), None)];
            if let Some(thinking) = thinking {
                chunks.push(event(json!({ "reasoning_content": thinking }), None));
            }
            chunks.extend(split_words(text).map(|word| event(json!({ "content": word }), None)));
            let error = json!({ "error": { "message": "the model runner has ended", "code": 500 } });
            (chunks, stream_end(*ending, ending_text("stop"), format!("data: {error}\n\n")))
        }
        Action::Calls(calls) => {
            let mut chunks = Vec::new();
            for (index, (name, arguments)) in calls.iter().enumerate() {
                let begin = json!({ "name": name, "arguments": "" });
                let begin = json!({ "index": index, "id": format!("id-{index}"), "type": "function", "function": begin });
                chunks.push(event(json!({ "tool_calls": [begin] }), None));
                for part in argument_chunks(arguments) {
                    let part = json!({ "arguments": part });
                    let part = json!({ "index": index, "function": part });
                    chunks.push(event(json!({ "tool_calls": [part] }), None));
                }
            }
            (chunks, StreamEnd::Text(ending_text("tool_calls")))
        }
    };
    stream_response("text/event-stream", chunks, &answer, shared)
}
