//! The registration of a conversation and its tools.

use serde_json::{Value, json};

use super::config::ClientConfig;
use crate::bodies::{NodeContext, StartRequest};
use crate::command::Command;
use crate::ids::NodeConversationId;
use crate::wire::{CommandCenterHttp, Endpoint};

/// Most tools that are registered. Source: our own limit; more would fill the prompt of any model.
const MAX_COMMANDS: usize = 200;

/// Registers a new conversation before its first utterance is known, so that the server has read the tools by then. Returns
/// the id, which [`CommandCenterClient::answer`](super::CommandCenterClient::answer) goes on with as with that of a
/// follow-up; `None` if the server did not register it.
pub async fn prepare(
    http: &dyn CommandCenterHttp,
    commands: Vec<Command>,
    config: &ClientConfig,
) -> Option<NodeConversationId> {
    let id = NodeConversationId::fresh();
    register(http, &id, commands, config).await.then_some(id)
}

/// Registers the tools of a conversation. Returns `false` if the server did not.
pub(super) async fn register(
    http: &dyn CommandCenterHttp,
    id: &NodeConversationId,
    mut commands: Vec<Command>,
    config: &ClientConfig,
) -> bool {
    if commands.len() > MAX_COMMANDS {
        tracing::warn!(commands = commands.len(), "only the first {MAX_COMMANDS} tools are registered");
        commands.truncate(MAX_COMMANDS);
    }
    let context = NodeContext { timezone: Some(config.timezone.clone()), room: config.room.clone() };
    let body = json!(StartRequest {
        conversation_id: id.0.clone(),
        node_context: Some(context),
        client_tools: Some(commands.iter().map(Command::openai_tool).collect()),
        available_commands: Some(commands),
    });
    let mut answer = http.post(Endpoint::Start, &body).await;
    if answer.is_none() {
        // Registering twice changes nothing, so a lost connection gets a second try.
        answer = http.post(Endpoint::Start, &body).await;
    }
    let is_registered = answer.as_ref().is_some_and(|answer| {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        answer.status == 200 && body["status"] == json!("success")
    });
    if !is_registered {
        let status = answer.map(|answer| answer.status);
        tracing::warn!(?status, "the Command Center did not register the tools");
    }
    is_registered
}
