//! Replies as their reader sees them, with a scripted model and a real database.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use llm::LlmError;
use memory::{Dialogue, MemoryService};
use replying::{ReplyEngine, ReplyParts, ReplyingConfig, RoleModels};
use settings::{ContextPosition, SelectionStrategy, Settings};
use testkit::{FixedClock, ScriptedModel, ScriptedTool, Turn, toolbox};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tools::Tool;
use vocabulary::{ConversationId, Origin, Query, Replier, ReplyControls, ReplyEvent, ReplyId};

struct Fixture {
    engine: ReplyEngine,
    model: Arc<ScriptedModel>,
    clock: Arc<FixedClock>,
    _folder: tempfile::TempDir,
}

fn fixture(turns: impl IntoIterator<Item = Turn>) -> Fixture {
    desk_with(turns, |_| {})
}

fn desk_with(turns: impl IntoIterator<Item = Turn>, change: impl FnOnce(&mut Settings)) -> Fixture {
    desk_of(ScriptedModel::new(turns), Vec::new(), change)
}

fn desk_of(model: ScriptedModel, tools: Vec<Arc<dyn Tool>>, change: impl FnOnce(&mut Settings)) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let (service, opening) = MemoryService::start(&folder.path().join("jarvis.db"), |_| {});
    tokio::spawn(opening);
    let (dialogue, writing) = Dialogue::start(&service);
    tokio::spawn(writing);
    let model = Arc::new(model);
    let clock = Arc::new(FixedClock::at("2025-09-15T17:53:00Z"));
    let mut settings = Settings::default();
    settings.location.time_zone = "UTC".into();
    settings.location.place = "Leeds".into();
    change(&mut settings);
    let config = ReplyingConfig::try_from(&settings).unwrap();
    // The sender is dropped: the engine keeps reading the last value.
    let (_, config) = watch::channel(config);
    let engine = ReplyEngine::new(ReplyParts {
        models: RoleModels::new(|_| model.clone()),
        dialogue,
        memory: service.watch(),
        embedder: None,
        toolbox: toolbox(tools, &settings),
        clock: clock.clone(),
        config,
    });
    Fixture { engine, model, clock, _folder: folder }
}

fn query(text: &str) -> Query {
    let conversation = ConversationId::main();
    Query {
        reply: ReplyId(1),
        text: text.into(),
        language: None,
        origin: Origin::Voice,
        conversation,
        replaces_previous: false,
    }
}

async fn ask_with(fixture: &Fixture, query: Query) -> Vec<ReplyEvent> {
    let (controls, _answers) = ReplyControls::new(CancellationToken::new());
    fixture.engine.reply(query, controls).collect().await
}

async fn ask(fixture: &Fixture, text: &str) -> Vec<ReplyEvent> {
    ask_with(fixture, query(text)).await
}

/// The text and sentences of a reply, and how it ended.
fn read(events: &[ReplyEvent]) -> (String, Vec<String>, String) {
    let mut shown = String::new();
    let mut sentences = Vec::new();
    let mut ending = String::new();
    for event in events {
        match event {
            ReplyEvent::Delta { text } => shown.push_str(text),
            ReplyEvent::Sentence { text, .. } => sentences.push(text.clone()),
            ReplyEvent::Failed(trouble) => ending.push_str(&format!("{trouble} ")),
            ReplyEvent::Done(response) => {
                ending.push_str(&response.text.as_deref().cloned().unwrap_or_default());
            }
            ReplyEvent::Traced(_) => {}
            other => panic!("the engine uses no tools and asks nothing: {other:?}"),
        }
    }
    (shown, sentences, ending)
}

fn unreachable() -> LlmError {
    LlmError::Incomplete
}

#[tokio::test]
async fn an_answer_comes_sentence_by_sentence_and_ends_once() {
    let fixture = fixture([Turn::says("It rains. Take a coat.")]);

    let events = ask(&fixture, "do I need a coat?").await;

    let (shown, sentences, ending) = read(&events);
    assert_eq!((shown.as_str(), ending.as_str()), ("It rains. Take a coat.", "It rains. Take a coat."));
    assert_eq!(sentences, ["It rains.", "Take a coat."]);
    let ReplyEvent::Done(response) = events.last().unwrap() else { panic!("the last event is not the end") };
    assert!(response.voice_requested && response.skip_assistant_history);
}

#[tokio::test]
async fn loudspeaker_before_an_answer_has_it_spoken_and_is_kept_by_the_dialogue_alone() {
    let fixture = fixture([Turn::says("\u{1F50A} It rains. Take a coat."), Turn::says("Yes.")]);

    let events = ask_with(&fixture, Query { origin: Origin::Typed, ..query("do I need a coat?") }).await;
    ask(&fixture, "really?").await;

    let (shown, sentences, ending) = read(&events);
    assert_eq!((shown.as_str(), ending.as_str()), ("It rains. Take a coat.", "It rains. Take a coat."));
    assert_eq!(sentences, ["It rains.", "Take a coat."]);
    let ReplyEvent::Done(response) = events.last().unwrap() else { panic!("the last event is not the end") };
    assert_eq!(response.spoken_text(), Some("It rains. Take a coat."));
    let told = &fixture.model.asked()[1].messages;
    assert!(told.iter().any(|message| message.content == "\u{1F50A} It rains. Take a coat."), "{told:?}");
}

#[tokio::test]
async fn the_model_is_told_time_and_place_with_the_newest_message_and_what_was_said_before() {
    let fixture = fixture([Turn::says("Hello."), Turn::says("Rain.")]);
    ask(&fixture, "good day").await;
    fixture.clock.advance(Duration::from_secs(60));

    ask(&fixture, "my mail is ann@example.org, will it rain?").await;

    let asked = fixture.model.asked();
    let told: Vec<String> =
        asked[1].messages[1..].iter().map(|m| format!("{}: {}", m.role.as_str(), m.content)).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    user: good day
    assistant: Hello.
    user: [Answer in English. Your answer is read aloud: plain sentences, no Markdown, no lists, no headings.]
    [Context: Current local time: Monday, September 15, 2025 at 17:54 UTC. Location: Leeds]
    my mail is [REDACTED_EMAIL], will it rain?
    ");
    // What the model's prefix cache holds stays as it is.
    assert_eq!(asked[0].messages[0], asked[1].messages[0]);
}

#[tokio::test]
async fn what_a_model_reads_in_advance_is_what_the_next_prompt_begins_with() {
    let fixture = fixture([Turn::says("Hello."), Turn::says("Rain.")]);
    ask(&fixture, "good day").await;

    let read = fixture.engine.prefix_with_dialogue(&ConversationId::main()).await;
    ask(&fixture, "will it rain?").await;

    let asked = fixture.model.asked()[1].messages.clone();
    let (beginning, before) = read.split_last().unwrap();
    let (newest, told) = asked.split_last().unwrap();
    assert_eq!(before, told);
    assert_eq!(newest.content, format!("{}\nwill it rain?", beginning.content));
}

#[tokio::test]
async fn choices_begin_with_what_was_read_in_advance() {
    let none = || Turn::says(r#"{"tool": "none"}"#);
    let turns = [none(), Turn::says("Nine."), none(), Turn::says("Ten.")];
    let model = ScriptedModel::new(turns).named("tiny-0.5b").with_kept_beginnings(true);
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(ScriptedTool::reading("readClock"))];
    let fixture =
        desk_of(model, tools, |settings| settings.tools.selection_strategy = SelectionStrategy::All);
    ask(&fixture, "read the clock in the hall").await;

    let beginning = fixture.engine.beginning_of_choices().unwrap();
    let read = fixture.engine.choice_with_dialogue(&ConversationId::main()).await;
    ask(&fixture, "read the clock upstairs").await;

    let asked = fixture.model.asked().remove(2).messages;
    assert_eq!(asked[0], beginning);
    assert!(beginning.content.contains("readClock"), "{}", beginning.content);
    let (newest, before) = read.split_last().unwrap();
    assert_eq!(before, &asked[..before.len()]);
    assert_eq!(asked[before.len()].content, format!("{}\nread the clock upstairs", newest.content));
}

#[tokio::test]
async fn large_model_chooses_without_a_beginning_of_its_own() {
    let fixture = desk_of(ScriptedModel::new([]).named("big-model-70b"), Vec::new(), |_| {});

    assert_eq!(fixture.engine.beginning_of_choices(), None);
}

#[tokio::test]
async fn small_context_has_no_room_for_all_tools() {
    let model = || ScriptedModel::new([]).named("tiny-0.5b");
    let tools: Vec<Arc<dyn Tool>> =
        vec![Arc::new(ScriptedTool::reading("readClock").described(&"Reads the clock. ".repeat(200)))];
    let beginning = |context_tokens| {
        let fixture =
            desk_of(model(), tools.clone(), |settings| settings.llm.context_tokens = context_tokens);
        fixture.engine.beginning_of_choices()
    };

    assert!(beginning(8192).is_some());
    assert_eq!(beginning(2048), None);
}

#[tokio::test]
async fn the_older_position_of_time_and_place_is_the_top_of_the_system_message() {
    let fixture = desk_with([Turn::says("Rain.")], |settings| {
        settings.replying.context_position = ContextPosition::SystemTop;
    });

    ask(&fixture, "will it rain?").await;

    let messages = fixture.model.asked()[0].messages.clone();
    assert!(messages[0].content.starts_with("[Context: Current local time: Monday"));
    assert!(messages[1].content.ends_with("will it rain?"));
}

#[tokio::test]
async fn spoken_and_typed_queries_share_the_prefix_and_differ_in_the_answer_form() {
    let fixture = fixture([Turn::says("Rain."), Turn::says("**Rain**.")]);
    ask(&fixture, "will it rain?").await;
    let typed = Query { origin: Origin::Typed, ..query("and tomorrow?") };

    ask_with(&fixture, typed).await;

    let asked = fixture.model.asked();
    assert_eq!(asked[0].messages[0], asked[1].messages[0]);
    assert!(!asked[0].messages[0].content.contains("Markdown"));
    let newest = |turn: usize| asked[turn].messages.last().unwrap().content.clone();
    assert!(newest(0).contains("read aloud: plain sentences, no Markdown"), "{}", newest(0));
    assert!(newest(1).contains("Markdown may be used"), "{}", newest(1));
    assert_eq!(asked[1].messages[1].content, "will it rain?", "the dialogue is stored without the line");
}

#[tokio::test]
async fn a_query_that_goes_on_replaces_its_first_half_in_the_dialogue() {
    let fixture = fixture([Turn::says("Which meeting?"), Turn::says("At nine."), Turn::says("Gladly.")]);
    ask(&fixture, "when is the meeting").await;
    let whole = Query { replaces_previous: true, ..query("when is the meeting with Ann") };

    ask_with(&fixture, whole).await;
    ask(&fixture, "and where is it?").await;

    let told: Vec<String> =
        fixture.model.asked()[2].messages[1..].iter().map(|m| m.content.clone()).collect();
    assert_eq!(told[..2], ["when is the meeting with Ann", "At nine."]);
}

#[tokio::test]
async fn what_was_said_too_long_ago_is_not_told() {
    let fixture = fixture([Turn::says("Hello."), Turn::says("Rain.")]);
    ask(&fixture, "good day").await;
    fixture.clock.advance(Duration::from_secs(301));

    ask(&fixture, "will it rain?").await;

    assert_eq!(fixture.model.asked()[1].messages.len(), 2);
}

#[tokio::test]
async fn a_model_that_breaks_off_at_once_is_asked_once_more() {
    let fixture = fixture([Turn::Refuses(unreachable()), Turn::says("Rain.")]);

    let events = ask(&fixture, "will it rain?").await;

    assert_eq!(read(&events).2, "Rain.");
    assert_eq!(fixture.model.asked().len(), 2);
}

#[tokio::test]
async fn a_model_that_breaks_off_in_the_middle_keeps_what_it_said_and_says_what_is_wrong() {
    let fixture = fixture([Turn::fails_after("It rains. And then it", unreachable())]);

    let (shown, sentences, ending) = read(&ask(&fixture, "will it rain?").await);

    assert_eq!(shown, "It rains. And then it");
    assert_eq!(sentences, ["It rains."]);
    assert!(ending.starts_with("language model: "), "{ending}");
}

#[tokio::test]
async fn a_question_nobody_can_answer_is_kept_for_the_next_one() {
    let fixture = fixture([Turn::Refuses(unreachable()), Turn::Refuses(unreachable()), Turn::says("Rain.")]);

    let (_, sentences, ending) = read(&ask(&fixture, "will it rain?").await);
    ask(&fixture, "well?").await;

    assert!(!sentences.is_empty() && ending.contains("language model"), "{ending}");
    let told: Vec<String> =
        fixture.model.asked()[2].messages[1..].iter().map(|m| m.content.clone()).collect();
    assert_eq!(told[0], "will it rain?");
}

#[tokio::test]
async fn an_answer_that_is_none_becomes_an_apology_that_is_remembered() {
    let fixture =
        fixture([Turn::says("{\"name\": \"get_weather\", \"arguments\": {}}"), Turn::says("Rain.")]);

    let (shown, _, ending) = read(&ask(&fixture, "will it rain?").await);
    ask(&fixture, "well?").await;

    assert!(shown.starts_with("I'm afraid") && shown == ending);
    let told = &fixture.model.asked()[1].messages;
    assert_eq!((told.len(), told[2].content.as_str()), (4, shown.as_str()));
}

#[tokio::test]
async fn a_stopped_reply_ends_at_once_with_what_was_said() {
    let fixture = fixture([Turn::hangs_after("It rains. And")]);
    let stop = CancellationToken::new();
    let (controls, _answers) = ReplyControls::new(stop.clone());
    let mut reply = fixture.engine.reply(query("will it rain?"), controls);

    let mut events = Vec::new();
    while let Some(event) = reply.next().await {
        if matches!(event, ReplyEvent::Sentence { .. }) {
            stop.cancel();
        }
        events.push(event);
    }

    let (_, sentences, ending) = read(&events);
    assert_eq!(sentences, ["It rains."]);
    assert!(ending.starts_with("It rains.") && !ending.contains("afraid"), "{ending}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_takes_too_long_is_given_up() {
    let fixture = fixture([Turn::hangs_after("")]);

    let (_, _, ending) = read(&ask(&fixture, "will it rain?").await);

    assert!(ending.contains("not complete after 180 s"), "{ending}");
}
