//! `jarvis bridge`: the Ollama bridge with a real server and real tools, for one terminal.
//!
//! It stands beside the assistant: it needs no memory and no microphone. Calls of tools pass the same choke point, with the
//! permissions of the settings, and the owner of the data logs them.

mod user; // who is asked
mod ollama_http; // the server
mod ollama_process; // its process
mod session_tools; // the servers of tools
mod session_pins; // how they described their tools
mod owner_log; // calls that the owner of the data keeps

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bridge::{
    Bridge, BridgeAnswer, BridgeConfig, BridgeError, BridgeOptions, FormatWish, KeywordMode, ModelOptions,
    PromptMemory, ReadTexts, RunnerHost, Supervisor, Timer,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use llm::CancellationToken;
use net::NetError;
use settings::Settings;
use tools::{Approval, ApprovalAnswer, ApprovalRequest, Inquiries, Inquiry, ToolContext};
use vocabulary::{ConversationId, Origin, Private};

use ollama_http::OllamaHttp;
use ollama_process::OllamaProcess;
use session_tools::SessionTools;
pub use user::BridgeUser;

use crate::data_access::data_owner::DataOwnerParts;
use crate::network::contact_log::ContactWriting;
use crate::network::offline::http_client;

/// The parts of a session.
pub struct BridgeSetup {
    /// The configuration of the bridge.
    pub config: BridgeConfig,
    /// The comparison that finds the tool of a prompt; `None` gives no hints.
    pub keywords: Option<KeywordMode>,
    /// The form that replies are asked for in.
    pub format: FormatWish,
    /// The memory of earlier prompts.
    pub memory: PromptMemory,
    /// The user has agreed that Ollama may be started.
    pub may_start_server: bool,
    /// The settings: permissions, the size of the context, and whether the network is off.
    pub settings: Settings,
    /// The one at the terminal.
    pub user: Arc<dyn BridgeUser>,
    /// The way to the owner of the data, who logs the calls. The folder of the data has the list of what is contacted, and the
    /// descriptions of the tools.
    pub owner: Box<dyn Fn() -> DataOwnerParts + Send + Sync>,
}

/// A bridge with its server and its tools.
pub struct BridgeSession {
    bridge: Bridge,
    tools: SessionTools,
    process: Arc<OllamaProcess>,
    contacts: ContactWriting,
    user: Arc<dyn BridgeUser>,
    memory: PromptMemory,
    /// The texts of the conversation.
    read: ReadTexts,
}

impl BridgeSession {
    /// Connects the servers of tools, and waits for their lists of tools. One that fails leaves the others alone. The
    /// language model is not needed before the first prompt.
    ///
    /// # Errors
    ///
    /// There can be no HTTP client.
    pub async fn open(setup: BridgeSetup) -> Result<Self, NetError> {
        let BridgeSetup { config, keywords, format, memory, may_start_server, settings, user, owner } = setup;
        let http = http_client(&settings)?;
        let contacts = ContactWriting::start(&owner().folders.data, http.clone());
        let tools = SessionTools::open(&config.servers, &settings, http.clone(), owner).await;
        let server = Arc::new(OllamaHttp::new(&http, config.address.clone()));
        let process = Arc::new(OllamaProcess::new(config.address, may_start_server, Arc::clone(&user)));
        let supervisor = Supervisor::new(
            Arc::clone(&server) as Arc<dyn bridge::ChatServer>,
            Arc::clone(&process) as Arc<dyn bridge::ServerProcess>,
            Arc::new(RealTime),
        );
        let options = BridgeOptions {
            model: ModelOptions {
                model: config.model,
                temperature: Some(config.temperature),
                max_tokens: Some(config.max_tokens),
                context_cap: u32::try_from(settings.llm.context_tokens).unwrap_or(u32::MAX),
            },
            system_prompt: config.system_prompt,
            keywords,
            format,
            memory,
        };
        let bridge = Bridge::new(options, server, supervisor);
        Ok(Self { bridge, tools, process, contacts, user, memory, read: ReadTexts::default() })
    }

    /// Names and descriptions of the tools, as the model reads them.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tools.offered.specs.iter().map(|tool| (tool.name.as_str(), tool.description.as_str()))
    }

    /// The servers of tools that do not work or describe tools otherwise than before, each as a sentence.
    pub fn server_problems(&self) -> Vec<String> {
        self.tools.problems()
    }

    /// Answers a prompt. Dropping the future stops it.
    ///
    /// # Errors
    ///
    /// [`BridgeError`]: the server gave no reply. The next prompt may be asked all the same.
    pub async fn ask(&mut self, prompt: &str) -> Result<BridgeAnswer, BridgeError> {
        let prompt = redaction::scrub(prompt);
        let context = ToolContext {
            query: Private(prompt.clone()),
            language: None,
            conversation: ConversationId("bridge".to_owned()),
            origin: Origin::Typed,
            now: Timestamp::now(),
            zone: TimeZone::system(),
            stop: CancellationToken::new(),
            inquiries: Inquiries::default(),
        };
        let mut approval = AskedUser(Arc::clone(&self.user));
        let SessionTools { runner, offered, .. } = &self.tools;
        let read = std::mem::take(&mut self.read);
        let mut host = RunnerHost::new(runner, offered, context, &mut approval, read);
        let answer = self.bridge.ask(&prompt, &offered.specs, &mut host).await;
        // Independent prompts do not see what earlier ones read.
        if self.memory == PromptMemory::Conversation {
            self.read = host.into_read();
        }
        answer
    }

    /// Ends the servers of tools, and Ollama if this session started it. Adds what is left to the list of contacted hosts.
    pub async fn close(self) {
        self.tools.close().await;
        bridge::ServerProcess::end_own(self.process.as_ref()).await;
        self.contacts.end().await;
    }
}

/// Pauses of the real clock.
struct RealTime;

#[async_trait]
impl Timer for RealTime {
    async fn sleep(&self, pause: Duration) {
        tokio::time::sleep(pause).await;
    }
}

/// Asks the one at the terminal.
struct AskedUser(Arc<dyn BridgeUser>);

#[async_trait]
impl Approval for AskedUser {
    async fn ask(&mut self, request: ApprovalRequest) -> ApprovalAnswer {
        self.0.allows_call(request).await
    }

    /// A server of tools that asks for more is told that nobody answers: the next prompt may say it.
    async fn inquire(&mut self, _: Inquiry) -> Option<Private<String>> {
        None
    }
}
