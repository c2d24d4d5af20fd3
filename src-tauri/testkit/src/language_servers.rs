//! Language model servers on loopback that speak the real wire formats and answer what a test scripted.
//!
//! Both run on a thread and runtime of their own: a test's paused clock does not stop them, and dropping one closes
//! every connection at once, as a killed server would.

mod embedding;
mod script; // what a test scripts

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures::stream::{self, Stream, StreamExt};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use self::script::{Act, Ending, Shared, Watch, locked, refusal, refused_key};
pub use self::script::{ScriptedAnswer, ServerScript, is_warming_up};

/// Speaks Ollama's format.
pub struct OllamaServer(Running);

/// Speaks the OpenAI format.
pub struct OpenAiServer(Running);

macro_rules! common_to_both {
    ($server:ident, $router:ident) => {
        impl $server {
            /// Starts on a free port of loopback.
            pub fn start(script: impl Into<ServerScript>) -> Self {
                Self::start_at(SocketAddr::from(([127, 0, 0, 1], 0)), script)
            }

            /// Starts at an address, such as that of a server that was dropped.
            pub fn start_at(address: SocketAddr, script: impl Into<ServerScript>) -> Self {
                Self(Running::start(address, script.into(), $router))
            }

            /// Where it listens.
            pub fn address(&self) -> SocketAddr {
                self.0.address
            }

            /// Where it listens, as people write it into settings.
            pub fn url(&self) -> String {
                format!("http://{}", self.0.address)
            }

            /// The bodies of all requests for answers and vectors so far, oldest first.
            pub fn asked(&self) -> Vec<Value> {
                locked(&self.0.shared.asked).clone()
            }

            /// Waits until the client has closed the connection of so many answers before they were complete.
            pub async fn abandoned(&self, answers: usize) {
                let mut abandoned = self.0.shared.abandoned.subscribe();
                abandoned.wait_for(|count| *count >= answers).await.expect("the server holds the other end");
            }
        }
    };
}

common_to_both!(OllamaServer, ollama_router);
common_to_both!(OpenAiServer, openai_router);

struct Running {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(address: SocketAddr, script: ServerScript, router: fn(Arc<Shared>) -> Router) -> Self {
        let listener = std::net::TcpListener::bind(address).expect("loopback has a free port");
        listener.set_nonblocking(true).expect("a listener can be made non-blocking");
        let address = listener.local_addr().expect("a bound listener has an address");
        let shared = Arc::new(Shared {
            script: Mutex::new(script),
            asked: Mutex::default(),
            abandoned: tokio::sync::watch::Sender::new(0),
        });
        let (stop, stopped) = oneshot::channel();
        let app = router(Arc::clone(&shared));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a test machine can start a runtime");
            runtime.block_on(async move {
                let listener =
                    tokio::net::TcpListener::from_std(listener).expect("the listener is non-blocking");
                tokio::select! {
                    served = axum::serve(listener, app) => served.expect("serving does not end by itself"),
                    _ = stopped => {}
                }
            });
            // Dropping the runtime here drops every connection.
        });
        Self { address, shared, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The thread may have ended by a panic of its own, which the join tells.
        let _ = self.stop.take().map(|stop| stop.send(()));
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            assert!(!matches!(ended, Some(Err(_))), "the language server of the test panicked");
        }
    }
}

fn ollama_router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/version", get(|| async { Json(json!({ "version": "0.12.6" })) }))
        .route("/api/tags", get(ollama_tags))
        .route("/api/chat", post(ollama_chat))
        .route("/api/embed", post(embedding::ollama))
        .with_state(shared)
}

fn openai_router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/models", get(openai_models))
        .route("/v1/chat/completions", post(openai_chat))
        .route("/v1/embeddings", post(embedding::openai))
        .with_state(shared)
}

async fn ollama_tags(State(shared): State<Arc<Shared>>) -> Json<Value> {
    let script = locked(&shared.script);
    let model = |name: &String| {
        json!({
            "name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1,
            "details": { "format": "gguf", "family": "test", "parameter_size": "1B" },
        })
    };
    Json(json!({ "models": script.models.iter().map(model).collect::<Vec<_>>() }))
}

async fn openai_models(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let script = locked(&shared.script);
    if let Some(refusal) = refused_key(&script, &headers) {
        return refusal;
    }
    let model = |name: &String| json!({ "id": name, "object": "model", "owned_by": "test" });
    Json(json!({ "object": "list", "data": script.models.iter().map(model).collect::<Vec<_>>() }))
        .into_response()
}

async fn ollama_chat(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let answer = match shared.next_answer(&headers, &body) {
        Ok(answer) => answer,
        Err(refusal) => return refusal,
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
    let said = |content: &str| json!({ "role": "assistant", "content": content });
    let pieces = match &answer.act {
        Act::Refuses { code, body } => return refusal(*code, body),
        Act::Embeds(_) => panic!("vectors were scripted, but a chat was asked for"),
        Act::Says { text, thinking, ends } => {
            let mut pieces = Vec::new();
            if let Some(thinking) = thinking {
                pieces.push(line(json!({ "role": "assistant", "content": "", "thinking": thinking }), false));
            }
            pieces.extend(words(text).map(|word| line(said(word), false)));
            let error = format!("{}\n", json!({ "error": "the model runner has ended" }));
            (pieces, ending(*ends, line(said(""), true), error))
        }
        Act::Calls(calls) => {
            let call = |(name, arguments): &(String, Value)| json!({ "function": { "name": name, "arguments": arguments } });
            let mut message = said("");
            message["tool_calls"] = calls.iter().map(call).collect();
            (vec![line(message, false)], End::With(line(said(""), true)))
        }
    };
    streamed("application/x-ndjson", pieces, &answer, shared)
}

async fn openai_chat(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let answer = match shared.next_answer(&headers, &body) {
        Ok(answer) => answer,
        Err(refusal) => return refusal,
    };
    let event = |delta: Value, reason: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        format!("data: {}\n\n", json!({ "object": "chat.completion.chunk", "choices": [choice] }))
    };
    let end = |reason: &str| {
        let usage = json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 });
        let usage = format!("data: {}\n\n", json!({ "choices": [], "usage": usage }));
        format!("{}{usage}data: [DONE]\n\n", event(json!({}), Some(reason)))
    };
    let pieces = match &answer.act {
        Act::Refuses { code, body } => return refusal(*code, body),
        Act::Embeds(_) => panic!("vectors were scripted, but a chat was asked for"),
        Act::Says { text, thinking, ends } => {
            let mut pieces = vec![event(json!({ "role": "assistant", "content": null }), None)];
            if let Some(thinking) = thinking {
                pieces.push(event(json!({ "reasoning_content": thinking }), None));
            }
            pieces.extend(words(text).map(|word| event(json!({ "content": word }), None)));
            let error = json!({ "error": { "message": "the model runner has ended", "code": 500 } });
            (pieces, ending(*ends, end("stop"), format!("data: {error}\n\n")))
        }
        Act::Calls(calls) => {
            let mut pieces = Vec::new();
            for (index, (name, arguments)) in calls.iter().enumerate() {
                let begin = json!({ "name": name, "arguments": "" });
                let begin = json!({ "index": index, "id": format!("id-{index}"), "type": "function", "function": begin });
                pieces.push(event(json!({ "tool_calls": [begin] }), None));
                // Arguments come in pieces, cut anywhere.
                let text: Vec<char> = arguments.to_string().chars().collect();
                for part in text.chunks(5) {
                    let part = json!({ "arguments": part.iter().collect::<String>() });
                    let part = json!({ "index": index, "function": part });
                    pieces.push(event(json!({ "tool_calls": [part] }), None));
                }
            }
            (pieces, End::With(end("tool_calls")))
        }
    };
    streamed("text/event-stream", pieces, &answer, shared)
}

/// A connection that breaks takes with it what was not sent yet, and a script wants its words to arrive.
const TIME_TO_BE_SENT: Duration = Duration::from_millis(50);

/// How a stream ends.
enum End {
    With(String),
    Broken,
    Never,
}

fn ending(ends: Ending, complete: String, error: String) -> End {
    match ends {
        Ending::Complete => End::With(complete),
        Ending::Error => End::With(error),
        Ending::Garbage => End::With("<html>\u{1}not what you asked for</html>\n\n".to_owned()),
        Ending::Cut => End::Broken,
        Ending::Silent => End::Never,
    }
}

/// The words of a text with the blanks behind them, as models write them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ').filter(|word| !word.is_empty())
}

fn streamed(
    media_type: &str,
    (pieces, end): (Vec<String>, End),
    answer: &ScriptedAnswer,
    shared: Arc<Shared>,
) -> Response {
    let (first, each) = (answer.first_token, answer.each_token);
    let said = stream::iter(pieces.into_iter().enumerate()).then(move |(at, piece)| async move {
        tokio::time::sleep(if at == 0 { first } else { each }).await;
        Ok::<_, std::io::Error>(Bytes::from(piece))
    });
    let end: std::pin::Pin<Box<dyn Stream<Item = Result<Bytes, std::io::Error>> + Send>> = match end {
        End::With(text) => Box::pin(stream::iter([Ok(Bytes::from(text))])),
        End::Broken => Box::pin(stream::once(async {
            tokio::time::sleep(TIME_TO_BE_SENT).await;
            Err(std::io::Error::other("cut on purpose"))
        })),
        End::Never => Box::pin(stream::pending()),
    };
    let watch = Watch { shared, is_complete: false };
    let watched = stream::unfold((said.chain(end).boxed(), watch), |(mut pieces, mut watch)| async move {
        match pieces.next().await {
            Some(piece) => {
                // What breaks on purpose was not abandoned.
                if piece.is_err() {
                    watch.completed();
                }
                Some((piece, (pieces, watch)))
            }
            None => {
                watch.completed();
                None
            }
        }
    });
    Response::builder()
        .header("content-type", media_type)
        .body(Body::from_stream(watched))
        .expect("a response with one constant header can be built")
}
