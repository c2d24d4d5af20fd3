//! The server role with a scripted engine.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use ::command_center::{
    CommandCenterServer, Decision, EngineError, EngineModel, EngineTurn, ModelCall, NodeConversationId,
    NodeEngine, NodeRequest, PairedClient, ServerSettings, decode_arguments,
};
use async_trait::async_trait;
use languages::messages::Messages;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};

use super::values;
use crate::suite::{block_on, read};

/// Sent to where our door would listen.
const HOST: &str = "127.0.0.1:7703";

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    nodes: BTreeMap<String, String>,
    #[serde(default)]
    model_script: VecDeque<Reply>,
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Reply {
    text: Option<String>,
    asks: Option<Asks>,
    calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Asks {
    question: String,
    #[serde(default)]
    parameter_name: String,
    options: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: Option<String>,
    name: String,
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize)]
struct Step {
    request: Option<RequestInput>,
    advance_s: Option<f64>,
}

#[derive(Deserialize)]
struct RequestInput {
    method: String,
    path: String,
    #[serde(default)]
    headers: Option<BTreeMap<String, String>>,
    #[serde(default)]
    body: Value,
}

pub(super) fn run(input: Value) -> Result<Value, String> {
    let input: Input = read(input)?;
    let server = CommandCenterServer::new(Script(Mutex::new(input.model_script)), ServerSettings::default());
    let client = |(id, secret): (String, String)| PairedClient::new(id, &secret);
    server.set_clients(input.nodes.into_iter().map(client).collect());
    let mut now = Instant::now();
    let mut responses = Vec::new();
    for step in input.steps {
        if let Some(seconds) = step.advance_s {
            now += Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
        }
        if let Some(request) = step.request {
            let response = block_on(server.handle(&request.into_request(), now));
            responses.push(json!({ "status": response.status, "body": response.body }));
        }
    }
    Ok(json!({ "responses": responses }))
}

impl RequestInput {
    fn into_request(self) -> NodeRequest {
        let mut headers: Vec<(String, String)> = self.headers.unwrap_or_default().into_iter().collect();
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            headers.push(("Host".to_owned(), HOST.to_owned()));
        }
        let body = match values::plain(&self.body) {
            Value::Null => String::new(),
            Value::String(text) => text,
            other => other.to_string(),
        };
        NodeRequest { method: self.method, path: self.path, headers, body: body.into_bytes() }
    }
}

/// Decides as the script says, and then answers "ok".
struct Script(Mutex<VecDeque<Reply>>);

#[async_trait]
impl NodeEngine for Script {
    fn own_tools(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    async fn decide(&self, _: EngineTurn<'_>) -> Result<Decision, EngineError> {
        let Some(reply) = self.0.lock().pop_front() else { return Ok(Decision::text("ok")) };
        if let Some(calls) = reply.calls {
            let calls = calls.into_iter().map(Call::into_model_call).collect();
            return Ok(Decision::Calls { message: reply.text, calls });
        }
        Ok(match reply.asks {
            Some(Asks { question, parameter_name, options }) => {
                Decision::Ask { question, parameter_name, options }
            }
            None => Decision::text(reply.text.unwrap_or_default()),
        })
    }

    /// Scripts have calls, as a large model makes them.
    fn model(&self) -> EngineModel {
        EngineModel { calls_natively: true, is_small: false }
    }

    fn words_when_woken(&self) -> String {
        Messages::english().node_woken().to_owned()
    }

    fn give_up(&self, _: &str, _: &NodeConversationId) {}
}

impl Call {
    fn into_model_call(self) -> ModelCall {
        let id = self.id.unwrap_or_default();
        ModelCall { id, name: self.name, arguments: decode_arguments(&self.arguments) }
    }
}
