//! A server of tools that slips an order to the model into a description: no model reads it before the user agrees.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use net::Http;
use replying::Toolbox;
use rstest::rstest;
use serde_json::json;
use settings::{SelectionStrategy, ServerSettings, Settings};
use testkit::{InMemoryAudit, InMemoryPermissions, InMemoryPins, InMemorySignIns, ScriptedApproval, Turn};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::selection::ToolIndex;
use tools::servers::{CallLimits, Connections, ServerPorts, ServerValues, ToolServers};
use tools::{Inquiries, Permissions, Taint, ToolContext, ToolRegistry, ToolRunner, ToolsConfig};
use vocabulary::{ConversationId, Origin, Private, ToolCallId};

use crate::fixture::Given;

/// A word of the order.
const ORDER: &str = "diary";

struct NoValues;

impl ServerValues for NoValues {
    fn value(&self, _: &str) -> Option<String> {
        None
    }
}

/// The tools of the scripted server of `tests/tool_servers`.
struct Fixture {
    servers: ToolServers,
    permissions: Arc<Permissions>,
    runner: Arc<ToolRunner>,
    toolbox: Toolbox,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Fixture {
    async fn new(change: Change) -> Self {
        let mut settings = Settings::default();
        settings.tools.allowed = vec!["scripted".to_owned()];
        settings.tools.selection_strategy = SelectionStrategy::All;
        change(&mut settings);
        let config = ToolsConfig::from(&settings);
        let permissions =
            Arc::new(Permissions::new(config.clone(), Arc::new(InMemoryPermissions::default())));
        let registry = Arc::new(ToolRegistry::new());
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let connections = Connections {
            http: Http::new().unwrap(),
            limits: CallLimits::default(),
            sign_ins: Arc::new(InMemorySignIns::default()),
            model: None,
        };
        let ports =
            ServerPorts { pins: Arc::new(InMemoryPins::default()), values: Arc::new(NoValues), connections };
        let servers =
            ToolServers::new(Arc::clone(&registry), Arc::clone(&permissions), ports, &tasks, stop.clone());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tool_servers/scripted.mjs");
        let args = vec![script.to_string_lossy().into_owned()];
        let server = ServerSettings { command: "node".into(), args, ..ServerSettings::default() };
        servers.configure(&BTreeMap::from([("scripted".to_owned(), server)]));
        servers.refresh().await;
        let index = Arc::new(ToolIndex::new(Arc::clone(&registry), Arc::clone(&permissions)));
        let audit = Arc::new(InMemoryAudit::default());
        let runner = Arc::new(ToolRunner::new(registry, Arc::clone(&permissions), audit));
        let (_, config) = watch::channel(config);
        let toolbox = Toolbox::new(index, Arc::clone(&runner), config);
        Self { servers, permissions, runner, toolbox, tasks, stop }
    }

    /// Lets the server describe its tool `echo` anew, and takes that over.
    async fn describe_anew(&self) {
        let id = ToolCallId("change".to_owned());
        let call = llm::ToolCall { id, name: "scripted__change".to_owned(), arguments: json!({}) };
        let context = ToolContext {
            query: Private(String::new()),
            language: None,
            conversation: ConversationId::main(),
            origin: Origin::Typed,
            now: jiff::Timestamp::UNIX_EPOCH,
            zone: jiff::tz::TimeZone::UTC,
            stop: CancellationToken::new(),
            inquiries: Inquiries::default(),
        };
        let mut user = ScriptedApproval::default();
        assert!(self.runner.run(&call, Taint::Clean, &context, &mut user).await.result.success);
        self.servers.refresh().await;
    }

    /// All that models are asked for one reply, word for word.
    async fn asked(&self, model: &'static str, change: Change) -> String {
        let turns = [Turn::says("scripted__echo"), Turn::says("Hello."), Turn::says("Hello.")];
        let given = Given::asked("please echo my words of today with the scripted server", turns);
        let seen = given.of(model).set(change).using(self.toolbox.clone()).reply().await;
        let words = |request: &llm::ChatRequest| {
            let messages: Vec<&str> = request.messages.iter().map(|message| &*message.content).collect();
            format!("{messages:?} {:?} {:?}", request.tools, request.format)
        };
        seen.asked.iter().map(words).collect()
    }

    async fn end(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

type Change = fn(&mut Settings);

fn as_usual(_: &mut Settings) {}

fn chosen_by_a_model(settings: &mut Settings) {
    settings.tools.selection_strategy = SelectionStrategy::Llm;
}

#[rstest]
#[case::offered_to_a_large_model("big-model-70b", as_usual)]
#[case::written_for_a_small_model("tiny-0.5b", as_usual)]
#[case::lines_for_a_model_that_chooses("big-model-70b", chosen_by_a_model)]
#[tokio::test(flavor = "multi_thread")]
async fn order_in_a_new_description_reaches_the_model_only_after_consent(
    #[case] model: &'static str,
    #[case] change: Change,
) {
    let fixture = Fixture::new(change).await;
    fixture.describe_anew().await;

    let before = fixture.asked(model, change).await;
    let described = fixture.permissions.new_description("scripted__echo").unwrap();
    fixture.permissions.agree(&described);
    fixture.servers.refresh().await;
    let after = fixture.asked(model, change).await;

    assert!(before.contains("scripted__echo") && before.contains("Says the same."), "{before}");
    assert!(!before.contains(ORDER), "{before}");
    assert!(after.contains(ORDER), "{after}");
    fixture.end().await;
}
