//! A server with a scripted engine and two paired nodes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::ids::NodeConversationId;
use crate::model_call::ModelCall;
use crate::server::{
    CommandCenterServer, Decision, EngineError, EngineModel, EngineTurn, HistoryEntry, NodeEngine,
    NodeRequest, PairedClient, ServerSettings,
};

/// A large model that calls tools natively.
pub(super) const LARGE: EngineModel = EngineModel { calls_natively: true, is_small: false };

/// Decides as the test says, and then answers "ok".
pub(super) struct ScriptedEngine {
    pub(super) model: EngineModel,
    pub(super) decisions: Mutex<VecDeque<Result<Decision, EngineError>>>,
    /// The last entry of the history at each decision.
    pub(super) seen: Mutex<Vec<Option<HistoryEntry>>>,
    /// The conversations that were given up.
    pub(super) given_up: Mutex<Vec<String>>,
    /// A decision waits for this.
    pub(super) gate: Option<Arc<Notify>>,
}

impl Default for ScriptedEngine {
    fn default() -> Self {
        Self {
            model: LARGE,
            decisions: Mutex::default(),
            seen: Mutex::default(),
            given_up: Mutex::default(),
            gate: None,
        }
    }
}

#[async_trait]
impl NodeEngine for ScriptedEngine {
    fn own_tools(&self, _: &str) -> Vec<String> {
        vec!["remember".to_owned()]
    }

    async fn decide(&self, turn: EngineTurn<'_>) -> Result<Decision, EngineError> {
        self.seen.lock().push(turn.history.last().cloned());
        if let Some(gate) = &self.gate {
            gate.notified().await;
        }
        self.decisions.lock().pop_front().unwrap_or_else(|| Ok(Decision::text("ok")))
    }

    fn model(&self) -> EngineModel {
        self.model
    }

    fn words_when_woken(&self) -> String {
        "Yes?".to_owned()
    }

    fn give_up(&self, client: &str, conversation: &NodeConversationId) {
        self.given_up.lock().push(format!("{client} {conversation}"));
    }
}

pub(super) struct Fixture {
    pub(super) server: CommandCenterServer<ScriptedEngine>,
    pub(super) began: Instant,
    pub(super) now: Mutex<Duration>,
}

impl Fixture {
    pub(super) fn new(decisions: impl IntoIterator<Item = Decision>) -> Self {
        let decisions = decisions.into_iter().map(Ok).collect();
        Self::with(
            ScriptedEngine { decisions: Mutex::new(decisions), ..ScriptedEngine::default() },
            ServerSettings::default(),
        )
    }

    pub(super) fn with(engine: ScriptedEngine, settings: ServerSettings) -> Self {
        let server = CommandCenterServer::new(engine, settings);
        let client = |id: &str| PairedClient::new(id, &format!("{id}-secret"));
        server.set_clients(vec![client("kitchen"), client("cellar")]);
        Self { server, began: Instant::now(), now: Mutex::default() }
    }

    pub(super) async fn post_as(&self, client: &str, path: &str, body: &str) -> (u16, Value) {
        let request = NodeRequest {
            method: "POST".to_owned(),
            path: format!("/api/v0/{path}"),
            headers: vec![
                ("Host".to_owned(), "127.0.0.1:7703".to_owned()),
                ("X-API-Key".to_owned(), format!("{client}:{client}-secret")),
            ],
            body: body.as_bytes().to_vec(),
        };
        let now = self.began + *self.now.lock();
        let response = self.server.handle(&request, now).await;
        (response.status, response.body)
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.post_as("kitchen", path, &body.to_string()).await
    }

    pub(super) async fn start(&self) {
        let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}});
        let tool = |name: &str| json!({"type": "function", "function": {"name": name, "description": "", "parameters": parameters}});
        let tools = [tool("weather"), tool("calendar"), tool("remember"), tool("request_validation")];
        let body = json!({"conversation_id": "c", "node_context": {"timezone": "Europe/Oslo"}, "client_tools": tools});
        let started = self.post("conversation/start", body).await;
        assert_eq!(started, (200, json!({"status": "success", "conversation_id": "c"})));
    }

    pub(super) async fn say(&self, words: &str) -> (u16, Value) {
        self.post("voice/command", json!({"voice_command": words, "conversation_id": "c"})).await
    }

    pub(super) async fn go_on(&self, results: Value) -> (u16, Value) {
        self.post("voice/command/continue", json!({"conversation_id": "c", "tool_results": results})).await
    }

    pub(super) fn seen(&self) -> Vec<Option<HistoryEntry>> {
        self.server.engine.seen.lock().clone()
    }
}

pub(super) fn call(id: &str, name: &str, arguments: Value) -> ModelCall {
    let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
    ModelCall { id: id.to_owned(), name: name.to_owned(), arguments }
}

pub(super) fn calls(calls: impl IntoIterator<Item = ModelCall>) -> Decision {
    Decision::Calls { message: None, calls: calls.into_iter().collect() }
}

pub(super) fn says(words: &str) -> Decision {
    Decision::text(words)
}

pub(super) fn asks() -> Decision {
    let options = Some(vec!["Florida".to_owned(), "Carolina".to_owned()]);
    Decision::Ask { question: "Which?".to_owned(), parameter_name: "team".to_owned(), options }
}
