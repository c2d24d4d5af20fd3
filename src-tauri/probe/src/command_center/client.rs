//! The client against a scripted server.

use std::collections::VecDeque;

use ::command_center::{
    AnswerShape, ClientConfig, ClientReply, Command, CommandCenterClient, CommandCenterHttp, Endpoint,
    NodeUser, ReplyText, ToolRun, ToolRunner, ValidationRequest, WireResponse,
};
use async_trait::async_trait;
use languages::messages::Messages;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::values;
use crate::suite::{block_on, read};

#[derive(Deserialize)]
struct Input {
    utterance: String,
    start_ok: Option<bool>,
    #[serde(default)]
    responses: Vec<Option<Response>>,
    tools: Option<Map<String, Value>>,
    user_answer: Option<String>,
}

#[derive(Deserialize)]
struct Response {
    status: u16,
    #[serde(default)]
    body: Value,
}

pub(super) fn run(input: Value) -> Result<Value, String> {
    let input: Input = read(input)?;
    let script = Script {
        is_start_ok: input.start_ok.unwrap_or(true),
        responses: Mutex::new(input.responses.into()),
        tools: input.tools.unwrap_or_default(),
        user_answer: input.user_answer,
        posts: Mutex::default(),
        ran: Mutex::default(),
    };
    for tool in script.tools.values() {
        values::tool_run(tool)?;
    }
    let messages = Messages::english();
    let config = ClientConfig {
        timezone: "UTC".to_owned(),
        room: None,
        answer_shape: AnswerShape::default(),
        nobody_to_ask: messages.node_answer_of_nobody().to_owned(),
    };
    let client = CommandCenterClient::new(&script, &script, &script, config);
    let reply = block_on(client.answer(&input.utterance, None));
    Ok(script.output(reply))
}

struct Script {
    is_start_ok: bool,
    responses: Mutex<VecDeque<Option<Response>>>,
    tools: Map<String, Value>,
    user_answer: Option<String>,
    posts: Mutex<Vec<Value>>,
    ran: Mutex<Vec<Value>>,
}

impl Script {
    fn output(self, reply: ClientReply) -> Value {
        let message = match reply.text {
            ReplyText::Words(words) => json!(words),
            ReplyText::Stock(_) => json!({ "kind": "stock" }),
            ReplyText::Nothing => json!(""),
        };
        json!({
            "success": reply.is_success,
            "message": message,
            "spoken": reply.is_spoken,
            "wait_for_input": reply.waits_for_input,
            "posts": self.posts.into_inner(),
            "ran": self.ran.into_inner(),
        })
    }
}

#[async_trait]
impl CommandCenterHttp for Script {
    async fn post(&self, endpoint: Endpoint, body: &Value) -> Option<WireResponse> {
        let name = match endpoint {
            Endpoint::Start => "start",
            Endpoint::Command => "command",
            Endpoint::Continue => "continue",
            Endpoint::Acknowledge | Endpoint::End | Endpoint::Speak => return None,
        };
        self.posts.lock().push(json!({ "endpoint": name, "body": body }));
        let id = body["conversation_id"].as_str().unwrap_or_default();
        let (status, answer) = match (endpoint, self.is_start_ok) {
            (Endpoint::Start, true) => {
                (200, json!({ "status": "success", "conversation_id": id }).to_string())
            }
            (Endpoint::Start, false) => (500, json!({ "detail": "the script refuses it" }).to_string()),
            _ => {
                let response = self.responses.lock().pop_front().flatten()?;
                let body = values::plain(&response.body).to_string();
                (response.status, body.replace("$conversation_id", id))
            }
        };
        Some(WireResponse { status, body: answer.into_bytes() })
    }
}

#[async_trait]
impl ToolRunner for Script {
    fn commands(&self) -> Vec<Command> {
        let command = |name: &String| Command { command_name: name.clone(), ..Command::default() };
        self.tools.keys().map(command).collect()
    }

    async fn run(&self, name: &str, arguments: &Map<String, Value>) -> ToolRun {
        let Some(tool) = self.tools.get(name) else { return ToolRun::UnknownTool(name.to_owned()) };
        self.ran.lock().push(json!({ "name": name, "arguments": arguments }));
        values::tool_run(tool).unwrap_or_else(ToolRun::Raised)
    }
}

#[async_trait]
impl NodeUser for Script {
    async fn ask(&self, _: &ValidationRequest) -> Option<String> {
        self.user_answer.clone()
    }

    // Nothing takes three seconds here.
    fn acknowledge(&self, _: &str) {}
}
