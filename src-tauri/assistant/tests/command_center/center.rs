//! A Command Center on loopback: our own server role with a scripted engine, or scripted bodies.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use axum::{Json, Router, response::IntoResponse};
use command_center::{
    CommandCenterServer, Decision, EngineError, EngineModel, EngineTurn, MAX_REQUEST_BYTES, ModelCall,
    NodeConversationId, NodeEngine, NodeRequest, PairedClient, ServerSettings,
};
use futures::StreamExt;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

/// A scripted answer to a command or to results.
#[derive(Debug, Clone)]
pub enum Wire {
    Json(u16, Value),
    Text(&'static str),
    /// Longer than an answer may be.
    Long,
    /// Leads to another address.
    Redirect,
    /// The connection breaks off.
    Broken,
    /// Waits until the test lets it go.
    Late,
}

pub fn says(words: &str) -> Wire {
    Wire::Json(200, json!({"stop_reason": "complete", "assistant_message": words}))
}

pub fn calls(tool: &str, arguments: Value) -> Decision {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let call = ModelCall { id: "call-1".to_owned(), name: tool.to_owned(), arguments };
    Decision::Calls { message: None, calls: vec![call] }
}

/// A running Command Center. Remembers what was posted.
pub struct Center {
    url: String,
    posts: mpsc::UnboundedReceiver<(String, Value)>,
    seen: Vec<(String, Value)>,
    key: Arc<Mutex<Option<String>>>,
    /// Lets late answers go.
    pub released: Arc<Notify>,
    serving: JoinHandle<()>,
}

enum Mind {
    Engine(CommandCenterServer<ScriptedEngine>),
    Script { answers: Mutex<VecDeque<Wire>>, voice: Voice },
}

/// The way in which it speaks.
#[derive(Debug, Clone)]
enum Voice {
    None,
    /// This sound for every text.
    Sound(Vec<u8>),
    /// The same, but the second half waits until the test lets it go.
    InHalves(Vec<u8>),
    /// Takes no more texts.
    OverLimit,
}

struct CenterState {
    mind: Mind,
    posted: mpsc::UnboundedSender<(String, Value)>,
    key: Arc<Mutex<Option<String>>>,
    released: Arc<Notify>,
}

struct ScriptedEngine(Mutex<VecDeque<Decision>>);

#[async_trait]
impl NodeEngine for ScriptedEngine {
    fn own_tools(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    async fn decide(&self, _: EngineTurn<'_>) -> Result<Decision, EngineError> {
        self.0.lock().pop_front().ok_or_else(|| EngineError("the script is over".to_owned()))
    }

    fn model(&self) -> EngineModel {
        EngineModel { calls_natively: true, is_small: false }
    }

    fn words_when_woken(&self) -> String {
        "Yes?".to_owned()
    }

    /// Nothing waits in a script.
    fn give_up(&self, _: &str, _: &NodeConversationId) {}
}

impl Center {
    /// The duration of each sound. No voice here makes a sound of it.
    pub const SOUND: Duration = Duration::from_millis(1_234);

    /// Our own server role, whose engine decides this. It knows the node `desk` with the key `secret`.
    pub async fn deciding(decisions: impl IntoIterator<Item = Decision>) -> Self {
        let engine = ScriptedEngine(Mutex::new(decisions.into_iter().collect()));
        let server = CommandCenterServer::new(engine, ServerSettings::default());
        server.set_clients(vec![PairedClient::new("desk", "secret")]);
        Self::start(Mind::Engine(server)).await
    }

    /// Registers every conversation, and answers commands and results with these bodies.
    pub async fn answering(answers: impl IntoIterator<Item = Wire>) -> Self {
        Self::with_voice(answers, Voice::None).await
    }

    /// The same, with a voice: each text takes [`Self::SOUND`].
    pub async fn speaking(answers: impl IntoIterator<Item = Wire>) -> Self {
        Self::with_voice(answers, Voice::Sound(sound())).await
    }

    /// The same, but the second half of each sound waits for [`Self::released`].
    pub async fn speaking_in_halves(answers: impl IntoIterator<Item = Wire>) -> Self {
        Self::with_voice(answers, Voice::InHalves(sound())).await
    }

    /// The same, but it takes no more texts to speak.
    pub async fn over_its_limit(answers: impl IntoIterator<Item = Wire>) -> Self {
        Self::with_voice(answers, Voice::OverLimit).await
    }

    async fn with_voice(answers: impl IntoIterator<Item = Wire>, voice: Voice) -> Self {
        Self::start(Mind::Script { answers: Mutex::new(answers.into_iter().collect()), voice }).await
    }

    async fn start(mind: Mind) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (posted, posts) = mpsc::unbounded_channel();
        let key = Arc::new(Mutex::new(None));
        let released = Arc::new(Notify::new());
        let shared =
            Arc::new(CenterState { mind, posted, key: Arc::clone(&key), released: Arc::clone(&released) });
        let routes = Router::new().fallback(answer).with_state(shared);
        let serving = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        Self { url, posts, seen: Vec::new(), key, released, serving }
    }

    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Ends it. Returns the address that nobody listens at any more.
    pub async fn close(self) -> String {
        self.serving.abort();
        // An error says that it was aborted.
        let _ = self.serving.await;
        self.url
    }

    /// All posts so far: the path behind the prefix, and the body.
    pub async fn posts(&mut self) -> Vec<(String, Value)> {
        while let Ok(post) = self.posts.try_recv() {
            self.seen.push(post);
        }
        self.seen.clone()
    }

    /// The paths of the same.
    pub async fn paths(&mut self) -> Vec<String> {
        self.posts().await.into_iter().map(|(path, _)| path).collect()
    }

    /// The path of the next post, which is waited for.
    pub async fn next_path(&mut self) -> String {
        self.posts.recv().await.unwrap().0
    }

    /// The newest body that was posted to a path.
    pub async fn post(&mut self, path: &str) -> Value {
        let posts = self.posts().await;
        posts.into_iter().rev().find(|(known, _)| known == path).unwrap().1
    }

    /// The credentials of the newest request.
    pub fn key(&self) -> Option<String> {
        self.key.lock().clone()
    }
}

async fn answer(State(shared): State<Arc<CenterState>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, MAX_REQUEST_BYTES).await.unwrap();
    let path = head.uri.path().strip_prefix("/api/v0/").unwrap_or_default().to_owned();
    let key = head.headers.get("x-api-key").and_then(|key| key.to_str().ok());
    *shared.key.lock() = key.map(str::to_owned);
    // The test may have ended.
    let _ = shared.posted.send((path.clone(), serde_json::from_slice(&body).unwrap_or_default()));
    match &shared.mind {
        Mind::Engine(server) => {
            let headers = head.headers.iter();
            let headers =
                headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap_or("").to_owned()));
            let request = NodeRequest {
                method: head.method.to_string(),
                path: head.uri.to_string(),
                headers: headers.collect(),
                body: body.to_vec(),
            };
            let answer = server.handle(&request, Instant::now()).await;
            (StatusCode::from_u16(answer.status).unwrap(), Json(answer.body)).into_response()
        }
        Mind::Script { answers, voice } => match path.as_str() {
            "conversation/start" => Json(json!({"status": "success"})).into_response(),
            "voice/acknowledge" => Json(json!({"text": "One moment."})).into_response(),
            "voice/command" | "voice/command/continue" => {
                let answer = answers.lock().pop_front();
                if matches!(answer, Some(Wire::Late)) {
                    shared.released.notified().await;
                }
                scripted(answer)
            }
            "media/tts/speak/stream" => spoken(voice, &shared.released),
            _ => StatusCode::NOT_FOUND.into_response(),
        },
    }
}

/// The samples of every sound: 8,000 a second, of 16 bits.
fn sound() -> Vec<u8> {
    [0x00, 0x10].repeat(Center::SOUND.as_millis() as usize * 8)
}

fn spoken(voice: &Voice, released: &Arc<Notify>) -> Response<Body> {
    let rate = [("X-Audio-Sample-Rate", "8000")];
    match voice {
        Voice::None => StatusCode::NOT_FOUND.into_response(),
        Voice::OverLimit => StatusCode::TOO_MANY_REQUESTS.into_response(),
        Voice::Sound(sound) => (rate, sound.clone()).into_response(),
        Voice::InHalves(sound) => {
            let (first, second) = sound.split_at(sound.len() / 2);
            let (first, second) = (Bytes::copy_from_slice(first), Bytes::copy_from_slice(second));
            let released = Arc::clone(released);
            let second = futures::stream::once(async move {
                released.notified().await;
                Ok::<Bytes, std::io::Error>(second)
            });
            let halves = futures::stream::iter([Ok(first)]).chain(second);
            (rate, Body::from_stream(halves)).into_response()
        }
    }
}

fn scripted(answer: Option<Wire>) -> Response<Body> {
    match answer.unwrap_or_else(|| Wire::Json(500, json!({"detail": "the script is over"}))) {
        Wire::Json(status, body) => (StatusCode::from_u16(status).unwrap(), Json(body)).into_response(),
        Wire::Text(text) => text.into_response(),
        Wire::Long => {
            let message = "x".repeat(command_center::MAX_RESPONSE_BYTES);
            Json(json!({"stop_reason": "complete", "assistant_message": message})).into_response()
        }
        Wire::Redirect => {
            (StatusCode::TEMPORARY_REDIRECT, [("location", "/api/v0/elsewhere")]).into_response()
        }
        Wire::Late => scripted(Some(says("Here it is."))),
        Wire::Broken => {
            let broken = std::io::Error::other("the cable was pulled");
            Body::from_stream(futures::stream::iter([Err::<Bytes, _>(broken)])).into_response()
        }
    }
}
