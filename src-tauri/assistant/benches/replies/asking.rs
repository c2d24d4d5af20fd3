//! Asks an assistant with a home of its own.

use std::sync::Arc;
use std::time::Instant;

use assistant::{Assistant, AssistantBuilder, Instance, ReplyRequest};
use llm::ChatModel;
use memory::{Memory, MessageContent, NewMessage, Participant};
use serde_json::json;
use testkit::{FixedClock, InMemorySecrets};
use vocabulary::{ConversationId, ReplyEvent, ToolOutcome};

use crate::answer::Answer;
use crate::embedder::SharedEmbedder;
use crate::scenarios::Scenario;

/// When every scenario happens: a Monday.
const NOW: &str = "2025-09-15T17:53:00Z";

/// The same in microseconds since 1970 UTC, a day before.
const YESTERDAY: i64 = 1_757_872_380_000_000;

/// The name of the server of tools that a scenario brings.
const SERVER: &str = "desk";

/// The state of the model before a scenario.
#[derive(Debug, Clone, Copy)]
pub struct Preparation<'a> {
    /// It always takes the most likely token.
    pub is_greedy: bool,
    /// It has read what prompts begin with, as in a program that runs.
    pub reads_in_advance: bool,
    /// Settings by key: texts, or values in JSON.
    pub set: &'a [(String, String)],
}

/// Asks all turns of a scenario.
pub async fn ask(
    scenario: &Scenario,
    model: Arc<dyn ChatModel>,
    embedder: Option<Arc<SharedEmbedder>>,
    preparation: Preparation<'_>,
) -> Vec<Answer> {
    let folder = tempfile::tempdir().unwrap();
    let folders = settings::Folders::under(folder.path());
    let mut settings = json!({ "location": { "place": "Leeds, United Kingdom", "time_zone": "UTC" } });
    if preparation.is_greedy {
        settings["llm"] = json!({ "temperature": 0.0 });
    }
    if !scenario.served.is_empty() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/tool_servers/served.mjs");
        let tools = serde_json::to_string(&scenario.served).unwrap();
        let server = json!({ "command": "node", "args": [script, tools], "idle_timeout_secs": 0 });
        settings["mcp"] = json!({ "servers": { SERVER: server } });
        settings["tools"] = json!({ "allowed": [SERVER] });
    }
    for (key, value) in preparation.set {
        let (section, name) =
            key.split_once('.').unwrap_or_else(|| panic!("{key}: write SECTION.NAME=VALUE"));
        settings[section][name] = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
    }
    std::fs::create_dir_all(&folders.config).unwrap();
    std::fs::write(folders.config.join("settings.json"), settings.to_string()).unwrap();
    tell(scenario, &folders.data).await;
    let mut builder = AssistantBuilder::new(folders.clone())
        .without_audio()
        .for_one_question()
        .with_secrets(Arc::new(InMemorySecrets::default()))
        .with_clock(Arc::new(FixedClock::at(NOW)))
        .with_model(model);
    if preparation.reads_in_advance {
        builder = builder.ready_first();
    }
    if let Some(embedder) = &embedder {
        builder = builder.with_embedder(Arc::clone(embedder) as _);
    }
    let assistant = Assistant::start(builder, Instance::claim(&folders.data).unwrap()).await.unwrap();
    if !scenario.served.is_empty() {
        // Tools that are listed late would be missing from the first turn.
        let servers = assistant.refresh_tool_servers().await;
        let listed: Vec<String> = servers.into_iter().flat_map(|server| server.tools).collect();
        let is_listed = |name: &str| listed.contains(&format!("{SERVER}__{name}"));
        assert!(scenario.served.iter().all(|tool| is_listed(&tool.name)), "{}: {listed:?}", scenario.id);
    }
    if let Some(embedder) = &embedder {
        embedder.settle().await;
    }
    let mut answers = Vec::new();
    for turn in &scenario.turns {
        answers.push(ask_one(&assistant, &turn.say).await);
    }
    assistant.shut_down().await;
    answers
}

/// Stores what the user said the day before.
async fn tell(scenario: &Scenario, data: &std::path::Path) {
    if scenario.memory.is_empty() {
        return;
    }
    std::fs::create_dir_all(data).unwrap();
    let memory = Memory::open(data.join("jarvis.db").as_path()).unwrap().memory;
    // A minute apart: of messages of one speaker at one time, one is stored.
    let times = (0..).map(|minute| YESTERDAY + minute * 60_000_000);
    let told = scenario.memory.iter().zip(times).map(|(text, at)| NewMessage {
        conversation: ConversationId::main(),
        channel: "typed".into(),
        content: MessageContent::new(Participant::User, text, at),
        is_in_diary: true,
    });
    memory.add_messages(told.collect()).await.unwrap();
}

async fn ask_one(assistant: &Assistant, text: &str) -> Answer {
    let began = Instant::now();
    let request = ReplyRequest::new(text, ConversationId::main());
    let mut reply = assistant.open_reply(request).await.unwrap();
    let mut answer = Answer::default();
    let mut calls = Vec::new();
    while let Some(event) = reply.next().await {
        match event {
            ReplyEvent::Delta { .. } => {
                answer.first_text.get_or_insert_with(|| began.elapsed());
            }
            ReplyEvent::ToolStarted { call, tool } => calls.push((call, tool)),
            ReplyEvent::ToolFinished { call, outcome } => {
                let tool = calls.iter().find(|(known, _)| *known == call).map(|(_, tool)| tool.clone());
                answer.tools.push((tool.unwrap_or_default(), outcome == ToolOutcome::Succeeded));
            }
            ReplyEvent::Traced(trace) => {
                answer.asked_for = trace.model_calls.iter().map(|call| call.role.clone()).collect();
                answer.offered = format!("{}: {}", trace.selection, trace.tools.join(", "));
                let stops = trace.tool_calls.iter().filter(|call| call.tool == "stop");
                answer.tools.extend(stops.map(|call| (call.tool.clone(), true)));
            }
            // Nobody is there to allow anything.
            ReplyEvent::Question(question) => {
                let no = question.options.last().cloned().unwrap_or_default();
                let _ = reply.answer(vocabulary::Answer { question: question.id, text: no.into() });
            }
            ReplyEvent::Done(response) => answer.text = response.text.map(|text| text.0).unwrap_or_default(),
            _ => {}
        }
    }
    answer.took = began.elapsed();
    answer
}
