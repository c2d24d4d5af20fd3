//! One whole reply with scripted models and tools.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ::memory::{Dialogue, MemoryService, Participant};
use ::replying::{ModelTask, ReplyEngine, ReplyParts, ReplyingConfig, RoleModels, Toolbox};
use async_trait::async_trait;
use futures::{StreamExt, stream};
use jiff::Timestamp;
use llm::{
    CancellationToken, ChatEvent, ChatModel, ChatRequest, ChatStream, FinishReason, LlmError, Message,
    ModelIdentity, ProviderKind, ToolCall, ToolCallId, Usage,
};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use settings::{ContextPosition, Preparation, ProtocolChoice, SelectionStrategy, Settings};
use tokio::sync::watch;
use tools::selection::ToolIndex;
use tools::{
    AuditLog, AuditedCall, Declaration, Effect, PermissionStore, Permissions, Tool, ToolContext,
    ToolRegistry, ToolResult, ToolRunner, ToolSource, ToolsConfig, Transition,
};
use vocabulary::{
    Clock, ConversationId, Language, Origin, Private, Query, Replier, ReplyControls, ReplyEvent, ReplyId,
    ReplyTrace,
};

use crate::message::{WireMessage, message};
use crate::suite::{Suite, read};

/// The time of every reply. No answer depends on it.
const NOW: i64 = 1_763_812_800_000_000;

/// The tools of the scenarios with their arguments.
const TOOLS: [(&str, &[&str]); 11] = [
    ("screenshot", &[]),
    ("webSearch", &["search_query"]),
    ("localFiles", &["operation", "path", "content", "glob", "recursive"]),
    ("fetchWebPage", &["url", "include_links"]),
    ("logMeal", &["meal"]),
    ("fetchMeals", &["since_utc", "until_utc"]),
    ("deleteMeal", &["id"]),
    ("refreshMCPTools", &[]),
    ("getWeather", &["location"]),
    ("stop", &[]),
    ("toolSearchTool", &["query"]),
];

pub(super) fn suite(name: &str) -> Option<Suite> {
    (name == "engine_scenarios.run").then_some(run as Suite)
}

#[derive(Deserialize)]
struct Input {
    model: String,
    query: String,
    router_reply: Option<String>,
    planner_reply: Option<String>,
    #[serde(default)]
    resolver_replies: Vec<Option<String>>,
    #[serde(default)]
    digest_replies: HashMap<String, Option<String>>,
    #[serde(default)]
    chat_replies: VecDeque<WireMessage>,
    #[serde(default)]
    http_400_on_tools: bool,
    #[serde(default)]
    tool_results: HashMap<String, WireResult>,
    #[serde(default)]
    history: Vec<(String, Value)>,
    agentic_max_turns: Option<u64>,
}

#[derive(Clone, Deserialize)]
struct WireResult {
    success: bool,
    reply_text: Option<String>,
    error_message: Option<String>,
}

/// The questions to the scripted parts.
#[derive(Default)]
struct Asked {
    chat: Vec<ChatRequest>,
    helpers: Vec<&'static str>,
    tools: Vec<Value>,
}

type Record = Arc<Mutex<Asked>>;

/// The replies of one role.
enum Script {
    Chat {
        replies: VecDeque<WireMessage>,
        rejects_tools: bool,
    },
    /// The same for every call; `None` fails.
    Always(Option<String>),
    Each(VecDeque<Option<String>>),
}

/// The model of one role.
struct RoleModel {
    role: ModelTask,
    name: String,
    script: Mutex<Script>,
    record: Record,
}

/// An error that is not worth a second try: the expected flow has none.
fn no_response() -> LlmError {
    LlmError::Status { code: 422, detail: "the script has no reply here".into() }
}

fn failing() -> LlmError {
    LlmError::Failed { detail: "the script has no reply here".into() }
}

fn text_events(text: String) -> Vec<ChatEvent> {
    vec![ChatEvent::Text(text)]
}

#[async_trait]
impl ChatModel for RoleModel {
    async fn chat(&self, request: ChatRequest, _: CancellationToken) -> Result<ChatStream, LlmError> {
        let has_tools = !request.tools.is_empty();
        match self.role {
            ModelTask::Answer => self.record.lock().chat.push(request),
            role => self.record.lock().helpers.push(role.name()),
        }
        let mut events = match &mut *self.script.lock() {
            Script::Chat { rejects_tools: true, .. } if has_tools => {
                return Err(LlmError::ToolsRefused { model: self.name.clone(), detail: "no tools".into() });
            }
            Script::Chat { replies, .. } => {
                answer_events(message(replies.pop_front().ok_or_else(no_response)?))
            }
            Script::Always(reply) => text_events(reply.clone().ok_or_else(failing)?),
            Script::Each(replies) => text_events(replies.pop_front().flatten().ok_or_else(failing)?),
        };
        events.push(ChatEvent::Finished(Usage::unknown(FinishReason::Stop)));
        Ok(stream::iter(events.into_iter().map(Ok)).boxed())
    }

    fn identity(&self) -> ModelIdentity {
        ModelIdentity::new(ProviderKind::Ollama, self.name.clone())
    }

    async fn warm_up(&self, _: &[Message]) -> Result<(), LlmError> {
        Ok(())
    }
}

fn answer_events(answer: Message) -> Vec<ChatEvent> {
    let mut events: Vec<ChatEvent> = answer.thinking.map(ChatEvent::Thinking).into_iter().collect();
    events.push(ChatEvent::Text(answer.content));
    if !answer.tool_calls.is_empty() {
        let calls = answer.tool_calls.into_iter().enumerate().map(|(at, call)| match call.id.0.is_empty() {
            true => ToolCall { id: ToolCallId(format!("call-{at}")), ..call },
            false => call,
        });
        events.push(ChatEvent::ToolCalls(calls.collect()));
    }
    events
}

/// A tool of a scenario with the result of the request.
struct ScenarioTool {
    declaration: Declaration,
    result: Option<WireResult>,
    record: Record,
}

#[async_trait]
impl Tool for ScenarioTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    async fn run(&self, arguments: Map<String, Value>, _: &ToolContext) -> ToolResult {
        let name = self.declaration.name.as_str();
        self.record.lock().tools.push(json!([name, arguments]));
        if name == "stop" {
            return ToolResult { success: true, transition: Some(Transition::Stop), ..ToolResult::default() };
        }
        let Some(result) = &self.result else { return ToolResult::done("ok") };
        let text = result.reply_text.clone().or_else(|| result.error_message.as_ref().map(|_| String::new()));
        let found = text.iter().flat_map(|text| text.lines()).filter_map(|line| line.split_once(':'));
        let found = found.map(|(name, _)| name.trim().to_owned()).filter(|name| is_tool(name)).collect();
        ToolResult {
            success: result.success,
            transition: (name == "toolSearchTool").then_some(Transition::OfferTools(found)),
            text: result.reply_text.clone().map(Private),
            ..ToolResult::default()
        }
    }
}

fn is_tool(name: &str) -> bool {
    TOOLS.iter().any(|(tool, _)| *tool == name)
}

struct Now;

impl Clock for Now {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(NOW).unwrap_or_default()
    }
}

fn run(input: Value) -> Result<Value, String> {
    let input: Input = read(input)?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let (service, opening) = MemoryService::start(&folder.path().join("probe.db"), |_| {});
        let (dialogue, writing) = Dialogue::start(&service);
        let storing = tokio::spawn(async { tokio::join!(opening, writing) });
        dialogue.opened(std::time::Duration::from_secs(5)).await;
        let output = scenario(input, dialogue, service.watch()).await;
        drop(service);
        storing.await.map_err(|error| error.to_string())?;
        output
    })
}

async fn scenario(
    input: Input,
    dialogue: Dialogue,
    memory: watch::Receiver<Option<::memory::Memory>>,
) -> Result<Value, String> {
    let record = Record::default();
    let engine = engine(&input, &record, &dialogue, memory)?;
    let conversation = ConversationId::main();
    replay(&input.history, &engine, &dialogue, &conversation)?;
    let window = std::time::Duration::from_secs(300);
    let before = dialogue.recent(&conversation, window, NOW).len();
    let query = Query {
        reply: ReplyId(1),
        text: input.query,
        language: Language::new("en"),
        origin: Origin::Voice,
        conversation: conversation.clone(),
        replaces_previous: false,
    };
    let (controls, _answers) = ReplyControls::new(CancellationToken::new());
    let events: Vec<ReplyEvent> = engine.reply(query, controls).collect().await;
    let remembered = dialogue.recent(&conversation, window, NOW + 1_000_000);
    let remembered: Vec<&str> = remembered
        .iter()
        .skip(before)
        .map(|said| match said.participant {
            Participant::User => "user",
            Participant::Assistant => "assistant",
        })
        .collect();
    let kept = engine.kept_tool_results(&conversation);
    Ok(output(&events, &record.lock(), &remembered, kept))
}

/// The engine of the scenario. Its models and tools are scripted and write to `record`.
fn engine(
    input: &Input,
    record: &Record,
    dialogue: &Dialogue,
    memory: watch::Receiver<Option<::memory::Memory>>,
) -> Result<ReplyEngine, String> {
    let settings = settings_of(input);
    let mut config = ReplyingConfig::try_from(&settings).map_err(|error| error.to_string())?;
    // The expected flow has no retry without tools, and no rules that judge an answer or give it.
    config.retries_plainly = false;
    config.guards_answers = false;
    let (_, config) = watch::channel(config);
    Ok(ReplyEngine::new(ReplyParts {
        models: models(input, record),
        dialogue: dialogue.clone(),
        memory,
        embedder: None,
        toolbox: toolbox(tools(&input.tool_results, record), &settings)?,
        clock: Arc::new(Now),
        config,
    }))
}

fn settings_of(input: &Input) -> Settings {
    let mut settings = Settings::default();
    settings.replying.preparation = Preparation::Staged;
    settings.replying.tool_protocol = ProtocolChoice::NativeOrText;
    settings.replying.context_position = ContextPosition::SystemTop;
    settings.replying.fast_path = false;
    settings.tools.selection_strategy = SelectionStrategy::Llm;
    settings.location.time_zone = "UTC".into();
    settings.replying.max_turns = input.agentic_max_turns.unwrap_or(settings.replying.max_turns);
    settings
}

/// Puts the messages and tool results before the query into the dialogue.
fn replay(
    history: &[(String, Value)],
    engine: &ReplyEngine,
    dialogue: &Dialogue,
    conversation: &ConversationId,
) -> Result<(), String> {
    for (at, (kind, value)) in history.iter().enumerate() {
        let at = NOW - 1_000 + at as i64;
        let say = |participant| -> Result<(), String> {
            let text: String = read(value.clone())?;
            dialogue.say(conversation, &Origin::Voice, participant, &text, at);
            Ok(())
        };
        match kind.as_str() {
            "user" => say(Participant::User)?,
            "assistant" => say(Participant::Assistant)?,
            _ => {
                let messages: Vec<WireMessage> = read(value.clone())?;
                let messages: Vec<Message> = messages.into_iter().map(message).collect();
                engine.keep_tool_results(conversation, &messages, false);
            }
        }
    }
    Ok(())
}

fn output(events: &[ReplyEvent], asked: &Asked, remembered: &[&str], kept: usize) -> Value {
    let empty = ReplyTrace::default();
    let trace = events.iter().find_map(|event| match event {
        ReplyEvent::Traced(trace) => Some(trace.as_ref()),
        _ => None,
    });
    let text = answer(events);
    let has_plan =
        asked.chat.first().is_some_and(|request| request.messages[0].content.contains("ACTION PLAN"));
    json!({
        "reply": text.map(|text| match kind(&text, events) {
            Some(kind) => json!({ "kind": kind }),
            None => json!(text),
        }),
        "executed_tools": asked.tools,
        "chat_calls": asked.chat.len(),
        "native_tools_param": asked.chat.iter().map(|request| !request.tools.is_empty()).collect::<Vec<_>>(),
        "aux_llm_calls": asked.helpers,
        "plan_in_system_prompt": has_plan,
        "selection_source": trace.unwrap_or(&empty).selection,
        "remembered": remembered,
        "tool_groups_stored": kept,
    })
}

/// The answer, without what the model said before it called a tool. If nothing came behind the tools, that is the answer.
fn answer(events: &[ReplyEvent]) -> Option<String> {
    let whole = events.iter().find_map(|event| match event {
        ReplyEvent::Done(response) => response.text.as_ref().map(|text| text.0.clone()),
        _ => None,
    })?;
    let behind_tools = events.rsplit(|event| matches!(event, ReplyEvent::ToolFinished { .. })).next();
    let deltas = behind_tools.into_iter().flatten().filter_map(|event| match event {
        ReplyEvent::Delta { text } => Some(text.as_str()),
        _ => None,
    });
    let last = deltas.collect::<String>().trim().to_owned();
    Some(if !last.is_empty() && whole.ends_with(&last) { last } else { whole })
}

/// Which of our own texts it is, if it is one.
fn kind(text: &str, events: &[ReplyEvent]) -> Option<&'static str> {
    let tells_failure = |event: &ReplyEvent| match event {
        ReplyEvent::Failed(trouble) => text == format!("{} {}", trouble.message, trouble.remedy),
        _ => false,
    };
    events.iter().any(tells_failure).then_some("generic_apology").or_else(|| ::replying::apology(text))
}

fn models(input: &Input, record: &Record) -> RoleModels {
    let digest = |name: &str| Script::Always(input.digest_replies.get(name).cloned().flatten());
    RoleModels::new(|role| {
        let script = match role {
            ModelTask::Answer => {
                Script::Chat { replies: input.chat_replies.clone(), rejects_tools: input.http_400_on_tools }
            }
            ModelTask::Router => Script::Always(input.router_reply.clone()),
            ModelTask::Planner => Script::Always(input.planner_reply.clone()),
            ModelTask::Resolver => Script::Each(input.resolver_replies.iter().cloned().collect()),
            ModelTask::Extractor => digest("extractor"),
            ModelTask::MemoryDigest => digest("memory_digest"),
            ModelTask::ResultDigest => digest("tool_digest"),
            ModelTask::ActivityDigest => digest("max_turn_digest"),
            ModelTask::Combined | ModelTask::Profile | ModelTask::Place | ModelTask::Explanation => {
                Script::Always(None)
            }
        };
        let (name, record) = (input.model.clone(), Arc::clone(record));
        Arc::new(RoleModel { role, name, script: Mutex::new(script), record })
    })
}

/// Stores nothing: a scenario asks nobody, and its record has its calls.
struct NoStore;

impl AuditLog for NoStore {
    fn note(&self, _: AuditedCall) {}
}

#[async_trait]
impl PermissionStore for NoStore {
    async fn allow_always(
        &self,
        _: &::tools::Declaration,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}

fn toolbox(tools: Vec<Arc<dyn Tool>>, settings: &Settings) -> Result<Toolbox, String> {
    let registry = Arc::new(ToolRegistry::new());
    registry.add(tools).map_err(|error| error.to_string())?;
    let config = ToolsConfig::from(settings);
    let permissions = Arc::new(Permissions::new(config.clone(), Arc::new(NoStore)));
    let index = Arc::new(ToolIndex::new(Arc::clone(&registry), Arc::clone(&permissions)));
    let (_, config) = watch::channel(config);
    Ok(Toolbox::new(index, Arc::new(ToolRunner::new(registry, permissions, Arc::new(NoStore))), config))
}

fn tools(results: &HashMap<String, WireResult>, record: &Record) -> Vec<Arc<dyn Tool>> {
    let tools = TOOLS.iter().map(|(name, arguments)| {
        let properties: Map<String, Value> =
            arguments.iter().map(|key| ((*key).to_owned(), json!({}))).collect();
        let tool = ScenarioTool {
            declaration: Declaration {
                name: (*name).to_owned(),
                description: (*name).to_owned(),
                parameters: json!({ "type": "object", "properties": properties }),
                keywords: Vec::new(),
                examples: Vec::new(),
                effect: Effect::ReadOnly,
                timeout: std::time::Duration::from_secs(5),
                source: ToolSource::BuiltIn,
            },
            result: results.get(*name).cloned(),
            record: Arc::clone(record),
        };
        Arc::new(tool) as Arc<dyn Tool>
    });
    tools.collect()
}

#[cfg(test)]
mod tests;
