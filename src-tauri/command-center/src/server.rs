//! The server role: nodes send utterances and run tools, our own engine decides. A door passes requests in and answers out.

mod request; // what comes in and goes out
mod settings;
mod access; // who may ask
mod body; // reading JSON bodies
mod client_tool; // the tools of a node
mod engine; // the port
mod conversation; // what is open in a conversation, and its history
mod deciding; // the engine's decisions until the node has to act: start here
mod store; // conversations between requests

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::RwLock;

use crate::bodies::{ConversationAnswer, Health, Pong, Words};
use crate::ids::NodeConversationId;
use crate::utterance::is_noise;
use crate::wire::{API_KEY_HEADER, PREFIX};
use body::{Body, read_continue, read_start};
use conversation::{Conversation, StreamedAnswer};
use deciding::{Answer, decide};
use store::{Lease, NoLease, Store};

pub use access::{PairedClient, client_of_key, is_from_here};
pub use client_tool::ClientTool;
pub use engine::{Decision, EngineError, EngineModel, EngineTurn, HistoryEntry, NodeEngine};
pub use request::{NodeRequest, NodeResponse};
pub use settings::ServerSettings;

/// Longest body of a request. Source: two hundred tools with long descriptions are a quarter of it.
pub const MAX_REQUEST_BYTES: usize = 1024 * 1024;

/// Most requests at the same time. They wait for the language model in turn, so each costs its body and its history.
const MAX_REQUESTS: usize = 128;

/// Answers nodes. Holds the conversations; they are forgotten ten minutes after they were last used.
pub struct CommandCenterServer<E> {
    engine: E,
    settings: RwLock<ServerSettings>,
    clients: RwLock<Vec<PairedClient>>,
    store: Store,
    running: AtomicUsize,
}

/// The routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Health,
    Ping,
    Start,
    Command,
    CommandStream,
    Continue,
    ContinueStream,
    Acknowledge,
    WakeResponse,
    End,
}

impl Route {
    fn from_path(path: &str) -> Option<Self> {
        if path == "/health" {
            return Some(Self::Health);
        }
        Some(match path.strip_prefix(PREFIX)? {
            "/health" => Self::Health,
            "/ping" => Self::Ping,
            "/conversation/start" => Self::Start,
            "/conversation/end" => Self::End,
            "/voice/command" => Self::Command,
            "/voice/command/stream" => Self::CommandStream,
            "/voice/command/continue" => Self::Continue,
            "/voice/command/continue/stream" => Self::ContinueStream,
            "/voice/acknowledge" => Self::Acknowledge,
            "/wake-response" => Self::WakeResponse,
            _ => return None,
        })
    }

    fn method(self) -> &'static str {
        if matches!(self, Self::Health | Self::Ping) { "GET" } else { "POST" }
    }
}

/// Counts a request while it runs.
struct RunningRequest<'a>(&'a AtomicUsize);

impl Drop for RunningRequest<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl<E: NodeEngine> CommandCenterServer<E> {
    /// Nobody may ask yet: see [`CommandCenterServer::set_clients`].
    pub fn new(engine: E, settings: ServerSettings) -> Self {
        Self {
            engine,
            settings: RwLock::new(settings),
            clients: RwLock::default(),
            store: Store::default(),
            running: AtomicUsize::new(0),
        }
    }

    /// Takes over changed settings.
    pub fn configure(&self, settings: ServerSettings) {
        *self.settings.write() = settings;
    }

    /// Sets who may ask. A client that is missing is refused from now on.
    pub fn set_clients(&self, clients: Vec<PairedClient>) {
        *self.clients.write() = clients;
    }

    /// Forgets conversations that were not used for ten minutes. To be called now and then: requests forget only what is in
    /// their way.
    pub fn forget_expired(&self, now: Instant) {
        self.store.forget_expired(now);
    }

    /// The engine that decides.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// Answers a request. The answer is JSON whatever happens.
    ///
    /// Dropping the future abandons the request; its conversation stays as far as it came.
    pub async fn handle(&self, request: &NodeRequest, now: Instant) -> NodeResponse {
        let (host, origin) = (request.header("host"), request.header("origin"));
        if !is_from_here(host, origin, &self.settings.read().hosts) {
            return NodeResponse::detail(403, "requests of web pages and for other hosts are refused");
        }
        let path = request.path.split('?').next().unwrap_or_default();
        let Some(route) = Route::from_path(path) else {
            return NodeResponse::detail(404, "there is no such route");
        };
        if request.method != route.method() {
            return NodeResponse::detail(405, &format!("this route is for {}", route.method()));
        }
        match route {
            Route::Health => return NodeResponse::new(200, Health { status: "healthy".to_owned() }),
            Route::Ping => return NodeResponse::new(200, Pong { message: "pong".to_owned() }),
            _ => {}
        }
        let key = request.header(API_KEY_HEADER).unwrap_or_default();
        let Some(client) = client_of_key(key, &self.clients.read()) else {
            return NodeResponse::detail(401, "the key of this node is missing or unknown");
        };
        if route == Route::WakeResponse {
            return NodeResponse::new(200, Words { text: self.engine.words_when_woken() });
        }
        if request.body.len() > MAX_REQUEST_BYTES {
            return NodeResponse::detail(413, "the body is too large");
        }
        let running = RunningRequest(&self.running);
        if self.running.fetch_add(1, Ordering::AcqRel) >= MAX_REQUESTS {
            return NodeResponse::detail(429, "too many requests are running");
        }
        let body = match Body::read(&request.body) {
            Ok(body) => body,
            Err(malformed) => return malformed,
        };
        let response = self.routed(route, &client, body, now).await;
        drop(running);
        response
    }

    async fn routed(&self, route: Route, client: &str, body: Body, now: Instant) -> NodeResponse {
        let answered = match route {
            Route::Start => self.start(client, body, now),
            Route::End => self.end(client, body),
            Route::Acknowledge => Self::acknowledge(body),
            Route::Continue => self.go_on(client, body, now, route).await,
            Route::ContinueStream => {
                let answered = self.go_on(client, body, now, route).await;
                answered.map(NodeResponse::into_stream_answer).map_err(NodeResponse::into_stream_answer)
            }
            Route::Command => self.command(client, body, now).await,
            Route::CommandStream => {
                let answered = self.command(client, body, now).await;
                answered.map(NodeResponse::into_stream_answer).map_err(NodeResponse::into_stream_answer)
            }
            Route::Health | Route::Ping | Route::WakeResponse => unreachable!("answered before"),
        };
        answered.unwrap_or_else(|refused| refused)
    }

    fn start(&self, client: &str, body: Body, now: Instant) -> Result<NodeResponse, NodeResponse> {
        let start = read_start(body, &self.engine.own_tools(client))?;
        let id = start.conversation;
        let conversation = Conversation::new(&id, start.timezone, start.tools);
        self.store.insert(client, &id, conversation, now).map_err(refused_lease)?;
        self.engine.give_up(client, &id);
        let answer = ConversationAnswer { status: "success".to_owned(), conversation_id: id.0 };
        Ok(NodeResponse::new(200, answer))
    }

    fn end(&self, client: &str, mut body: Body) -> Result<NodeResponse, NodeResponse> {
        let id = body.conversation();
        let id = body.finish(id)?;
        self.store.remove(client, &id);
        self.engine.give_up(client, &id);
        Ok(NodeResponse::new(200, ConversationAnswer { status: "ok".to_owned(), conversation_id: id.0 }))
    }

    fn acknowledge(mut body: Body) -> Result<NodeResponse, NodeResponse> {
        let command = body.text("voice_command");
        let command = body.finish(command)?;
        let language = languages::detect(&command).map(|detection| detection.language);
        let text =
            languages::messages::Messages::for_language(language.as_ref()).reply_one_moment().to_owned();
        Ok(NodeResponse::new(200, Words { text }))
    }

    async fn command(
        &self,
        client: &str,
        mut body: Body,
        now: Instant,
    ) -> Result<NodeResponse, NodeResponse> {
        let fields = body.text("voice_command").zip(body.conversation());
        let (utterance, id) = body.finish(fields)?;
        let mut conversation = self.lease(client, &id, now)?;
        conversation.close_open_calls();
        conversation.streamed = None;
        let answer = if is_noise(&utterance) {
            Answer::NotForMe
        } else {
            conversation.push_utterance(&utterance);
            decide(&self.engine, &mut conversation, client, true).await
        };
        Ok(NodeResponse::new(200, answer.body(&utterance, &id, &self.settings.read())))
    }

    /// Goes on with results. The answer of a stream is kept, for a node that takes sound alone there and sends its results
    /// again on the route without one. It is given once: the same words again may answer the next question.
    async fn go_on(
        &self,
        client: &str,
        body: Body,
        now: Instant,
        route: Route,
    ) -> Result<NodeResponse, NodeResponse> {
        let continued = read_continue(body)?;
        let (id, results) = (continued.conversation.clone(), continued.digest());
        let mut conversation = self.lease(client, &id, now)?;
        let kept = conversation.streamed.take_if(|kept| route == Route::Continue && kept.results == results);
        if let Some(kept) = kept {
            return Ok(NodeResponse::new(200, &kept.answer));
        }
        conversation.take_results(continued)?;
        conversation.streamed = None;
        let answer = decide(&self.engine, &mut conversation, client, false).await;
        let answer = answer.body("[continuation]", &id, &self.settings.read());
        let response = NodeResponse::new(200, &answer);
        let is_stream = route == Route::ContinueStream;
        conversation.streamed = is_stream.then_some(StreamedAnswer { results, answer });
        Ok(response)
    }

    fn lease(&self, client: &str, id: &NodeConversationId, now: Instant) -> Result<Lease<'_>, NodeResponse> {
        let lease = self.store.lease(client, id, now);
        match lease {
            Err(NoLease::Unknown) if self.settings.read().accepts_unstarted => {
                let conversation = Conversation::new(id, None, Vec::new());
                self.store.insert(client, id, conversation, now).map_err(refused_lease)?;
                self.store.lease(client, id, now).map_err(refused_lease)
            }
            lease => lease.map_err(refused_lease),
        }
    }
}

fn refused_lease(reason: NoLease) -> NodeResponse {
    match reason {
        NoLease::Unknown => {
            NodeResponse::detail(422, "the conversation is unknown or has expired: start it first")
        }
        NoLease::Busy => NodeResponse::detail(409, "the conversation is busy with another request"),
    }
}

#[cfg(test)]
mod tests;
