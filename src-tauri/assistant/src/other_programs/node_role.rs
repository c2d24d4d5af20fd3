//! The client role of the Command Center protocol: this computer as a node of a Command Center, which answers in place of the
//! language model here.
//!
//! The settings decide for each reply. What a Command Center asks for passes the choke point of the tools, and only tools
//! that the user exposes are named to it. The dialogue is written here, once, as the reply engine writes it.
//!
//! Source: the description of the Command Center protocol, "Client role in our app".

mod config;
mod reply; // one reply: start here
mod own_answers; // utterances that need no Command Center
mod center_http; // the way to it
mod center_voice; // its voice
mod sound_parts; // the sound of it, as it comes
mod exposed_tools; // the tools that it may call
mod asked_user; // its questions
mod conversations; // the open ones, and one registered ahead
mod troubles; // failures in words
mod wake; // registers while the user speaks

use std::sync::Arc;
use std::time::Instant;

use command_center::{ClientConfig, CommandCenterClient, NodeConversationId};
use futures::future::BoxFuture;
use languages::messages::Messages;
use memory::Dialogue;
use net::Http;
use replying::{ReplyEngine, ReplyingConfig, stream_of_reply};
use settings::SecretStore;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::ToolRunner;
use vocabulary::{
    Clock, ConversationId, DeliveryTrace, Language, Query, Replier, ReplyControls, ReplyId, ReplyStream,
    Trouble,
};

use center_http::CenterHttp;
pub(crate) use config::NodeConfig;
use conversations::{OpenConversations, Registration};
use exposed_tools::exposed_commands;
pub(crate) use wake::follow_wake;

/// The parts of the client role.
pub(crate) struct NodeParts {
    pub http: Http,
    /// Holds the key of the node.
    pub secrets: Arc<dyn SecretStore>,
    pub runner: Arc<ToolRunner>,
    /// The engine here.
    pub engine: ReplyEngine,
    pub dialogue: Dialogue,
    pub clock: Arc<dyn Clock>,
    /// `None` while no Command Center answers.
    pub config: watch::Receiver<Option<NodeConfig>>,
    pub replying: watch::Receiver<ReplyingConfig>,
    pub tasks: TaskTracker,
    pub stop: CancellationToken,
}

/// The client role: answers through the Command Center of the settings, or with the engine here. Clones share it.
#[derive(Clone)]
pub(crate) struct NodeRole {
    parts: Arc<NodeParts>,
    conversations: Arc<OpenConversations>,
}

impl NodeRole {
    /// No conversation is open yet.
    pub fn new(parts: NodeParts) -> Self {
        Self { parts: Arc::new(parts), conversations: Arc::default() }
    }

    fn config(&self) -> Option<NodeConfig> {
        self.parts.config.borrow().clone()
    }

    async fn connect(&self, config: &NodeConfig) -> CenterHttp {
        CenterHttp::new(&self.parts.http, &self.parts.secrets, config).await
    }

    /// The user calls us: registers a conversation while the query is still spoken, unless one goes on.
    fn prepare(&self) {
        let Some(config) = self.config() else { return };
        let now = Instant::now();
        let main = ConversationId::main();
        if !self.conversations.needs_preparation(&main, &config, now) {
            return;
        }
        let (role, registered) = (self.clone(), config.clone());
        let registering = self.parts.tasks.spawn(async move {
            let http = role.connect(&registered).await;
            let commands = exposed_commands(&role.parts.runner, &registered);
            let client_config = role.client_config(&registered, Messages::english());
            let preparing = command_center::prepare(&http, commands, &client_config);
            let id = role.parts.stop.run_until_cancelled(preparing).await.flatten();
            (http, id)
        });
        self.conversations.set_prepared(Registration { config, at: now, registering });
    }

    /// Tells the Command Center that a conversation is over, while nobody waits for it.
    fn end(&self, id: NodeConversationId, config: &NodeConfig) {
        let (role, config) = (self.clone(), config.clone());
        self.parts.tasks.spawn(async move {
            let http = role.connect(&config).await;
            let ending = CommandCenterClient::end(&http, &id);
            role.parts.stop.run_until_cancelled(ending).await;
        });
    }

    fn client_config(&self, config: &NodeConfig, sentences: &'static Messages) -> ClientConfig {
        ClientConfig {
            timezone: config.zone_name(),
            room: config.room.clone(),
            answer_shape: config.answer_shape,
            nobody_to_ask: sentences.node_answer_of_nobody().to_owned(),
        }
    }
}

impl Replier for NodeRole {
    fn reply(&self, query: Query, controls: ReplyControls) -> ReplyStream {
        // Another program has tools and limits of its own, which a Command Center knows nothing of.
        match self.config().filter(|_| controls.caller.program.is_none()) {
            None => self.parts.engine.reply(query, controls),
            Some(config) => stream_of_reply(|events| self.clone().answer(config, query, controls, events)),
        }
    }

    fn explain<'r>(
        &'r self,
        troubles: &'r [Trouble],
        language: Option<&'r Language>,
    ) -> BoxFuture<'r, Option<String>> {
        self.parts.engine.explain(troubles, language)
    }

    fn note_delivery(&self, conversation: &ConversationId, reply: ReplyId, delivery: DeliveryTrace) {
        self.parts.dialogue.note_delivery(conversation, reply, delivery);
    }
}
