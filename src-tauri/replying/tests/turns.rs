//! Turns of model and tools in detail, with a scripted model and scripted tools: what the model was asked, what ran, and
//! what the user got. `tests/flow` has a row for each branch of a reply.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use llm::{LlmError, Role as Author};
use memory::{Dialogue, MemoryService};
use replying::{ReplyEngine, ReplyParts, ReplyingConfig, RoleModels};
use rstest::rstest;
use serde_json::{Value, json};
use settings::{Preparation, ProtocolChoice, SelectionStrategy, Settings};
use testkit::{FixedClock, ScriptedModel, ScriptedTool, ToolRun, Turn, toolbox};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tools::{Effect, Tool, ToolResult, Transition};
use vocabulary::{
    Attachment, AttachmentKind, ConversationId, Origin, OutgoingResponse, Private, Query, Replier,
    ReplyControls, ReplyEvent, ReplyId, ToolOutcome,
};

struct Fixture {
    engine: ReplyEngine,
    model: Arc<ScriptedModel>,
    _folder: tempfile::TempDir,
}

/// A fixture with a large model, and tools that are always offered.
fn fixture(turns: Vec<Turn>, tools: Vec<Arc<dyn Tool>>) -> Fixture {
    desk_with("big-model-70b", turns, tools, |_| {})
}

fn desk_with(
    model: &str,
    turns: Vec<Turn>,
    tools: Vec<Arc<dyn Tool>>,
    change: impl FnOnce(&mut Settings),
) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let (service, opening) = MemoryService::start(&folder.path().join("jarvis.db"), |_| {});
    tokio::spawn(opening);
    let (dialogue, writing) = Dialogue::start(&service);
    tokio::spawn(writing);
    let model = Arc::new(ScriptedModel::new(turns).named(model));
    let mut settings = Settings::default();
    settings.location.time_zone = "UTC".into();
    settings.tools.selection_strategy = SelectionStrategy::All;
    change(&mut settings);
    let (_, config) = watch::channel(ReplyingConfig::try_from(&settings).unwrap());
    let engine = ReplyEngine::new(ReplyParts {
        models: RoleModels::new(|_| model.clone()),
        dialogue,
        memory: service.watch(),
        embedder: None,
        toolbox: toolbox(tools, &settings),
        clock: Arc::new(FixedClock::at("2025-09-15T17:53:00Z")),
        config,
    });
    Fixture { engine, model, _folder: folder }
}

impl Fixture {
    async fn events(&self, text: &str) -> Vec<ReplyEvent> {
        let query = Query {
            reply: ReplyId(1),
            text: text.into(),
            language: None,
            origin: Origin::Voice,
            conversation: ConversationId::main(),
            replaces_previous: false,
        };
        let (controls, _answers) = ReplyControls::new(CancellationToken::new());
        self.engine.reply(query, controls).collect().await
    }

    async fn ask(&self, text: &str) -> OutgoingResponse {
        match self.events(text).await.pop() {
            Some(ReplyEvent::Done(response)) => response,
            other => panic!("the last event is not the end: {other:?}"),
        }
    }

    async fn text(&self, text: &str) -> String {
        self.ask(text).await.text.map(|text| text.0).unwrap_or_default()
    }

    /// The messages of a request after the system message.
    fn told(&self, request: usize) -> Vec<String> {
        let messages = &self.model.asked()[request].messages[1..];
        messages.iter().map(|message| format!("{}: {}", message.role.as_str(), message.content)).collect()
    }
}

fn weather(results: Vec<ToolResult>) -> Arc<ScriptedTool> {
    let parameters = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    let runs = results.into_iter().map(ToolRun::Returns);
    Arc::new(ScriptedTool::new("getWeather", Effect::ReadOnly, parameters).runs(runs))
}

fn called(tool: &ScriptedTool) -> Vec<Value> {
    tool.calls().into_iter().map(Value::Object).collect()
}

fn stop() -> Arc<ScriptedTool> {
    let stopped = ToolResult { success: true, transition: Some(Transition::Stop), ..ToolResult::default() };
    Arc::new(ScriptedTool::reading("stop").runs([ToolRun::Returns(stopped)]))
}

fn map_of(name: &str) -> ToolResult {
    let file = Attachment {
        kind: AttachmentKind::Image,
        filename: name.into(),
        mime_type: "image/png".into(),
        bytes: Private(b"the bytes of the map".as_slice().into()),
        caption: None,
    };
    ToolResult { attachments: vec![file], ..ToolResult::done("a map") }
}

#[tokio::test]
async fn files_of_the_calls_of_one_reply_come_with_its_text() {
    let tool = weather(vec![map_of("leeds.png"), map_of("york.png"), map_of("hull.png")]);
    let call = |place: &str| Turn::calls("getWeather", json!({ "location": place }));
    let fixture = fixture(
        vec![call("Leeds"), call("York"), Turn::says("Two maps."), call("Hull"), Turn::says("One map.")],
        vec![tool],
    );

    let first = fixture.ask("show me Leeds and York").await;
    let second = fixture.ask("show me Hull").await;

    let names = |response: &OutgoingResponse| {
        response.attachments.iter().map(|file| file.filename.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        (first.text.as_deref().map(String::as_str), names(&first)),
        (Some("Two maps."), vec!["leeds.png".into(), "york.png".into()])
    );
    assert_eq!(
        (second.text.as_deref().map(String::as_str), names(&second)),
        (Some("One map."), vec!["hull.png".into()])
    );
    assert!(
        !format!("{:?}", fixture.model.asked()).contains("the bytes of the map"),
        "the model never sees them"
    );
}

#[tokio::test]
async fn tool_result_reaches_the_next_turn_and_the_answer_the_user() {
    let tool = weather(vec![ToolResult::done("rain, 11 C")]);
    let fixture = fixture(
        vec![Turn::calls("getWeather", json!({ "location": "Leeds" })), Turn::says("Rain, I am afraid.")],
        vec![tool.clone()],
    );

    let events = fixture.events("do I need a coat in Leeds?").await;

    assert_eq!(called(&tool), [json!({ "location": "Leeds" })]);
    assert_eq!(fixture.told(1)[1..], ["assistant: ", "tool: rain, 11 C"]);
    let steps: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            ReplyEvent::ToolStarted { tool, .. } => Some(format!("started {tool}")),
            ReplyEvent::ToolFinished { outcome, .. } => Some(format!("{outcome:?}")),
            ReplyEvent::Sentence { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(steps, ["started getWeather", "Succeeded", "Rain, I am afraid."]);
}

#[tokio::test]
async fn tools_are_offered_natively_to_a_large_model_and_only_grow_in_a_conversation() {
    let fixture =
        fixture(vec![Turn::says("Hello."), Turn::says("Hello again.")], vec![weather(vec![]), stop()]);

    fixture.ask("good day").await;
    fixture.ask("and again").await;

    let names = |request: usize| -> Vec<String> {
        fixture.model.asked()[request].tools.iter().map(|tool| tool.name.clone()).collect()
    };
    assert_eq!(names(0), ["stop", "getWeather"]);
    assert_eq!(names(1), names(0));
}

#[rstest]
#[case::slow(3_000, "One moment. Rain.")]
#[case::quick(1_000, "Rain.")]
#[tokio::test(start_paused = true)]
async fn voice_says_once_that_a_tool_takes_its_time(#[case] millis: u64, #[case] spoken: &str) {
    let run = || ToolRun::Waits(Duration::from_millis(millis), ToolResult::done("rain"));
    let parameters = json!({ "type": "object", "properties": { "location": { "type": "string" } } });
    let tool = ScriptedTool::new("getWeather", Effect::ReadOnly, parameters).runs([run(), run()]);
    let calls = |place: &str| Turn::calls("getWeather", json!({ "location": place }));
    let fixture = fixture(vec![calls("Leeds"), calls("York"), Turn::says("Rain.")], vec![Arc::new(tool)]);

    let events = fixture.events("weather in Leeds and York?").await;

    let said: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            ReplyEvent::Sentence { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(said.join(" "), spoken);
    let Some(ReplyEvent::Done(response)) = events.last() else { panic!("the last event is not the end") };
    assert_eq!(response.text.as_ref().unwrap().as_str(), "Rain.", "it is no part of the reply");
}

#[rstest]
#[case::three(3, &["stop", "toolSearchTool", "getWeather"])]
#[case::none(0, &["stop", "getWeather"])]
#[tokio::test]
async fn search_for_tools_is_offered_while_one_is_allowed(#[case] searches: u64, #[case] expected: &[&str]) {
    let tools: Vec<Arc<dyn Tool>> =
        vec![weather(vec![]), stop(), Arc::new(ScriptedTool::reading("toolSearchTool"))];
    let fixture = desk_with("big-model-70b", vec![Turn::says("Hello.")], tools, |settings| {
        settings.tools.selection_strategy = SelectionStrategy::All;
        settings.replying.tool_protocol = ProtocolChoice::Native;
        settings.replying.preparation = Preparation::Local;
        settings.tools.search_max_calls = searches;
    });

    fixture.ask("good day").await;

    let asked = fixture.model.asked();
    let names: Vec<&str> = asked[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, expected);
}

#[tokio::test]
async fn failed_tool_is_told_as_failed_and_offered_again() {
    let tool = weather(vec![ToolResult::failed("which town?")]);
    let fixture = fixture(
        vec![Turn::calls("getWeather", json!({})), Turn::says("Which town?"), Turn::says("Rain.")],
        vec![tool],
    );

    let events = fixture.events("weather tomorrow?").await;
    fixture.ask("I'm in London").await;

    let outcomes: Vec<ToolOutcome> = events
        .iter()
        .filter_map(|event| match event {
            ReplyEvent::ToolFinished { outcome, .. } => Some(*outcome),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [ToolOutcome::Failed]);
    // The follow-up sees the call and its result.
    assert_eq!(
        fixture.told(2)[..4],
        ["user: weather tomorrow?", "assistant: ", "tool: which town?", "assistant: Which town?"]
    );
}

#[tokio::test]
async fn stop_ends_in_silence_and_nothing_is_remembered() {
    let fixture = fixture(vec![Turn::calls("stop", json!({})), Turn::says("Hello.")], vec![stop()]);

    let response = fixture.ask("that will be all").await;
    fixture.ask("good day").await;

    assert_eq!(response.text, None);
    assert_eq!(fixture.model.asked()[1].messages.len(), 2, "the dialogue is empty");
}

#[tokio::test]
async fn rejected_tools_are_described_in_text_and_the_model_is_remembered() {
    let refused = || LlmError::ToolsRefused { model: "m".into(), detail: "no tools".into() };
    let call = "One moment.\n```tool_call\n{\"name\": \"getWeather\", \"arguments\": {\"location\": \"Leeds\"}}\n```";
    let tool = weather(vec![ToolResult::done("rain")]);
    let fixture = fixture(
        vec![Turn::Refuses(refused()), Turn::says(call), Turn::says("Rain."), Turn::says("Hello.")],
        vec![tool.clone()],
    );

    let text = fixture.text("weather in Leeds?").await;
    fixture.ask("and in York?").await;

    let asked = fixture.model.asked();
    let had_tools: Vec<bool> = asked.iter().map(|request| !request.tools.is_empty()).collect();
    assert_eq!(had_tools, [true, false, false, false]);
    assert_eq!(called(&tool).len(), 1);
    assert_eq!(text, "One moment.\n\nRain.");
    let last = asked[2].messages.last().unwrap();
    assert_eq!(last.role, Author::User);
    assert!(last.content.starts_with("[Tool result: getWeather]\nrain"), "{}", last.content);
}

#[tokio::test]
async fn small_model_chooses_in_an_enforced_form_and_then_answers_freely() {
    let tool = weather(vec![ToolResult::done("rain")]);
    let choice = r#"{"tool": "getWeather", "arguments": {"location": "Leeds"}}"#;
    let fixture = desk_with(
        "tiny-0.5b",
        vec![Turn::says(choice), Turn::says("Rain in Leeds.")],
        vec![tool.clone()],
        |settings| settings.replying.preparation = Preparation::Local,
    );

    let text = fixture.text("weather in Leeds?").await;

    let asked = fixture.model.asked();
    assert!(asked[0].format.is_some() && asked[0].tools.is_empty() && asked[1].format.is_none());
    assert_eq!(called(&tool), [json!({ "location": "Leeds" })]);
    assert_eq!(text, "Rain in Leeds.");
}

#[tokio::test]
async fn tool_whose_arguments_cannot_be_enforced_is_chosen_by_its_name() {
    let refused = LlmError::Unsupported { reason: "the JSON schema cannot be enforced".into() };
    let tool = weather(vec![ToolResult::done("rain"), ToolResult::done("fog")]);
    let choice =
        |place| Turn::says(&json!({ "tool": "getWeather", "arguments": { "location": place } }).to_string());
    let fixture = desk_with(
        "tiny-0.5b",
        vec![
            Turn::Refuses(refused),
            choice("Leeds"),
            Turn::says("Rain in Leeds."),
            choice("York"),
            Turn::says("Fog in York."),
        ],
        vec![tool.clone()],
        |settings| settings.replying.preparation = Preparation::Local,
    );

    fixture.text("weather in Leeds?").await;
    let text = fixture.text("weather in York?").await;

    let asked = fixture.model.asked();
    let schema = |at: usize| &asked[at].format.as_ref().unwrap()["anyOf"][1]["properties"]["arguments"];
    assert_eq!(schema(1), &json!({ "type": "object" }));
    assert_eq!(schema(0), schema(3), "the next reply tries the form of the tool again");
    assert_eq!(called(&tool), [json!({ "location": "Leeds" }), json!({ "location": "York" })]);
    assert_eq!(text, "Fog in York.");
}

#[tokio::test]
async fn small_model_that_chooses_no_tool_answers_freely() {
    let fixture = desk_with(
        "tiny-0.5b",
        vec![Turn::says(r#"{"tool": "none"}"#), Turn::says("Paris.")],
        vec![weather(vec![])],
        |settings| settings.replying.preparation = Preparation::Local,
    );

    assert_eq!(fixture.text("capital of France?").await, "Paris.");
}

#[tokio::test]
async fn answer_that_a_tool_words_itself_needs_no_second_call_of_a_small_model() {
    let tool = weather(vec![ToolResult::done("rain").answering("It rains in Leeds.")]);
    let fixture = desk_with(
        "tiny-0.5b",
        vec![Turn::says(r#"{"tool": "getWeather", "arguments": {"location": "Leeds"}}"#)],
        vec![tool],
        |settings| settings.replying.preparation = Preparation::Local,
    );

    assert_eq!(fixture.text("weather in Leeds?").await, "It rains in Leeds.");
    assert_eq!(fixture.model.asked().len(), 1);
}

#[tokio::test]
async fn empty_answer_is_asked_for_plainly_and_may_stay_empty() {
    let fixture = fixture(
        vec![Turn::says(""), Turn::says("Noon."), Turn::says(""), Turn::says("")],
        vec![weather(vec![])],
    );

    let first = fixture.text("what time is it?").await;
    let second = fixture.text("and now?").await;

    assert_eq!(first, "Noon.");
    assert!(second.starts_with("I'm afraid I have no answer"), "{second}");
    let had_tools: Vec<bool> =
        fixture.model.asked().iter().map(|request| !request.tools.is_empty()).collect();
    assert_eq!(had_tools, [true, false, true, false]);
}

#[tokio::test]
async fn used_up_turns_are_answered_from_what_was_found() {
    let tool = weather(vec![ToolResult::done("rain in Leeds"), ToolResult::done("sun in York")]);
    let fixture = desk_with(
        "big-model-70b",
        vec![
            Turn::calls("getWeather", json!({ "location": "Leeds" })),
            Turn::calls("getWeather", json!({ "location": "York" })),
            Turn::says("I am not finished. So far: rain in Leeds, sun in York."),
        ],
        vec![tool],
        |settings| settings.replying.max_turns = 2,
    );

    let text = fixture.text("weather in the north?").await;

    assert_eq!(text, "I am not finished. So far: rain in Leeds, sun in York.");
    let digest = fixture.told(2).join("\n");
    assert!(digest.contains("getWeather returned: rain in Leeds"), "{digest}");
}

#[tokio::test]
async fn staged_preparation_asks_router_planner_and_extractor() {
    let tool = weather(vec![ToolResult::done("rain")]);
    let fixture = desk_with(
        "small-1b",
        vec![
            Turn::says("getWeather"),
            Turn::says("searchMemory topic='home town'\ngetWeather location='Leeds'\nReply to the user."),
            Turn::says(r#"{"keywords": ["home", "town"]}"#),
            Turn::says("Rain."),
        ],
        vec![tool.clone()],
        |settings| {
            settings.replying.preparation = Preparation::Staged;
            settings.tools.selection_strategy = SelectionStrategy::Llm;
            settings.replying.tool_protocol = ProtocolChoice::NativeOrText;
        },
    );

    let text = fixture.text("what is the weather at home?").await;

    assert_eq!(text, "Rain.");
    assert_eq!(called(&tool), [json!({ "location": "Leeds" })], "the plan is carried out without the model");
    assert_eq!(fixture.model.asked().len(), 4);
    let newest = fixture.told(3).into_iter().find(|message| message.contains("ACTION PLAN")).unwrap();
    assert!(newest.contains("1. getWeather location='Leeds'\n2. Reply to the user."), "{newest}");
}

#[tokio::test]
async fn malformed_answer_after_a_tool_is_replaced_by_the_answer_of_the_tool() {
    let tool = weather(vec![ToolResult::done("rain").answering("It rains in Leeds.")]);
    let fixture =
        fixture(vec![Turn::calls("getWeather", json!({})), Turn::says("tool_calls: []")], vec![tool]);

    assert_eq!(fixture.text("weather?").await, "It rains in Leeds.");
}

#[tokio::test]
async fn thinking_is_not_shown_and_the_loop_goes_on() {
    let fixture = fixture(vec![Turn::Thinks("hm".into()), Turn::says("Noon.")], vec![weather(vec![])]);

    assert_eq!(fixture.text("what time is it?").await, "Noon.");
}

#[tokio::test]
async fn argument_that_nobody_said_is_not_passed_on_by_a_small_model() {
    let tool = weather(vec![ToolResult::done("rain")]);
    let choice = r#"{"tool": "getWeather", "arguments": {"location": "New York"}}"#;
    let fixture = desk_with(
        "tiny-0.5b",
        vec![Turn::says(choice), Turn::says("Rain.")],
        vec![tool.clone()],
        |settings| settings.replying.preparation = Preparation::Local,
    );

    fixture.ask("will it rain?").await;

    assert_eq!(called(&tool), [json!({})]);
}
