//! The diary is written on idle and on size, while nobody speaks: real SQLite, a fixed clock, a scripted model.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use llm::{ChatModel, ChatRequest, ChatStream, LlmError, Message, ModelIdentity};
use memory::{Dialogue, DiaryFilter, MemoryService, MessageContent, NewMessage, Participant};
use replying::{ReplyParts, RoleModels};
use rstest::rstest;
use tempfile::TempDir;
use testkit::{FixedClock, ScriptedModel, Turn, toolbox};
use vocabulary::ConversationId;

use super::*;

const NOW: &str = "2025-11-22T12:00:00Z";
const MINUTE: i64 = 60_000_000;

/// A diarist with a memory of its own, which it shares with a model that keeps a diary.
struct Fixture {
    diarist: DiaryScheduler,
    memory: Memory,
    model: Arc<ScriptedModel>,
    state: watch::Sender<AssistantState>,
    _settings: watch::Sender<Settings>,
    _folder: TempDir,
}

impl Fixture {
    async fn new() -> Self {
        Self::answering("TOPICS: talk\nSUMMARY: The user talked.").await
    }

    async fn answering(answer: &str) -> Self {
        Self::taking((0..9).map(|_| Turn::says(answer))).await
    }

    async fn taking(turns: impl IntoIterator<Item = Turn>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (service, opening) = MemoryService::start(&folder.path().join("jarvis.db"), |_| {});
        tokio::spawn(opening);
        let (dialogue, writing) = Dialogue::start(&service);
        tokio::spawn(writing);
        let mut opened = service.watch();
        let memory = opened.wait_for(Option::is_some).await.unwrap().clone().unwrap();
        let model = Arc::new(ScriptedModel::new(turns));
        let mut settings = Settings::default();
        settings.location.time_zone = "UTC".into();
        let replying = ReplyingConfig::try_from(&settings).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(FixedClock::at(NOW));
        let port = Arc::clone(&model) as Arc<dyn ChatModel>;
        let (_, replying) = watch::channel(replying);
        let replier = ReplyEngine::new(ReplyParts {
            models: RoleModels::new(|_| Arc::clone(&port)),
            dialogue,
            memory: opened.clone(),
            embedder: None,
            toolbox: toolbox(Vec::new(), &settings),
            clock: Arc::clone(&clock),
            config: replying,
        });
        let (_settings, settings) = watch::channel(settings);
        let (state, state_now) = watch::channel(AssistantState::Idle);
        let diarist = DiaryScheduler {
            memory: opened,
            helper: Arc::clone(&port),
            model: port,
            replier,
            clock,
            settings,
            state: state_now,
            reflection: Arc::default(),
        };
        Self { diarist, memory, model, state, _settings, _folder: folder }
    }

    /// Something was said so many minutes ago.
    async fn said(&self, minutes_ago: i64, text: &str) {
        let at = self.diarist.clock.now().as_microsecond() - minutes_ago * MINUTE;
        let message = NewMessage {
            conversation: ConversationId::main(),
            channel: "voice".into(),
            content: MessageContent::new(Participant::User, text, at),
            is_in_diary: false,
        };
        self.memory.add_messages(vec![message]).await.unwrap();
    }

    fn reflection(&self) -> Reflection {
        Reflection::new(self.memory.clone(), Arc::clone(&self.diarist.model))
    }

    async fn diary(&self) -> Vec<String> {
        let entries = self.memory.entries(DiaryFilter::default()).await.unwrap();
        entries.into_iter().map(|entry| entry.summary).collect()
    }
}

/// More than a model with the context of the settings takes in at once.
fn much() -> String {
    "And then we went on to the next village. ".repeat(600)
}

#[rstest]
#[case::nothing(None, false)]
#[case::the_conversation_goes_on(Some((1, "I like tea".to_owned())), false)]
#[case::on_idle(Some((6, "I like tea".to_owned())), true)]
#[case::on_size(Some((1, much())), true)]
#[case::on_size_while_the_conversation_goes_on(Some((0, much())), false)]
#[tokio::test]
async fn knows_when_the_diary_is_due(#[case] waiting: Option<(i64, String)>, #[case] expected: bool) {
    let fixture = Fixture::new().await;
    if let Some((minutes_ago, text)) = waiting {
        fixture.said(minutes_ago, &text).await;
    }

    assert_eq!(fixture.diarist.is_due(&fixture.memory, &fixture.reflection()).await, expected);
}

#[tokio::test]
async fn what_was_given_up_does_not_make_the_diary_due_again_and_again() {
    let fixture = Fixture::answering("banana").await;
    fixture.said(60, "I like tea").await;
    let (reflection, stop) = (fixture.reflection(), CancellationToken::new());
    let is_due = async || fixture.diarist.is_due(&fixture.memory, &reflection).await;

    let mut writings = 0;
    while writings < 9 && is_due().await {
        fixture.diarist.write(&reflection, DIARY_LIMIT, &stop).await;
        writings += 1;
    }
    fixture.said(1, "I like cake").await;
    let just_said = is_due().await;

    assert_eq!((writings, fixture.model.asked().len()), (3, 3));
    assert!(just_said, "with new words beside it the model may do better");
}

#[rstest]
#[case::on_idle(6, "I like tea".to_owned())]
#[case::on_size(1, much())]
#[tokio::test]
async fn the_running_diarist_writes(#[case] minutes_ago: i64, #[case] text: String) {
    let fixture = Fixture::new().await;
    fixture.said(minutes_ago, &text).await;
    let stop = CancellationToken::new();
    let running = tokio::spawn(fixture.diarist.clone().run(stop.clone()));

    let mut changes = fixture.memory.changes();
    while fixture.diary().await.is_empty() {
        changes.changed().await.unwrap();
    }

    assert_eq!(fixture.diary().await, ["The user talked."]);
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn while_somebody_speaks_the_diary_waits_however_much_there_is_to_write() {
    let fixture = Fixture::new().await;
    fixture.said(6, &much()).await;
    fixture.state.send_replace(AssistantState::Listening);
    let stop = CancellationToken::new();
    let running = tokio::spawn(fixture.diarist.clone().run(stop.clone()));

    tokio::time::sleep(5 * LOOK_EVERY).await;
    let asked_while_speaking = fixture.model.asked().len();
    fixture.state.send_replace(AssistantState::Idle);
    let mut changes = fixture.memory.changes();
    while fixture.diary().await.is_empty() {
        changes.changed().await.unwrap();
    }

    assert_eq!(asked_while_speaking, 0);
    stop.cancel();
    running.await.unwrap();
}

/// Counts how often it was warmed up.
struct Warmed {
    model: Arc<ScriptedModel>,
    times: AtomicUsize,
}

#[async_trait]
impl ChatModel for Warmed {
    async fn chat(&self, request: ChatRequest, stop: CancellationToken) -> Result<ChatStream, LlmError> {
        self.model.chat(request, stop).await
    }

    fn identity(&self) -> ModelIdentity {
        self.model.identity()
    }

    async fn warm_up(&self, _: &[Message]) -> Result<(), LlmError> {
        self.times.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_pass_that_gave_way_leaves_the_model_warm_and_comes_later_each_time() {
    let mut fixture = Fixture::taking((0..9).map(|_| Turn::Hangs(Vec::new()))).await;
    fixture.said(6, "I like tea").await;
    let warmed = Arc::new(Warmed { model: Arc::clone(&fixture.model), times: AtomicUsize::new(0) });
    fixture.diarist.model = Arc::clone(&warmed) as Arc<dyn ChatModel>;
    let stop = CancellationToken::new();
    let running = tokio::spawn(fixture.diarist.clone().run(stop.clone()));

    let (mut begun, mut warm) = (Vec::new(), Vec::new());
    let start = Instant::now();
    for asked in 1..=3 {
        while fixture.model.asked().len() < asked {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        begun.push(start.elapsed().as_secs().div_ceil(60));
        fixture.state.send_replace(AssistantState::Listening);
        tokio::time::sleep(Duration::from_secs(1)).await;
        warm.push(warmed.times.load(Ordering::Relaxed));
        fixture.state.send_replace(AssistantState::Idle);
    }

    assert_eq!((begun[1] - begun[0], begun[2] - begun[1]), (3, 5));
    assert_eq!(warm, [1, 2, 3]);
    stop.cancel();
    running.await.unwrap();
}

#[rstest]
#[case::on(true, &["The user talked."])]
#[case::off(false, &[])]
#[tokio::test]
async fn no_diary_is_written_when_it_is_switched_off(#[case] is_on: bool, #[case] expected: &[&str]) {
    let fixture = Fixture::new().await;
    fixture._settings.send_modify(|settings| settings.memory.diary = is_on);
    fixture.said(60, "I like tea").await;

    fixture.diarist.write_last().await;

    assert_eq!(fixture.diary().await, expected);
}
