//! The tools that a Command Center may call: those that the user exposes. Its calls pass the choke point like all others.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use command_center::{Command, CommandResponse, ToolRun};
use llm::ToolCall;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tools::{CallOutcome, CallStatus, Declaration, Taint, ToolContext, ToolRunner, ToolSource};
use vocabulary::{Attachment, ReplyEvent, ToolCallId, ToolCallTrace, words_to_speak};

use super::NodeConfig;
use super::asked_user::AskedUser;

/// The commands of the tools that the settings expose and do not forbid.
pub(super) fn exposed_commands(runner: &ToolRunner, config: &NodeConfig) -> Vec<Command> {
    let tools = runner.callable().into_iter().filter(|tool| is_exposed(tool, config));
    tools.map(command).collect()
}

fn command(tool: Declaration) -> Command {
    let requests = tool.examples.into_iter().map(|example| (example.request, example.arguments));
    let command = Command::from_schema(&tool.name, &tool.description, &tool.parameters);
    command.asked_for_by(tool.keywords, requests)
}

fn is_exposed(tool: &Declaration, config: &NodeConfig) -> bool {
    let by_server = matches!(&tool.source, ToolSource::Server(server) if config.exposed.contains(server));
    by_server || config.exposed.contains(&tool.name)
}

/// The tools of one reply.
pub(super) struct ExposedTools<'r> {
    pub runner: &'r ToolRunner,
    pub config: &'r NodeConfig,
    pub context: ToolContext,
    pub user: &'r AskedUser,
    pub events: mpsc::Sender<ReplyEvent>,
    calls: AtomicUsize,
    collected: Mutex<CollectedResults>,
}

/// Results of calls for the user's own screen, and how the calls ended.
#[derive(Default)]
pub(super) struct CollectedResults {
    pub calls: Vec<ToolCallTrace>,
    pub attachments: Vec<Attachment>,
    pub voice_requested: bool,
    /// Words of tools to speak.
    pub voice_text: Option<String>,
}

impl<'r> ExposedTools<'r> {
    /// No call has run yet.
    pub fn new(
        runner: &'r ToolRunner,
        config: &'r NodeConfig,
        context: ToolContext,
        user: &'r AskedUser,
        events: mpsc::Sender<ReplyEvent>,
    ) -> Self {
        Self {
            runner,
            config,
            context,
            user,
            events,
            calls: AtomicUsize::new(0),
            collected: Mutex::default(),
        }
    }

    /// The names of the tools that the Command Center may call.
    pub fn names(&self) -> Vec<String> {
        exposed_commands(self.runner, self.config).into_iter().map(|command| command.command_name).collect()
    }

    /// All that calls came to.
    pub fn into_collected(self) -> CollectedResults {
        self.collected.into_inner()
    }

    /// Runs a call that the user's own words ask for.
    pub async fn run_own(&self, tool: &str, arguments: Map<String, Value>) -> CallOutcome {
        let call = self.call(tool, arguments);
        let mut approval = self.user.of_user().await;
        self.told(&call, self.runner.run(&call, Taint::Clean, &self.context, &mut *approval)).await
    }

    fn call(&self, tool: &str, arguments: Map<String, Value>) -> ToolCall {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let id = ToolCallId(format!("call_{number}"));
        ToolCall { id, name: tool.to_owned(), arguments: Value::Object(arguments) }
    }

    /// Tells the screen that a call runs and how it ended, and collects what it came to.
    async fn told(&self, call: &ToolCall, running: impl Future<Output = CallOutcome>) -> CallOutcome {
        let (id, tool) = (call.id.clone(), call.name.clone());
        self.send(ReplyEvent::ToolStarted { call: id.clone(), tool: tool.clone() }).await;
        let mut outcome = running.await;
        let ended = outcome.status.tool_outcome();
        self.send(ReplyEvent::ToolFinished { call: id, outcome: ended }).await;
        let took: Duration = outcome.elapsed;
        let mut collected = self.collected.lock();
        collected.calls.push(ToolCallTrace { tool, outcome: ended, took });
        collected.attachments.append(&mut outcome.result.attachments);
        collected.voice_requested |= outcome.result.voice_requested;
        let words = outcome.result.voice_text.take().map(|words| words.0);
        collected.voice_text = words_to_speak(collected.voice_text.take(), words);
        outcome
    }

    async fn send(&self, event: ReplyEvent) {
        // The reader may be gone; the call runs all the same.
        let _ = self.events.send(event).await;
    }
}

#[async_trait]
impl command_center::ToolRunner for ExposedTools<'_> {
    fn commands(&self) -> Vec<Command> {
        exposed_commands(self.runner, self.config)
    }

    async fn run(&self, name: &str, arguments: &Map<String, Value>) -> ToolRun {
        let is_offered = self.commands().iter().any(|command| command.command_name == name);
        if !is_offered {
            return ToolRun::UnknownTool(name.chars().take(80).collect());
        }
        let call = self.call(name, arguments.clone());
        let mut approval = self.user.of_center().await;
        // The model that asks is not ours: what does more than read needs the user's word each time.
        let running = self.runner.run(&call, Taint::AfterUntrusted, &self.context, &mut approval);
        tool_run(self.told(&call, running).await)
    }
}

/// The outcome in the words of the Command Center protocol. A tool that can word its answer does so for the user, too.
fn tool_run(outcome: CallOutcome) -> ToolRun {
    let text = outcome.result.text.map(|text| text.0);
    if outcome.status != CallStatus::Done {
        return ToolRun::Raised(text.unwrap_or_else(|| format!("{} failed", outcome.tool)));
    }
    let mut data = Map::new();
    if let Some(answer) = outcome.result.answer {
        data.insert("message".to_owned(), json!(answer.0));
    }
    if let Some(text) = text {
        data.insert("result".to_owned(), json!(text));
    }
    ToolRun::Answered(CommandResponse {
        success: true,
        context_data: Some(data),
        ..CommandResponse::default()
    })
}
